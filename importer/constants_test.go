package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/weight"
	"tpuir/weight/rotary"
)

// TestConstants asks for the weights that no checkpoint has, with shapes that IR may hold and with ones that it may not.
func TestConstants(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape []int64
		want  []float32
		err   string
	}{
		{"attention_mask.weight", []int64{2, 2}, []float32{0, -1e9, 0, 0}, ""},
		{"attention_mask.weight", []int64{2, 3}, nil, "a mask of shape [2 3] can't be made; expected a square up to 8192"},
		{"attention_mask.weight", []int64{1 << 40, 1 << 40}, nil,
			"a mask of shape [1099511627776 1099511627776] can't be made; expected a square up to 8192"},
		{"attention_mask.weight", nil, nil, "a mask of shape [] can't be made; expected a square up to 8192"},
		{"Constant0", []int64{1}, []float32{1}, ""},
		{"Constant1", []int64{2, 2, 2}, []float32{0, 0, 0, 1, 1, 0, 1, 1}, ""},
		{"Constant1", []int64{2, 2}, nil, "positions of shape [2 2] can't be made; expected [batch, places, 2]"},
		{"Constant1", []int64{1 << 62, 1 << 62, 2}, nil,
			"a constant of shape [4611686018427387904 4611686018427387904 2] can't be made; expected at most 16777216 elements"},
		{"Constant2", []int64{1, 3}, []float32{1, 1, 1}, ""},
		{"Constant2", []int64{1 << 20, 1 << 20, 1 << 20, 1 << 4}, nil,
			"a constant of shape [1048576 1048576 1048576 16] can't be made; expected at most 16777216 elements"},
	} {
		made, known, err := Constant(tt.name, tt.shape)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%s %v: error %v, want %s", tt.name, tt.shape, err, tt.err)
			}
			continue
		}
		if err != nil || !known {
			t.Errorf("%s %v: known %t, error %v", tt.name, tt.shape, known, err)
			continue
		}
		got, err := made.Float32s(t.Context())
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s %v: error %v (-want +got):\n%s", tt.name, tt.shape, err, diff)
		}
	}
	if _, known, err := Constant("model.norm.weight", []int64{4}); known || err != nil {
		t.Errorf("a weight of the checkpoint is a constant: %t, %v", known, err)
	}
}

// Errors about computed weights name the checkpoint and the weight.
func TestWeightErrors(t *testing.T) {
	matrix, err := weight.FromFloat32s("model.norm.weight", []int64{4}, make([]float32, 4))
	if err != nil {
		t.Fatal(err)
	}
	store, err := weight.NewMemory("folder", matrix)
	if err != nil {
		t.Fatal(err)
	}
	w := &Weights{model: &Model{Rotary: rotary.Parameters{Theta: 10000, Dim: 8}}, store: store, tables: map[int64]rotary.Tables{}}
	for _, tt := range []struct {
		name  string
		shape []int64
		want  string
	}{
		{"rotary_cos.weight", nil, `folder: tensor "rotary_cos.weight": a rotary table has rows; its type in the IR has none`},
		{"rotary_sin.weight", []int64{1 << 30, 1, 8}, `folder: tensor "rotary_sin.weight": a table for 1073741824 positions can't be made; expected 1 to 16777216`},
		{"rotary_sin.weight", []int64{2, 1, 6}, `folder: tensor "rotary_sin.weight": shape [2 1 8] does not fit the [2 1 6] that the IR asks for`},
		{"attention_mask.weight", []int64{3}, `folder: tensor "attention_mask.weight": a mask of shape [3] can't be made; expected a square up to 8192`},
		{"model.norm.weight", []int64{2, 3}, `folder: tensor "model.norm.weight": shape [4] does not fit the [2 3] that the IR asks for`},
		{"absent.weight", []int64{1}, `folder: tensor "absent.weight": no such tensor among the 1 here`},
	} {
		if _, err := w.Tensor(tt.name, tt.shape); err == nil || err.Error() != tt.want {
			t.Errorf("%s %v: error %v\n want %s", tt.name, tt.shape, err, tt.want)
		}
	}
}

// A net takes the first rows of a longer rotary table, lowered or not, and other weights whole.
func TestCutTable(t *testing.T) {
	for _, tt := range []struct {
		name        string
		shape, want []int64
	}{
		{"rotary_cos.weight", []int64{2, 1, 2}, []int64{2, 1, 2}},
		{"rotary_cos.weight_bf16", []int64{2, 1, 2}, []int64{2, 1, 2}},
		{"rotary_cos.weight", []int64{4, 1, 2}, []int64{3, 1, 2}},
		{"rotary_cos.weight", []int64{2}, []int64{3, 1, 2}},
		{"other.weight", []int64{2, 1, 2}, []int64{3, 1, 2}},
	} {
		table, err := weight.FromFloat32s("table", []int64{3, 1, 2}, []float32{0, 1, 2, 3, 4, 5})
		if err != nil {
			t.Fatal(err)
		}
		got, err := CutTable(table, tt.name, tt.shape)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got.Shape()); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.name, tt.shape, strings.TrimSpace(diff))
		}
	}
}
