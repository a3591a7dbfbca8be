package interp

// This file turns stored tensors, of an npz for example, into values and back.

import (
	"context"

	"tpuir/weight"
)

// ReadTensor reads a stored tensor as a value: floating-point elements as F32, whatever their size, integers as Integer.
func ReadTensor(ctx context.Context, t weight.Tensor) (*Tensor, error) {
	if _, err := countElements(t.Shape()); err != nil {
		return nil, err
	}
	value := &Tensor{Kind: F32, Shape: t.Shape()}
	var err error
	if t.DType().IsFloat() {
		value.Floats, err = t.Float32s(ctx)
	} else {
		value.Kind = Integer
		value.Integers, err = readIntegers(ctx, t)
	}
	return value, err
}

// Store returns the value as a tensor to be stored: in float32 whatever its kind, as TPU-MLIR's tools store values.
func (t *Tensor) Store(name string) (weight.Tensor, error) {
	return weight.FromFloat32s(name, t.Shape, t.AsFloats())
}
