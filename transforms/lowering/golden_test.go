package lowering_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/internal/shareddata"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/pass"
	"tpuir/printer"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

// net is a folder of a golden case: top.mlir and what TPU-MLIR made of it.
type net struct {
	folder, name string
	// flags are the passes of the lowering command with their options, output the file that it writes.
	flags []flag
}

type flag struct{ pass, options string }

var flagText = regexp.MustCompile(`--([a-z0-9-]+)(?:="([^"]*)")?`)

// findNets returns the nets below a folder that have a lowering command, but those of several devices and of lora.
func findNets(t *testing.T, root string) []net {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*", "*", "commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []net
	for _, file := range files {
		folder := filepath.Dir(file)
		name, err := filepath.Rel(root, folder)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(name, "2dev") || strings.Contains(name, "lora") || !exists(filepath.Join(folder, "lowered.mlir")) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		n := net{folder: folder, name: name}
		for _, m := range flagText.FindAllStringSubmatch(line, -1) {
			n.flags = append(n.flags, flag{m[1], m[2]})
		}
		if len(n.flags) == 0 || n.flags[0].pass != "processor-assign" {
			t.Fatalf("%s: no lowering in %q", name, line)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		t.Fatalf("no nets in %s", root)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// run parses a file, runs passes over it and returns the text, in the form of the peer's driver, and the session. Weights
// are neither opened nor written.
func run(t *testing.T, input, output string, flags []flag) (module *ir.Operation, text string, session *pass.Session) {
	t.Helper()
	source, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	module, diagnostics := parser.Parse(context.Background(), registry.NewContext(), (&ir.Sources{}).Add(input, source), parser.Options{})
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics[0])
	}
	passes := registry.Passes()
	pipeline := pass.NewPipeline("builtin.module")
	for _, f := range flags {
		definition := passes.Lookup(f.pass)
		if definition == nil {
			t.Fatalf("no pass %s", f.pass)
		}
		instance := definition.New()
		if err := pass.Configure(instance, definition, f.options); err != nil {
			t.Fatal(err)
		}
		pipeline.Add(definition, instance)
	}
	session = pass.NewSession()
	t.Cleanup(func() { session.Close() })
	weightfile.Configure(session, weightfile.Files{Input: input, Output: output})
	manager := pass.Manager{Pipeline: pipeline, Verify: true, Session: session}
	if err := manager.Run(context.Background(), module); err != nil {
		t.Fatal(err)
	}
	return module, string(printer.Append(nil, module, printer.Options{DebugInfo: true})), session
}

// compareText compares texts line by line.
func compareText(t *testing.T, what, want, got string) bool {
	t.Helper()
	want, got = strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")
	if want == got {
		return true
	}
	diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
	if len(diff) > 4000 {
		diff = diff[:4000] + " …"
	}
	t.Errorf("%s differs (-TPU-MLIR +ours):\n%s", what, diff)
	return false
}

// counts are figures for the log.
type counts struct{ nets, equalNets, tensors, equalTensors atomic.Int64 }

func (c *counts) log(t *testing.T) {
	t.Logf("nets compared %d, equal %d; tensors compared %d, equal %d", c.nets.Load(), c.equalNets.Load(), c.tensors.Load(), c.equalTensors.Load())
}

// lower runs a net's own command line and compares what comes out, weights too where TPU-MLIR's are there.
func (c *counts) lower(t *testing.T, n net) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(n.folder, "lowered.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(t.TempDir(), "lowered.mlir")
	_, text, session := run(t, filepath.Join(n.folder, "top.mlir"), output, append(n.flags, flag{"deinit", ""}))
	c.nets.Add(1)
	if compareText(t, n.name, string(want), text) {
		c.equalNets.Add(1)
	}
	c.weights(t, n, session, filepath.Dir(output))
}

var weightFileText = regexp.MustCompile(`module\.weight_file = "([^"]+)"`)

// weights writes the weights and compares them.
func (c *counts) weights(t *testing.T, n net, session *pass.Session, folder string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.folder, "lowered.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	file := string(weightFileText.FindSubmatch(text)[1])
	top, err := os.ReadFile(filepath.Join(n.folder, "top.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	from := string(weightFileText.FindSubmatch(top)[1])
	want := filepath.Join(n.folder, file)
	if !exists(want) || !exists(filepath.Join(n.folder, from)) {
		return
	}
	staged, err := weightfile.Of(session).Stage(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(); err != nil {
		t.Fatal(err)
	}
	compared, equal := compareWeights(t, want, filepath.Join(folder, file))
	c.tensors.Add(compared)
	c.equalTensors.Add(equal)
}

// compareWeights compares the bits of the tensors of two files.
func compareWeights(t *testing.T, wantFile, gotFile string) (compared, equal int64) {
	t.Helper()
	want, got := open(t, wantFile), open(t, gotFile)
	if diff := cmp.Diff(want.Names(), got.Names()); diff != "" {
		t.Errorf("names in %s (-TPU-MLIR +ours):\n%s", wantFile, diff)
	}
	for _, name := range want.Names() {
		a, _ := want.Lookup(name)
		b, ok := got.Lookup(name)
		compared++
		if !ok {
			continue
		}
		if a.DType() != b.DType() || a.Len() != b.Len() || !bytes.Equal(bytesOf(t, a), bytesOf(t, b)) {
			t.Errorf("%s: %s is %v, TPU-MLIR's %v, or other elements", gotFile, name, b, a)
			continue
		}
		equal++
	}
	return compared, equal
}

func open(t *testing.T, file string) weight.Store {
	t.Helper()
	store, err := weight.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func bytesOf(t *testing.T, tensor weight.Tensor) []byte {
	t.Helper()
	data, err := tensor.Bytes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGolden lowers every net of the golden corpus with its own command line.
func TestGolden(t *testing.T) {
	var c counts
	for _, n := range findNets(t, shareddata.Golden(t)) {
		t.Run(n.name, func(t *testing.T) { c.lower(t, n) })
	}
	c.log(t)
}

// TestGoldenInOne lowers the same nets with lower-to-tpu.
func TestGoldenInOne(t *testing.T) {
	var c counts
	for _, n := range findNets(t, shareddata.Golden(t)) {
		t.Run(n.name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(n.folder, "lowered.mlir"))
			if err != nil {
				t.Fatal(err)
			}
			_, text, _ := run(t, filepath.Join(n.folder, "top.mlir"), "", []flag{{"lower-to-tpu", oneOptions(n)}})
			c.nets.Add(1)
			if compareText(t, n.name, string(want), text) {
				c.equalNets.Add(1)
			}
		})
	}
	c.log(t)
}

// oneOptions translates the options of the single passes.
func oneOptions(n net) string {
	given := map[string]string{}
	for _, f := range n.flags {
		for _, word := range strings.Fields(f.options) {
			name, value, _ := strings.Cut(word, "=")
			given[name] = value
		}
	}
	return fmt.Sprintf("chip=%s mode=%s num-core=%s high-precision=%s q-group-size=%s q-symmetric=%s", given["chip"], given["mode"],
		given["num_core"], given["high_precision"], given["q_group_size"], given["q_symmetric"])
}

// TestGoldenPasses runs each lowering pass alone on what TPU-MLIR's pass before it left.
func TestGoldenPasses(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(shareddata.Golden(t), "*", "*", "passes"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no passes: %v", err)
	}
	testPasses(t, folders)
}

func testPasses(t *testing.T, folders []string) {
	compared := 0
	for _, folder := range folders {
		n := netOf(t, filepath.Dir(folder))
		steps := append([]flag{}, n.flags...)
		for i, f := range steps {
			before, after := step(t, folder, i), step(t, folder, i+1)
			want, err := os.ReadFile(after)
			if err != nil {
				t.Fatal(err)
			}
			_, text, _ := run(t, before, "", []flag{f})
			compareText(t, after, string(want), text)
			compared++
		}
		// TPU-MLIR's deinit writes to the file that convert-top-to-tpu has named in the same run.
		want, err := os.ReadFile(step(t, folder, len(steps)+1))
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := run(t, step(t, folder, len(steps)), "", []flag{{"deinit", "no_save_weight=true"}})
		file := weightFileText.FindStringSubmatch(string(want))[0]
		compareText(t, folder+" deinit", string(want), weightFileText.ReplaceAllString(text, file))
		compared++
	}
	t.Logf("%d passes alone", compared)
}

func netOf(t *testing.T, folder string) net {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	n := net{folder: folder, name: folder}
	for _, m := range flagText.FindAllStringSubmatch(line, -1) {
		n.flags = append(n.flags, flag{m[1], m[2]})
	}
	return n
}

// step returns the i-th file of a folder of passes.
func step(t *testing.T, folder string, i int) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, fmt.Sprintf("%02d_*.mlir", i)))
	if err != nil || len(files) != 1 {
		t.Fatalf("step %d of %s: %v %v", i, folder, files, err)
	}
	return files[0]
}
