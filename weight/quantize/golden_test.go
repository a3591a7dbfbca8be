package quantize_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/weight"
	"tpuir/weight/float16"
	"tpuir/weight/quantize"
)

// goldenOptions reads a case's quantization from its command line.
func goldenOptions(t *testing.T, folder string) (quantize.Options, bool) {
	t.Helper()
	command, err := os.ReadFile(filepath.Join(folder, "cmd.txt"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(command))
	argument := func(flag, otherwise string) string {
		if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
			return words[i+1]
		}
		return otherwise
	}
	mode := regexp.MustCompile(`^(?:w([48]))?(bf16|f16|f32)$`).FindStringSubmatch(argument("-q", "f32"))
	if mode == nil {
		t.Fatalf("no mode in %q", command)
	}
	o := quantize.Options{Symmetric: slices.Contains(words, "--symmetric")}
	o.GroupSize, _ = strconv.Atoi(argument("-g", "64"))
	o.Bits, _ = strconv.Atoi(mode[1])
	if mode[2] == "f16" {
		o.Scale = float16.Float16
	}
	return o, mode[2] != "f32"
}

func open(t *testing.T, name string) weight.Store {
	t.Helper()
	s, err := weight.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func raw(t *testing.T, s weight.Store, name string) []byte {
	t.Helper()
	w, err := weight.Find(s, name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.Bytes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func bits(b []byte) []uint16 {
	out := make([]uint16, len(b)/2)
	for i := range out {
		out[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return out
}

// counts of what was compared, for the log.
type counts struct{ matrices, pieces, rounded, reordered, dequantized int }

// TestGolden quantizes and rounds the Top weights of every golden case and compares all tensors of the lowered files, and
// where they are kept, the dequantized and reordered ones of the later stages.
func TestGolden(t *testing.T) {
	checkCases(t, filepath.Join(shareddata.Dir(t), "golden"))
}

// TestGoldenCopy does the same with the cases that are kept in this package.
func TestGoldenCopy(t *testing.T) { checkCases(t, "testdata") }

func checkCases(t *testing.T, root string) {
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "*_tpu_weights.npz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files under %s: %v", root, err)
	}
	var total counts
	compared := 0
	for _, file := range files {
		options, ok := goldenOptions(t, filepath.Dir(filepath.Dir(file)))
		if !ok {
			continue
		}
		net := filepath.Base(filepath.Dir(file))
		block := regexp.MustCompile(`_(kv|cache)_(\d+)(_\d+)?$`).ReplaceAllString(net, "_$2")
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(file)))+"/"+net, func(t *testing.T) {
			top := open(t, filepath.Join(filepath.Dir(filepath.Dir(file)), block+"_top_weights.npz"))
			lowered := open(t, file)
			c := checker{t: t, top: top, lowered: lowered, options: options, counts: &total}
			for _, name := range lowered.Names() {
				c.check(name)
			}
			c.checkLaterStages(filepath.Dir(file))
		})
		compared++
	}
	t.Logf("%d files: %+v", compared, total)
}

// checker compares the tensors of one lowered file.
type checker struct {
	t            *testing.T
	top, lowered weight.Store
	options      quantize.Options
	counts       *counts
}

var (
	quantizedName = regexp.MustCompile(`^(.*?)(_0)?_uint$`)
	roundedName   = regexp.MustCompile(`^(.*?)(?:_[12]_(\d+))?_(bf16|f16)$`)
)

func (c *checker) check(name string) {
	if m := quantizedName.FindStringSubmatch(name); m != nil {
		c.checkQuantized(m[1], m[1]+m[2], m[2] != "")
		return
	}
	if strings.Contains(name, "_scale_") || strings.HasSuffix(name, "_zp") {
		return // compared with its codes
	}
	if m := roundedName.FindStringSubmatch(name); m != nil {
		c.checkRounded(name, m[1], m[2])
		return
	}
	if name == "ScatterND_indices_int32" {
		return // the sample head's indices, made integers
	}
	// Kept in float32.
	if !bytes.Equal(raw(c.t, c.lowered, name), raw(c.t, c.top, name)) {
		c.t.Errorf("%s differs from the Top file", name)
	}
}

// checkQuantized compares codes, scales and zero points of a matrix, whose first columns alone may be quantized.
func (c *checker) checkQuantized(op, name string, split bool) {
	m := c.quantize(op, split)
	format := "_scale_" + c.options.Scale.String()
	if !bytes.Equal(m.Codes, raw(c.t, c.lowered, name+"_uint")) {
		c.t.Errorf("%s: codes differ", name)
	}
	if !slices.Equal(m.Scale, bits(raw(c.t, c.lowered, name+format))) {
		c.t.Errorf("%s: scales differ", name)
	}
	if !bytes.Equal(m.ZeroPoint, raw(c.t, c.lowered, name+"_zp")) {
		c.t.Errorf("%s: zero points differ", name)
	}
	c.counts.matrices++
}

func (c *checker) quantize(op string, split bool) *quantize.Matrix {
	w, err := weight.Find(c.top, op+".weight")
	if err != nil {
		c.t.Fatal(err)
	}
	k, n := w.Shape()[0], w.Shape()[1]
	if w, err = w.Transpose(); err != nil {
		c.t.Fatal(err)
	}
	if split {
		n = n / 64 * 64
		if w, err = w.Rows(0, n); err != nil {
			c.t.Fatal(err)
		}
	}
	m, err := quantize.Quantize(c.t.Context(), w, int(n), int(k), c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// checkRounded compares a tensor rounded to 16 bits, or a piece of columns of one.
func (c *checker) checkRounded(name, source, offset string) {
	w, ok := c.top.Lookup(source)
	if !ok {
		if w, ok = c.top.Lookup(source + ".weight"); !ok {
			c.t.Errorf("%s: no source for it", name)
			return
		}
	}
	var err error
	if offset != "" {
		first, _ := strconv.ParseInt(offset, 10, 64)
		if w, err = pieceOf(w, first, c.lowered, name); err != nil {
			c.t.Fatal(err)
		}
		c.counts.pieces++
	}
	as := weight.BFloat16
	if c.options.Scale == float16.Float16 {
		as = weight.Float16
	}
	if w, err = w.Convert(as); err != nil {
		c.t.Fatal(err)
	}
	got, err := w.Bytes(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	if !bytes.Equal(got, raw(c.t, c.lowered, name)) {
		c.t.Errorf("%s differs", name)
	}
	c.counts.rounded++
}

// pieceOf returns the columns from first on of a weight [K, N] or the elements of a bias, as many as the lowered piece has.
func pieceOf(w weight.Tensor, first int64, lowered weight.Store, name string) (weight.Tensor, error) {
	want, err := weight.Find(lowered, name)
	if err != nil {
		return w, err
	}
	if len(w.Shape()) != 2 {
		return w.Rows(first, first+want.Len())
	}
	columns := want.Len() / w.Shape()[0]
	return w.Columns(first, first+columns)
}

// checkLaterStages compares what tpu-opt and the reordering made of the quantized weights, where those files are kept.
func (c *checker) checkLaterStages(folder string) {
	for _, file := range []string{"*_tpu_lowered_*_weight.npz", "*_tpu_addressed_*_weight.npz"} {
		found, _ := filepath.Glob(filepath.Join(folder, file))
		for _, name := range found {
			s := open(c.t, name)
			for _, tensor := range s.Names() {
				if op, ok := strings.CutSuffix(tensor, "_1_reordered"); ok {
					c.checkReordered(s, op)
				} else if op, ok := strings.CutSuffix(tensor, "_dequant_"+c.options.Scale.String()); ok {
					c.checkDequantized(s, tensor, op)
				}
			}
		}
	}
}

func (c *checker) checkReordered(s weight.Store, op string) {
	m := c.quantize(strings.TrimSuffix(op, "_0"), strings.HasSuffix(op, "_0"))
	scale, err := quantize.ReorderLanes(m.Scale, m.N, m.Groups(), 64)
	if err != nil {
		c.t.Fatal(err)
	}
	zeroPoint, err := quantize.ReorderLanes(m.ZeroPoint, m.N, m.Groups(), 64)
	if err != nil {
		c.t.Fatal(err)
	}
	if !slices.Equal(scale, bits(raw(c.t, s, op+"_reordered"))) || !bytes.Equal(zeroPoint, raw(c.t, s, op+"_1_reordered")) {
		c.t.Errorf("%s: reordered scale or zero point differs", op)
	}
	c.counts.reordered++
}

func (c *checker) checkDequantized(s weight.Store, tensor, op string) {
	got, err := c.quantize(op, false).Dequantize(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	if !bytes.Equal(got, raw(c.t, s, tensor)) {
		c.t.Errorf("%s differs", tensor)
	}
	c.counts.dequantized++
}
