//go:build peer

package quantize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tpuir/internal/peer"
	"tpuir/weight"
	"tpuir/weight/float16"
	"tpuir/weight/quantize"
)

const matmulModule = `#loc = loc(unknown)
module @net attributes {module.chip = "ALL", module.platform = "LLM", module.state = "TOP_F32", module.top_run_mode = "STATIC", module.weight_file = "top.npz"} {
  func.func @main(%%arg0: tensor<1x1x%[1]dxf32> loc(unknown)) -> tensor<1x1x%[2]dxf32> {
    %%0 = "top.None"() : () -> none loc(#loc)
    %%1 = "top.Input"(%%arg0) {do_preprocess = false} : (tensor<1x1x%[1]dxf32>) -> tensor<1x1x%[1]dxf32> loc(#loc1)
    %%2 = "top.Weight"() : () -> tensor<%[1]dx%[2]dxf32> loc(#loc2)
    %%3 = "top.MatMul"(%%1, %%2, %%0) {do_relu = false, dq_type = "NONE", hdim_is_batch = false, is_lora = false, keep_dims = true, left_transpose = false, output_transpose = false, q_group_size = 0 : i64, relu_limit = -1.000000e+00 : f64, right_transpose = false} : (tensor<1x1x%[1]dxf32>, tensor<%[1]dx%[2]dxf32>, none) -> tensor<1x1x%[2]dxf32> loc(#loc3)
    return %%3 : tensor<1x1x%[2]dxf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("x")
#loc2 = loc("op.weight")
#loc3 = loc("op")
`

// hardMatrix returns a [K, N] weight whose columns are each hard in their own way.
func hardMatrix(k, n int) []float32 {
	random := rand.New(rand.NewPCG(7, 7))
	columns := []func(int) float32{
		func(int) float32 { return 0 },
		func(int) float32 { return 0.25 },
		func(i int) float32 { return 0.5 + 0.25*float32(i)/float32(k) },
		func(i int) float32 { return -0.5 - 0.25*float32(i)/float32(k) },
		func(int) float32 { return float32(random.NormFloat64()) * 1e-7 },
		func(int) float32 { return float32(random.NormFloat64()) * 1e37 },
		func(i int) float32 { return float32(i%16-7) * 0.5 }, // ties
		func(i int) float32 { return float32(i%31-15) * 0.5 },
		func(i int) float32 { return float32(i%3-1) * 1e-39 }, // denormals
		func(i int) float32 { return float32(i%5-2) * 0.9e-38 },
		func(i int) float32 { return float32(i%7-3) * 6e-38 },
		func(i int) float32 { return float32(i%7-3) * 1e-37 },
		func(i int) float32 { return 1000 + float32(i%2)*1e-4 },
		func(i int) float32 { return float32(i%2) * math.MaxFloat32 },
		func(i int) float32 { return float32(2*(i%2)-1) * 2.5e38 },
		func(i int) float32 { return float32(i%256) - 127.5 },
		func(int) float32 { return 2000 }, // quotients beyond 31 bits
		func(int) float32 { return -2000 },
		func(int) float32 { return 1300 },
		func(int) float32 { return -1300 },
		func(int) float32 { return 80 },
		func(int) float32 { return -80 },
		func(int) float32 { return 1e10 },
		func(int) float32 { return -1e10 },
		func(int) float32 { return 1e14 }, // and beyond 63
		func(int) float32 { return -1e14 },
		func(int) float32 { return 1e34 },
		func(int) float32 { return -1e34 },
		func(i int) float32 { return 2000 + float32(i%3)*0.0001220703125 },
		func(i int) float32 { return -2000 - float32(i%3)*0.0001220703125 },
	}
	values := make([]float32, k*n)
	for column := range n {
		value := func(int) float32 { return float32(random.NormFloat64()) * 0.08 }
		if column < len(columns) {
			value = columns[column]
		}
		for i := range k {
			values[i*n+column] = value(i)
		}
	}
	return values
}

// TestPeerQuantizesAlike writes hard weights with this project's npz writer, lets TPU-MLIR lower a MatMul on them, and
// compares what it wrote with this package's results, for every mode and for groups of 0 to 128.
func TestPeerQuantizesAlike(t *testing.T) {
	wheel := peer.Require(t)
	const k, n = 512, 128
	w, err := weight.FromFloat32s("op.weight", []int64{k, n}, hardMatrix(k, n))
	if err != nil {
		t.Fatal(err)
	}
	store, err := weight.NewMemory("hard", w)
	if err != nil {
		t.Fatal(err)
	}
	for _, bits := range []int{4, 8} {
		for _, format := range []float16.Format{float16.BFloat16, float16.Float16} {
			for _, size := range []int{0, 32, 64, 128} {
				for _, symmetric := range []bool{false, true} {
					o := quantize.Options{Bits: bits, GroupSize: size, Symmetric: symmetric, Scale: format}
					name := fmt.Sprintf("w%d%v-g%d-%t", bits, format, size, symmetric)
					t.Run(name, func(t *testing.T) { comparePeer(t, wheel, store, k, n, o) })
				}
			}
		}
	}
}

func comparePeer(t *testing.T, wheel peer.Wheel, store weight.Store, k, n int, o quantize.Options) {
	dir := t.TempDir()
	if err := weight.WriteNPZ(t.Context(), filepath.Join(dir, "top.npz"), store); err != nil {
		t.Fatal(err)
	}
	module := fmt.Sprintf(matmulModule, k, n)
	if err := os.WriteFile(filepath.Join(dir, "net.mlir"), []byte(module), 0o666); err != nil {
		t.Fatal(err)
	}
	mode := map[float16.Format]string{float16.BFloat16: "BF16", float16.Float16: "F16"}[o.Scale]
	python := map[bool]string{false: "False", true: "True"}
	_, err := wheel.TPUCOpt(t.Context(), dir, "net.mlir",
		fmt.Sprintf("--processor-assign=chip=bm1684x mode=W%d%s num_device=1 num_core=1 addr_mode=basic high_precision=True",
			o.Bits, mode),
		"--processor-top-optimize", fmt.Sprintf("--convert-top-to-tpu=weightFileName=w.npz asymmetric=False "+
			"doWinograd=False q_group_size=%d q_symmetric=%s matmul_perchannel=False gelu_mode=normal", o.GroupSize,
			python[o.Symmetric]),
		"--canonicalize", "--weight-fold", "-o", "made.mlir")
	if err != nil {
		t.Fatal(err)
	}
	made := open(t, filepath.Join(dir, "w.npz"))
	w, _ := store.Lookup("op.weight")
	rows, err := w.Transpose()
	if err != nil {
		t.Fatal(err)
	}
	m, err := quantize.Quantize(t.Context(), rows, n, k, o)
	if err != nil {
		t.Fatal(err)
	}
	suffix, codes := "", "op_uint"
	if o.GroupSize == 0 {
		suffix = "_new"
		if o.Bits == 8 {
			codes = "op_int"
		}
	}
	scale, zeroPoint := "op_scale_"+o.Scale.String(), "op_zp"
	if suffix != "" {
		zeroPoint = "op_zp_new"
		for _, name := range made.Names() {
			if len(name) >= 12 && name[:12] == "op_scale_new" {
				scale = name
			}
		}
	}
	if _, ok := made.Lookup(codes); !ok {
		t.Fatalf("the peer wrote %v", made.Names())
	}
	compareRows(t, "codes", m.Codes, raw(t, made, codes), n)
	compareRows(t, "scales", m.Scale, bits(raw(t, made, scale)), n)
	compareRows(t, "zero points", m.ZeroPoint, raw(t, made, zeroPoint), n)
}

func compareRows[T comparable](t *testing.T, what string, got, want []T, n int) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d, the peer has %d", what, len(got), len(want))
		return
	}
	for row := range n {
		a, b := got[row*len(got)/n:(row+1)*len(got)/n], want[row*len(want)/n:(row+1)*len(want)/n]
		if !slices.Equal(a, b) {
			t.Errorf("%s of column %d: %v, the peer has %v", what, row, a[:min(16, len(a))], b[:min(16, len(b))])
		}
	}
}
