package interp

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/weight"
)

// goldenNets returns the folders of the nets that have numeric references.
func goldenNets(t testing.TB) []string {
	inputs, err := filepath.Glob(filepath.Join(shareddata.Golden(t), "*", "*", "num_input.npz"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no golden nets with inputs: %v", err)
	}
	folders := make([]string, len(inputs))
	for i, file := range inputs {
		folders[i] = filepath.Dir(file)
	}
	return folders
}

// compileFile compiles a net of TPU-MLIR's layout: its weight file is named relative to its own folder.
func compileFile(t testing.TB, file string, options Options) *Program {
	t.Helper()
	module := parseFile(t, file)
	name, _ := module.StringAttribute("module.weight_file")
	var weights Weights
	if name != "" && name != "None" {
		path := filepath.Join(filepath.Dir(file), name)
		if _, err := os.Stat(path); err != nil { // the corpus keeps the file of a shorter decode net with the longest one
			path = filepath.Join(filepath.Dir(file), "..", "block_cache_0", name)
		}
		store, err := weight.Open(path)
		if err == nil { // without the file, only a net without weights compiles
			t.Cleanup(func() { store.Close() })
			weights = FromStore(store)
		}
	}
	program, err := Compile(t.Context(), module, weights, options)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// readTensors reads an npz file of inputs or outputs.
func readTensors(t testing.TB, file string) map[string]*Tensor {
	t.Helper()
	store, err := weight.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	tensors := map[string]*Tensor{}
	for _, name := range store.Names() {
		stored, _ := store.Lookup(name)
		value := &Tensor{Kind: F32, Shape: stored.Shape()}
		if stored.DType().IsFloat() {
			value.Floats, err = stored.Float32s(context.Background())
		} else {
			value.Kind = Integer
			value.Integers, err = readIntegers(context.Background(), stored)
		}
		if err != nil {
			t.Fatal(err)
		}
		tensors[name] = value
	}
	return tensors
}

// agreement compares two values: their cosine, the largest difference, and how many elements differ.
type agreement struct {
	cosine, largest float64
	different, n    int
}

func agree(got, want *Tensor) agreement {
	a := agreement{n: want.Len()}
	if got.Len() != want.Len() {
		a.different = a.n
		return a
	}
	var dot, x2, y2 float64
	for i := range a.n {
		x, y := got.At(i), want.At(i)
		dot, x2, y2 = dot+x*y, x2+x*x, y2+y*y
		if x != y {
			a.different++
			a.largest = math.Max(a.largest, math.Abs(x-y))
		}
	}
	a.cosine = 1
	if x2 != 0 || y2 != 0 {
		a.cosine = dot / math.Sqrt(x2*y2)
	}
	return a
}

func namedInputs(t testing.TB, p *Program, given map[string]*Tensor) []*Tensor {
	t.Helper()
	var inputs []*Tensor
	for _, port := range p.Inputs() {
		if given[port.Name] == nil {
			t.Fatalf("no input %q", port.Name)
		}
		inputs = append(inputs, given[port.Name])
	}
	return inputs
}

func TestGolden(t *testing.T) {
	for _, folder := range goldenNets(t) {
		for _, stage := range []string{"top", "lowered"} {
			parts := strings.Split(filepath.ToSlash(folder), "/")
			name := strings.Join(parts[len(parts)-2:], "/")
			t.Run(name+"/"+stage, func(t *testing.T) { checkGolden(t, folder, stage) })
		}
	}
}

func checkGolden(t *testing.T, folder, stage string) {
	p := compileFile(t, filepath.Join(folder, stage+".mlir"), Options{Observable: true})
	inputs := namedInputs(t, p, readTensors(t, filepath.Join(folder, "num_input.npz")))
	want := readTensors(t, filepath.Join(folder, "num_"+stage+".npz"))
	seen := map[string]bool{}
	observed, err := p.Observe(t.Context(), inputs, func(name string, value *Tensor) {
		reference := want[name]
		if reference == nil {
			return
		}
		seen[name] = true
		a := agree(value, reference)
		if a.cosine < 0.9999 {
			t.Errorf("%s: %+v", name, a)
		} else if a.different > 0 {
			t.Logf("%s: %+v", name, a)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("the reference's %q was not computed", name)
		}
	}
	checkPlain(t, filepath.Join(folder, stage+".mlir"), inputs, observed)
	if stage == "lowered" {
		checkSimulator(t, folder, p, observed)
	}
}

// checkPlain evaluates the net as it runs without an observer, where attention takes keys and values in parts.
func checkPlain(t *testing.T, file string, inputs, want []*Tensor) {
	got, err := compileFile(t, file, Options{}).Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if at := sameBits(got[i].AsFloats(), want[i].AsFloats()); at >= 0 {
			t.Errorf("output %d differs from the observed run's at element %d", i, at)
		}
	}
}

// simulatorDefects are the outputs of the peer's simulator that its notes call wrong.
var simulatorDefects = map[string]bool{
	"odd-qwen3-w4bf16/block_cache_0/v_cache": true, "odd-qwen3-w4bf16/block_cache_0/output_states": true,
	"f32deploy-nano-llama/block_0/output_states": true, "f32deploy-nano-llama/block_cache_0/output_states": true,
}

func checkSimulator(t *testing.T, folder string, p *Program, outputs []*Tensor) {
	file := filepath.Join(folder, "num_bmodel.npz")
	if _, err := os.Stat(file); err != nil {
		return
	}
	parts := strings.Split(filepath.ToSlash(folder), "/")
	net := strings.Join(parts[len(parts)-2:], "/")
	for name, want := range readTensors(t, file) {
		if simulatorDefects[net+"/"+name] || strings.HasSuffix(net, "/block_kv_0") && name == "output_states" {
			continue
		}
		for i, port := range p.Outputs() {
			if strings.TrimSuffix(port.Name, "_f32") != name {
				continue
			}
			if a := agree(outputs[i], want); a.cosine < 0.9999 {
				t.Errorf("%s differs from the simulator's: %+v", name, a)
			}
		}
	}
}

// goldenNet returns the folder of one net.
func goldenNet(t testing.TB, name, net string) string {
	return filepath.Join(shareddata.Dir(t), "golden", name, net)
}
