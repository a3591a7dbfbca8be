package lowering_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/interp"
	"tpuir/transforms/weightfile"
)

// TestNumbers evaluates golden nets before and after lowering, in every mode, and after each pass of it. F32 changes nothing;
// the others stay as near as their mode allows.
func TestNumbers(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join(shareddata.Golden(t), "*", "*", "num_input.npz"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no nets with inputs: %v", err)
	}
	worst := map[string]float64{}
	least := map[string]float64{"F32": 1, "F16": 0.999999, "BF16": 0.9999, "W8F16": 0.9999, "W8BF16": 0.9999, "W4F16": 0.99, "W4BF16": 0.99}
	for _, input := range inputs {
		folder := filepath.Dir(input)
		if !exists(filepath.Join(folder, "top.mlir")) {
			continue
		}
		given := readTensors(t, input)
		exact := evaluate(t, folder, nil, given)
		for mode, cosineLeast := range least {
			assign := "chip=bm1684x addr_mode=basic high_precision=True mode=" + mode
			converted := []flag{{"processor-assign", assign}, {"convert-top-to-tpu", "q_group_size=32"}}
			name := filepath.Base(filepath.Dir(folder)) + "/" + filepath.Base(folder) + "/" + mode
			t.Run(name, func(t *testing.T) {
				flags := append(converted, flag{"canonicalize", ""}, flag{"weight-fold", ""}, flag{"deinit", "no_save_weight=true"})
				c := near(t, "lowered", exact, evaluate(t, folder, flags, given), cosineLeast)
				worst[mode] = min(c, orOne(worst, mode))
				if !strings.HasPrefix(mode, "W") { // before canonicalization a weight that is to be quantized is f32
					near(t, "converted", exact, evaluate(t, folder, converted, given), cosineLeast)
				}
			})
		}
	}
	t.Logf("worst cosines: %v", worst)
}

func orOne(values map[string]float64, key string) float64 {
	if v, ok := values[key]; ok {
		return v
	}
	return 1
}

// evaluate runs passes over a net's Top file and evaluates what they leave.
func evaluate(t *testing.T, folder string, flags []flag, given map[string]*interp.Tensor) []*interp.Tensor {
	t.Helper()
	module, _, session := run(t, filepath.Join(folder, "top.mlir"), "", flags)
	program, err := interp.Compile(t.Context(), module, weightfile.Of(session).Weights(t.Context(), module), interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var inputs []*interp.Tensor
	for _, port := range program.Inputs() {
		if given[port.Name] == nil {
			t.Fatalf("no input %q", port.Name)
		}
		inputs = append(inputs, given[port.Name])
	}
	outputs, err := program.Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// near asks for equal values where the least cosine is 1. It returns the worst cosine.
func near(t *testing.T, what string, want, got []*interp.Tensor, least float64) (worst float64) {
	t.Helper()
	worst = 1
	for i := range want {
		if want[i].Kind == interp.Integer || want[i].Len() == 1 {
			continue // a token's number is near nothing
		}
		different := 0
		for j := range want[i].Len() {
			if want[i].At(j) != got[i].At(j) {
				different++
			}
		}
		if least == 1 && different > 0 {
			t.Errorf("%s: %d of %d elements of output %d differ", what, different, want[i].Len(), i)
		}
		c := cosine(got[i], want[i])
		if least < 1 && !(c >= least) {
			t.Errorf("%s: output %d has cosine %.6f; expected %v", what, i, c, least)
		}
		worst = min(worst, c)
	}
	return worst
}

func cosine(a, b *interp.Tensor) float64 {
	var dot, x2, y2 float64
	for i := range a.Len() {
		x, y := a.At(i), b.At(i)
		dot, x2, y2 = dot+x*y, x2+x*x, y2+y*y
	}
	if x2 == 0 && y2 == 0 {
		return 1
	}
	return dot / math.Sqrt(x2*y2)
}

// readTensors reads an npz file of inputs or outputs.
func readTensors(t *testing.T, file string) map[string]*interp.Tensor {
	t.Helper()
	store := open(t, file)
	tensors := map[string]*interp.Tensor{}
	for _, name := range store.Names() {
		stored, _ := store.Lookup(name)
		values, err := stored.Float32s(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tensors[name] = interp.NewFloats(values, stored.Shape()...)
		if !stored.DType().IsFloat() {
			integers := make([]int64, len(values))
			for i, v := range values {
				integers[i] = int64(v)
			}
			tensors[name] = interp.NewIntegers(integers, stored.Shape()...)
		}
	}
	return tensors
}
