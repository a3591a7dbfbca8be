package interp

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/ir"
	"tpuir/weight"
)

// zeroWeights gives weights of any name and type, all zero.
type zeroWeights struct{}

func (zeroWeights) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	n, err := countElements(t.Shape)
	if err != nil {
		return weight.Tensor{}, err
	}
	dtype := weight.Float32
	switch kind, _ := KindOf(t.Element); kind {
	case BF16:
		dtype = weight.BFloat16
	case F16:
		dtype = weight.Float16
	case Integer:
		if dtype = weight.Int32; t.Element.(*ir.IntegerType).Width == 8 {
			dtype = weight.Uint8
		}
	}
	return weight.FromBytes(name, dtype, t.Shape, make([]byte, int64(n)*dtype.Size()))
}

// TestCorpus evaluates every net of the corpus, in every state that it is kept in, on zero weights and inputs: each op
// has a kernel, and shapes come out as the types say.
func TestCorpus(t *testing.T) {
	root := filepath.Join(shareddata.Dir(t), "golden")
	evaluated := 0
	err := filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".mlir" {
			return err
		}
		if testing.Short() && strings.Contains(file, "passes") {
			return nil
		}
		evaluated++
		t.Run(strings.TrimPrefix(file, root), func(t *testing.T) { evaluateZeros(t, file) })
		return nil
	})
	if err != nil || evaluated == 0 {
		t.Fatalf("%d files evaluated, error %v", evaluated, err)
	}
}

func evaluateZeros(t *testing.T, file string) {
	p, err := Compile(t.Context(), parseFile(t, file), zeroWeights{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var inputs []*Tensor
	for _, port := range p.Inputs() {
		shape := port.Type.(*ir.RankedTensorType).Shape
		value := &Tensor{Kind: port.Kind, Shape: shape}
		value.make(value.Len())
		switch port.Name {
		case "top_k":
			value.Integers[0] = 50
		case "temperature", "penalty":
			value.Floats[0] = 1
		}
		inputs = append(inputs, value)
	}
	outputs, err := p.Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, port := range p.Outputs() {
		if want := port.Type.(*ir.RankedTensorType).Shape; !slices.Equal(outputs[i].Shape, want) {
			t.Errorf("output %q has shape %v, want %v", port.Name, outputs[i].Shape, want)
		}
	}
}
