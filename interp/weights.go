package interp

// This file is where constants come from: the interface that a net's weights are read through, and its implementation
// over a weight store.

import (
	"fmt"

	"tpuir/ir"
	"tpuir/weight"
)

// Weights gives the constants of a net. It is safe for concurrent use.
type Weights interface {
	// Tensor returns the weight of that name as the type asks for it: same shape, and elements of the type's kind.
	Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error)
}

// FromStore returns the weights that lie in a store. As in TPU-MLIR's files, the shape in the store may differ from the
// type's as long as the number of elements agrees, and the elements of bf16 and f16 tensors may be stored as their bits.
func FromStore(store weight.Store) Weights { return storeWeights{store} }

type storeWeights struct{ store weight.Store }

func (w storeWeights) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	stored, err := weight.Find(w.store, name)
	if err != nil {
		return weight.Tensor{}, err
	}
	return View(stored, t)
}

// View returns a stored tensor as the type asks for it. What FromStore says of shapes and elements holds here.
func View(stored weight.Tensor, t *ir.RankedTensorType) (weight.Tensor, error) {
	view, err := asElement(stored, t.Element)
	if err != nil {
		return weight.Tensor{}, err
	}
	return view.Reshape(t.Shape...)
}

// asElement returns the view of a tensor whose elements have the IR's type.
func asElement(t weight.Tensor, element ir.Type) (weight.Tensor, error) {
	kind, ok := KindOf(element)
	if !ok {
		return t, mismatch(t, "no weights have type %v", element)
	}
	want := map[Kind]weight.DType{F32: weight.Float32, BF16: weight.BFloat16, F16: weight.Float16}[kind]
	have := t.DType()
	switch {
	case kind == Integer:
		if integer, ok := element.(*ir.IntegerType); ok && integer.Width == 8 && have.Size() == 1 && !have.IsFloat() {
			if integer.Signedness == ir.Unsigned {
				return t.Reinterpret(weight.Uint8)
			}
			return t.Reinterpret(weight.Int8)
		}
		if have.IsFloat() {
			return t, mismatch(t, "holds %v, not integers", have)
		}
		return t, nil
	case have == weight.Uint16 && want != weight.Float32:
		return t.Reinterpret(want)
	case have.IsFloat():
		return t.Convert(want)
	}
	return t, mismatch(t, "holds %v, not %v", have, kind)
}

// mismatch is the error of a stored tensor that is not what the IR says.
func mismatch(t weight.Tensor, format string, args ...any) error {
	return &weight.Error{File: t.File(), Tensor: t.Name(), Err: fmt.Errorf(format, args...)}
}
