package interp

// This file holds the ops that give the same elements in the same order another shape. Those that move elements are in
// shape_view.go and shape_join.go.

import (
	"fmt"
	"slices"

	"tpuir/dialect/top"
	"tpuir/ir"
)

// buildAlias is the kernel of an op whose result has the operand's memory, under the shape that the function finds.
func (b *builder) buildAlias(input, output *ir.Value, shape func(f *frame, given []int64) ([]int64, error)) (kernel, error) {
	in, err := b.required(input)
	if err != nil {
		return nil, err
	}
	out, err := b.alias(output, in)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		src, dst := f.values[in], f.values[out]
		found, err := shape(f, src.Shape)
		if err != nil {
			return err
		}
		if n, err := countElements(found); err != nil || n != src.Len() {
			return fmt.Errorf("cannot give shape %v to a value of shape %v", found, src.Shape)
		}
		dst.Shape = append(dst.Shape[:0], found...)
		dst.Floats, dst.Integers = src.Floats, src.Integers
		return nil
	}, nil
}

type reshape interface {
	unary
	Shape() []int64
	FlattenStartDim() int64
}

func buildReshape[T reshape](b *builder, op T) (kernel, error) {
	declared := dimensions(op.Output())
	given := dimensions(op.Input())
	pattern := op.Shape()
	return b.buildAlias(op.Input(), op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
		switch {
		case slices.Equal(shape, given) && declared != nil && !slices.Contains(declared, ir.Dynamic):
			return declared, nil
		case len(pattern) > 0:
			return fillShape(pattern, shape)
		}
		return followShape(declared, given, shape)
	})
}

// dimensions returns the shape of a value's type, nil where the rank is not known.
func dimensions(v *ir.Value) []int64 {
	if t, ok := v.Type().(*ir.RankedTensorType); ok {
		return t.Shape
	}
	return nil
}

// fillShape replaces 0 by the size that stands there in the operand, and one -1 by what is left.
func fillShape(pattern, shape []int64) ([]int64, error) {
	filled := slices.Clone(pattern)
	open, known := -1, 1
	for i, size := range filled {
		switch {
		case size == 0 && i < len(shape):
			filled[i] = shape[i]
		case size < 0 && open < 0:
			open = i
			continue
		case size < 0:
			return nil, fmt.Errorf("has shape %v with more than one open size", pattern)
		}
		known *= int(filled[i])
	}
	if open >= 0 {
		if known == 0 || product(shape)%known != 0 {
			return nil, fmt.Errorf("cannot give shape %v to a value of shape %v", pattern, shape)
		}
		filled[open] = int64(product(shape) / known)
	}
	return filled, nil
}

// followShape finds the result of a reshape whose operand is shorter than its type says, or has `?`: the result's
// dimension that stands for the same elements as the operand's changes with it. With one open dimension the sizes of the
// others decide.
func followShape(declared, given, shape []int64) ([]int64, error) {
	found := slices.Clone(declared)
	i, j := 0, 0
	for i < len(shape) && j < len(found) {
		switch {
		case i < len(given) && given[i] == found[j]:
			found[j] = shape[i]
			i, j = i+1, j+1
			continue
		case found[j] == 1:
			j++
			continue
		case i < len(given) && given[i] == 1 && shape[i] == 1:
			i++
			continue
		}
		break
	}
	open := -1
	known := 1
	for d, size := range found {
		if size == ir.Dynamic {
			if open >= 0 {
				return nil, fmt.Errorf("cannot tell what shape %v becomes for a value of shape %v", declared, shape)
			}
			open = d
			continue
		}
		known *= int(size)
	}
	if open >= 0 {
		if known == 0 || product(shape)%known != 0 {
			return nil, fmt.Errorf("cannot give shape %v to a value of shape %v", declared, shape)
		}
		found[open] = int64(product(shape) / known)
	}
	return found, nil
}

type axes interface {
	unary
	Axes() []int64
}

func buildSqueeze[T axes](b *builder, op T) (kernel, error) {
	list := op.Axes()
	return b.buildAlias(op.Input(), op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
		drop, err := axisSet(list, len(shape))
		if err != nil {
			return nil, err
		}
		var out []int64
		for i, size := range shape {
			if drop[i] || len(list) == 0 && size == 1 {
				continue
			}
			out = append(out, size)
		}
		if len(out) == 0 {
			out = []int64{1} // as TPU-MLIR has scalars
		}
		return out, nil
	})
}

func buildUnsqueeze[T axes](b *builder, op T) (kernel, error) {
	list := op.Axes()
	return b.buildAlias(op.Input(), op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
		rank := len(shape) + len(list)
		added, err := axisSet(list, rank)
		if err != nil {
			return nil, err
		}
		out := make([]int64, 0, rank)
		for _, isNew := range added {
			if isNew || len(shape) == 0 {
				out = append(out, 1)
				continue
			}
			out, shape = append(out, shape[0]), shape[1:]
		}
		return append(out, shape...), nil
	})
}

func buildFlatten(b *builder, op top.FlattenOp) (kernel, error) {
	first, last := op.StartDim(), op.EndDim()
	return b.buildAlias(op.Input(), op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
		start, err := axisOf(first, len(shape))
		if err != nil {
			return nil, err
		}
		end, err := axisOf(last, len(shape))
		if err != nil || end < start {
			return nil, fmt.Errorf("joins dimensions %d to %d of shape %v", first, last, shape)
		}
		out := append(slices.Clone(shape[:start]), int64(product(shape[start:end+1])))
		return append(out, shape[end+1:]...), nil
	})
}
