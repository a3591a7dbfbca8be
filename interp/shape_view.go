package interp

// This file holds the ops whose result is a view of their operand, copied: permutations, slices, tiles.

import (
	"errors"
	"fmt"
	"slices"

	"tpuir/dialect/top"
	"tpuir/ir"
)

type permute interface {
	unary
	Order() []int64
}

func buildPermute[T permute](b *builder, op T) (kernel, error) {
	order := op.Order()
	return b.buildPermutation(op.Input(), op.Output(), func(int) ([]int64, error) { return order, nil })
}

func buildTranspose(b *builder, op top.TransposeOp) (kernel, error) {
	first, second := op.Dim0(), op.Dim1()
	return b.buildPermutation(op.Input(), op.Output(), func(rank int) ([]int64, error) {
		i, err := axisOf(first, rank)
		if err != nil {
			return nil, err
		}
		j, err := axisOf(second, rank)
		if err != nil {
			return nil, err
		}
		order := make([]int64, rank)
		for d := range order {
			order[d] = int64(d)
		}
		order[i], order[j] = order[j], order[i]
		return order, nil
	})
}

// buildPermutation is the kernel that reorders dimensions.
func (b *builder) buildPermutation(input, output *ir.Value, order func(rank int) ([]int64, error)) (kernel, error) {
	return b.buildView(input, output, func(shape []int64) (*view, error) {
		list, err := order(len(shape))
		if err != nil {
			return nil, err
		}
		v := &view{}
		strides := stridesOf(shape)
		seen := make([]bool, len(shape))
		for _, axis := range list {
			if len(list) != len(shape) || axis < 0 || int(axis) >= len(shape) || seen[axis] {
				return nil, fmt.Errorf("has order %v for shape %v", list, shape)
			}
			seen[axis] = true
			v.shape = append(v.shape, shape[axis])
			v.strides = append(v.strides, strides[axis])
		}
		return v, nil
	})
}

// view says which elements of an operand make a result: position p is element start + Σ p·strides.
type view struct {
	shape   []int64
	strides []int
	start   int
}

func stridesOf(shape []int64) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= int(shape[i])
	}
	return strides
}

// buildView is the kernel of an op whose result is a view of its operand, copied.
func (b *builder) buildView(input, output *ir.Value, find func(shape []int64) (*view, error)) (kernel, error) {
	in, out, err := b.inOut(input, output)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		src := f.values[in]
		v, err := find(src.Shape)
		if err != nil {
			return err
		}
		dst, err := f.alloc(out, v.shape...)
		if err != nil {
			return err
		}
		if dst.Kind != src.Kind && (dst.Kind == Integer || src.Kind == Integer) {
			return fmt.Errorf("changes %v to %v", src.Kind, dst.Kind)
		}
		if dst.Len() == 0 {
			return nil
		}
		if dst.Kind == Integer {
			copyView(dst.Integers, src.Integers, v)
			return nil
		}
		copyView(dst.Floats, src.Floats, v)
		if dst.Kind != src.Kind {
			dst.round()
		}
		return nil
	}, nil
}

// copyView writes the elements of a view, of which there are some, to dst.
func copyView[E any](dst, src []E, v *view) {
	rank := len(v.shape)
	if rank == 0 {
		dst[0] = src[v.start]
		return
	}
	inner, step := int(v.shape[rank-1]), v.strides[rank-1]
	position := make([]int, rank-1)
	at := v.start
	for {
		if step == 1 {
			copy(dst[:inner], src[at:at+inner])
		} else {
			for i := range inner {
				dst[i] = src[at+i*step]
			}
		}
		dst = dst[inner:]
		d := rank - 2
		for ; d >= 0; d-- {
			position[d]++
			at += v.strides[d]
			if position[d] < int(v.shape[d]) {
				break
			}
			at -= v.strides[d] * int(v.shape[d])
			position[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

type sliceOp interface {
	unary
	OffsetT() *ir.Value
	EndsT() *ir.Value
	StepsT() *ir.Value
	Offset() []int64
	Steps() []int64
	Ends() []int64
	Axes() []int64
	HasparamConvertAxes() []int64
}

// buildSlice takes elements from offset up to ends in steps, by numpy's rules for negative positions and for positions
// beyond the ends.
func buildSlice[T sliceOp](b *builder, op T) (kernel, error) {
	for _, v := range []*ir.Value{op.OffsetT(), op.EndsT(), op.StepsT()} {
		if kind, _ := KindOf(v.Type()); kind != None {
			return nil, errors.New("has positions that are not constant, which the evaluator lacks")
		}
	}
	offsets, steps, ends := op.Offset(), op.Steps(), op.Ends()
	if len(steps) != len(offsets) || len(ends) != len(offsets) {
		return nil, fmt.Errorf("has %d offsets, %d steps and %d ends", len(offsets), len(steps), len(ends))
	}
	return b.buildView(op.Input(), op.Output(), func(shape []int64) (*view, error) {
		if len(offsets) > len(shape) {
			return nil, fmt.Errorf("has %d offsets for shape %v", len(offsets), shape)
		}
		v := &view{shape: slices.Clone(shape), strides: stridesOf(shape)}
		for i := range offsets {
			if steps[i] == 0 {
				return nil, errors.New("has a step of 0")
			}
			first, count := sliceRange(offsets[i], ends[i], steps[i], shape[i])
			v.start += int(first) * v.strides[i]
			v.shape[i] = count
			v.strides[i] *= int(steps[i])
		}
		return v, nil
	})
}

// sliceRange returns the first position and the number of positions of offset:end:step in a dimension.
func sliceRange(offset, end, step, size int64) (first, count int64) {
	place := func(at, least, most int64) int64 {
		if at < 0 {
			at += size
		}
		return min(max(at, least), most)
	}
	if step > 0 {
		offset, end = place(offset, 0, size), place(end, 0, size)
		return offset, max((end-offset+step-1)/step, 0)
	}
	offset = place(offset, -1, size-1)
	if end < -size { // numpy's way to say: the first element included
		end = -1
	} else {
		end = place(end, -1, size-1)
	}
	return max(offset, 0), max((offset-end-step-1)/-step, 0)
}

type tile interface {
	unary
	Tile() []int64
	TileT() *ir.Value
}

func buildTile[T tile](b *builder, op T) (kernel, error) {
	counts := op.Tile()
	if len(counts) == 0 {
		return nil, errors.New("has counts that are not constant, which the evaluator lacks")
	}
	in, out, err := b.inOut(op.Input(), op.Output())
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		src := f.values[in]
		if len(counts) != len(src.Shape) {
			return fmt.Errorf("has counts %v for shape %v", counts, src.Shape)
		}
		// Each dimension is seen as two: the repetition and the position in the operand.
		v := &view{}
		shape := make([]int64, len(counts))
		for i, stride := range stridesOf(src.Shape) {
			if counts[i] < 0 || counts[i] > maxElements {
				return fmt.Errorf("has counts %v", counts)
			}
			v.shape = append(v.shape, counts[i], src.Shape[i])
			v.strides = append(v.strides, 0, stride)
			shape[i] = counts[i] * src.Shape[i]
		}
		dst, err := f.alloc(out, shape...)
		if err != nil || dst.Len() == 0 {
			return err
		}
		if dst.Kind == Integer {
			copyView(dst.Integers, src.Integers, v)
			return nil
		}
		copyView(dst.Floats, src.AsFloats(), v)
		dst.round()
		return nil
	}, nil
}

func buildExpand(b *builder, op top.ExpandOp) (kernel, error) {
	pattern := op.Shape()
	if len(pattern) == 0 {
		pattern = dimensions(op.Output())
	}
	return b.buildView(op.Input(), op.Output(), func(shape []int64) (*view, error) {
		want := slices.Clone(pattern)
		for i := range want {
			at := i - len(want) + len(shape)
			if want[i] < 0 && at >= 0 {
				want[i] = shape[at]
			}
		}
		if _, err := countElements(want); err != nil {
			return nil, err
		}
		out, err := broadcastShapes(want, shape)
		if err != nil {
			return nil, err
		}
		v := &view{shape: out, strides: make([]int, len(out))}
		strides := stridesOf(shape)
		for i := range out {
			if at := i - len(out) + len(shape); at >= 0 && shape[at] != 1 {
				v.strides[i] = strides[at]
			}
		}
		return v, nil
	})
}
