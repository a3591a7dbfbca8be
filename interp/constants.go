package interp

// This file reads the weights that a function names while it is compiled.

import (
	"context"
	"errors"
	"fmt"

	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/weight"
)

// weightOf returns the constant behind an operand, and false where it is no weight.
func (b *builder) weightOf(v *ir.Value) (weight.Tensor, bool, error) {
	op, ok := b.weights[v]
	if !ok {
		return weight.Tensor{}, false, nil
	}
	t, err := b.weight(op)
	if err != nil {
		return t, true, located(op.Operation, err)
	}
	return t, true, nil
}

func (b *builder) weight(op top.WeightOp) (weight.Tensor, error) {
	t, ok := op.Output().Type().(*ir.RankedTensorType)
	if !ok || !ir.HasStaticShape(t) {
		return weight.Tensor{}, fmt.Errorf("has type %v, which no weight can have", op.Output().Type())
	}
	if b.program.cache.weights == nil {
		return weight.Tensor{}, errors.New("the net needs weights, and none were given")
	}
	return b.program.cache.Tensor(ir.ValueName(op.Output()), t)
}

// unread is the error of a weight that is there but can't be read.
func unread(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("failed to read its weight: %w", err)
}

// decode reads a whole weight as a tensor.
func (b *builder) decode(op top.WeightOp) (*Tensor, error) {
	t, err := b.weight(op)
	if err != nil {
		return nil, err
	}
	kind, _ := KindOf(op.Output().Type())
	if _, err := countElements(t.Shape()); err != nil {
		return nil, err
	}
	value := &Tensor{Kind: kind, Shape: t.Shape()}
	if kind == Integer {
		value.Integers, err = readIntegers(b.ctx, t)
	} else {
		value.Floats, err = t.Float32s(b.ctx)
	}
	return value, unread(err)
}

// readIntegers returns the elements of a weight of any integer type.
func readIntegers(ctx context.Context, t weight.Tensor) ([]int64, error) {
	raw, err := t.Bytes(ctx)
	if err != nil {
		return nil, err
	}
	size := int(t.DType().Size())
	signed := map[weight.DType]bool{weight.Int8: true, weight.Int16: true, weight.Int32: true, weight.Int64: true}[t.DType()]
	values := make([]int64, len(raw)/size)
	for i := range values {
		var v uint64
		for j := range size {
			v |= uint64(raw[i*size+j]) << (8 * j)
		}
		values[i] = int64(v)
		if shift := 64 - 8*size; signed {
			values[i] = int64(v<<shift) >> shift
		}
	}
	return values, nil
}
