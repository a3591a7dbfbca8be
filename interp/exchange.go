package interp

// This file turns stored tensors, of an npz for example, into values and back.

import (
	"context"
	"fmt"
	"strings"

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

// ReadInputs reads the program's inputs from a store, which has them under their names.
func (p *Program) ReadInputs(ctx context.Context, store weight.Store) ([]*Tensor, error) {
	var inputs []*Tensor
	for _, port := range p.Inputs() {
		stored, ok := store.Lookup(port.Name)
		if !ok {
			return nil, &weight.Error{File: store.File(), Tensor: port.Name,
				Err: fmt.Errorf("the net takes an input of this name and type %v; the file has %s", port.Type, some(store.Names()))}
		}
		value, err := ReadTensor(ctx, stored)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, value)
	}
	return inputs, nil
}

// some lists names for an error, the first ones where there are many.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Store returns the value as a tensor to be stored: in float32 whatever its kind, as TPU-MLIR's tools store values.
func (t *Tensor) Store(name string) (weight.Tensor, error) {
	return weight.FromFloat32s(name, t.Shape, t.AsFloats())
}
