package weight

// This file shows the tensors of a checkpoint as the IR names them.

import (
	"maps"
	"slices"
)

// View says how a tensor of the IR is had from one of a checkpoint. The parts apply in the order of the fields; the zero
// value of each leaves the tensor as it is.
type View struct {
	Source    string   // the tensor's name in the base store
	Rows      [2]int64 // first row and row behind the last, where the second is not 0
	Order     []int    // row i is row Order[i] of what came before
	Transpose bool     // rows and columns exchanged
	DType     DType    // floating-point elements converted; Invalid leaves the type
	Shape     []int64  // of as many elements; nil leaves the shape
}

// Apply returns the view of t that v describes. The name stays that of t.
func (v View) Apply(t Tensor) (Tensor, error) {
	var err error
	if v.Rows[1] != 0 {
		if t, err = t.Rows(v.Rows[0], v.Rows[1]); err != nil {
			return t, err
		}
	}
	if v.Order != nil {
		if t, err = t.PermuteRows(v.Order); err != nil {
			return t, err
		}
	}
	if v.Transpose {
		if t, err = t.Transpose(); err != nil {
			return t, err
		}
	}
	if v.DType != Invalid {
		if t, err = t.Convert(v.DType); err != nil {
			return t, err
		}
	}
	if v.Shape != nil {
		return t.Reshape(v.Shape...)
	}
	return t, nil
}

// views is a store of views over another.
type views struct {
	Store
	tensors map[string]Tensor
	names   []string
}

// NewViews returns the store that has exactly the given views, by the names of their keys, over the tensors of base. A
// view whose source is missing or does not fit is an error at once. Closing it closes base.
func NewViews(base Store, table map[string]View) (Store, error) {
	v := &views{Store: base, tensors: make(map[string]Tensor, len(table)), names: slices.Sorted(maps.Keys(table))}
	for _, name := range v.names {
		view := table[name]
		t, err := Find(base, view.Source)
		if err != nil {
			return nil, err
		}
		if t, err = view.Apply(t); err != nil {
			return nil, err
		}
		v.tensors[name] = t.Rename(name)
	}
	return v, nil
}

func (v *views) Lookup(name string) (Tensor, bool) {
	t, ok := v.tensors[name]
	return t, ok
}

func (v *views) Names() []string { return v.names }
