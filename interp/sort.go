package interp

// This file holds the ops that order elements along an axis: TopK, Sort and Arg. Equal elements keep their order, so the
// first of them is the one that is found; NaN comes behind all numbers.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tpuir/ir"
)

// ranking orders positions of a line.
type ranking struct {
	values  []float32
	largest bool
}

// before reports whether position i comes before j.
func (r ranking) compare(i, j int) int {
	a, b := r.values[i], r.values[j]
	switch {
	case a == b:
		return cmp.Compare(i, j)
	case a != a || b != b:
		if a != a && b != b {
			return cmp.Compare(i, j)
		}
		if a != a {
			return 1
		}
		return -1
	case (a > b) == r.largest:
		return -1
	}
	return 1
}

// first returns the first k positions in order. A heap of k positions is enough to see every element once.
func (r ranking) first(k int) []int {
	heap := make([]int, 0, k)
	down := func(i int) {
		for {
			child := 2*i + 1
			if child >= len(heap) {
				return
			}
			if child+1 < len(heap) && r.compare(heap[child+1], heap[child]) > 0 {
				child++
			}
			if r.compare(heap[child], heap[i]) <= 0 {
				return
			}
			heap[i], heap[child] = heap[child], heap[i]
			i = child
		}
	}
	for i := range r.values {
		switch {
		case len(heap) < k:
			heap = append(heap, i)
			if len(heap) == k {
				for j := k/2 - 1; j >= 0; j-- {
					down(j)
				}
			}
		case k > 0 && r.compare(i, heap[0]) < 0:
			heap[0] = i
			down(0)
		}
	}
	slices.SortFunc(heap, r.compare)
	return heap
}

type topK interface {
	Input() *ir.Value
	KT() *ir.Value
	Values() *ir.Value
	Indices() *ir.Value
	Axis() int64
	K() int64
	Largest() bool
	ReplaceTopkIndices() bool
}

// buildTopK takes the first K in order. A K that is given as an operand may be smaller than the attribute; then the results
// are shorter than their types say, on the chip as here.
func buildTopK[T topK](b *builder, op T) (kernel, error) {
	if op.ReplaceTopkIndices() {
		return nil, errors.New("replaces indices, which the evaluator lacks")
	}
	count, err := b.in(op.KT())
	if err != nil {
		return nil, err
	}
	most := op.K()
	return b.order(op.Input(), op.Values(), op.Indices(), op.Axis(), op.Largest(), true, func(f *frame, size int64) (int64, error) {
		k := most
		if count != noSlot {
			given := f.values[count]
			if given.Len() != 1 {
				return 0, fmt.Errorf("has a K of shape %v", given.Shape)
			}
			if n := int64(given.At(0)); k < 0 || n < k {
				k = n
			}
		}
		if k < 0 || k > size {
			return 0, fmt.Errorf("takes %d of %d elements", k, size)
		}
		return k, nil
	})
}

type sortOp interface {
	Input() *ir.Value
	Values() *ir.Value
	Indices() *ir.Value
	Axis() int64
	Descending() bool
}

func buildSort[T sortOp](b *builder, op T) (kernel, error) {
	return b.order(op.Input(), op.Values(), op.Indices(), op.Axis(), op.Descending(), true,
		func(_ *frame, size int64) (int64, error) { return size, nil })
}

type arg interface {
	Input() *ir.Value
	Values() *ir.Value
	Indices() *ir.Value
	Axis() int64
	Keepdims() bool
	Mode() string
	SelectLastIndex() bool
}

// buildArg finds the extreme of each line. Of equal ones it is the first, as in TPU-MLIR's reference, whatever
// select_last_index says of the chip.
func buildArg[T arg](b *builder, op T) (kernel, error) {
	mode := op.Mode()
	if mode != "ArgMax" && mode != "ArgMin" {
		return nil, fmt.Errorf("has mode %q, which the evaluator lacks", mode)
	}
	return b.order(op.Input(), op.Values(), op.Indices(), op.Axis(), mode == "ArgMax", op.Keepdims(),
		func(_ *frame, size int64) (int64, error) {
			if size == 0 {
				return 0, errors.New("looks for an extreme of nothing")
			}
			return 1, nil
		})
}

// order is the kernel that puts the first elements of each line, and their positions, in order. count says how many;
// keep is false where they are one and the axis is dropped.
func (b *builder) order(input, values, indices *ir.Value, axisAttribute int64, largest, keep bool,
	count func(f *frame, size int64) (int64, error)) (kernel, error) {
	in, err := b.required(input)
	if err != nil {
		return nil, err
	}
	outs, err := b.outs([]*ir.Value{values, indices})
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		x := f.values[in]
		axis, err := axisOf(axisAttribute, len(x.Shape))
		if err != nil {
			return err
		}
		k, err := count(f, x.Shape[axis])
		if err != nil {
			return err
		}
		shape := slices.Clone(x.Shape)
		shape[axis] = k
		if !keep {
			if shape = slices.Delete(shape, axis, axis+1); len(shape) == 0 {
				shape = []int64{1}
			}
		}
		var tensors [2]*Tensor
		var results [2][]float32
		for i, s := range outs {
			if s == noSlot {
				continue
			}
			if tensors[i], results[i], err = f.result(s, shape...); err != nil {
				return err
			}
		}
		orderLines(results, x.AsFloats(), x.Shape, axis, int(k), largest)
		for i, t := range tensors {
			if t != nil {
				f.finish(t, results[i])
			}
		}
		return nil
	}, nil
}

// orderLines fills values and positions, either of which may be nil.
func orderLines(results [2][]float32, x []float32, shape []int64, axis, k int, largest bool) {
	n, inner := int(shape[axis]), product(shape[axis+1:])
	line := make([]float32, n)
	for outer := range product(shape[:axis]) {
		for i := range inner {
			for j := range line {
				line[j] = x[(outer*n+j)*inner+i]
			}
			for rank, at := range (ranking{line, largest}).first(k) {
				to := (outer*k+rank)*inner + i
				if results[0] != nil {
					results[0][to] = line[at]
				}
				if results[1] != nil {
					results[1][to] = float32(at)
				}
			}
		}
	}
}
