package interp

// This file holds the ops that choose elements by indices, and that write elements at indices.

import (
	"errors"
	"fmt"
	"slices"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/weight"
)

// gatherInPlace is the number of elements from which on a constant table is not decoded whole: rows are read as they are
// asked for.
const gatherInPlace = 1 << 20

type gather interface {
	Input() *ir.Value
	Indices() *ir.Value
	Output() *ir.Value
	Axis() int64
}

func buildTopGather(b *builder, op top.GatherOp) (kernel, error) {
	return buildGather(b, op, op.IsScalar() && !op.Keepdims())
}

func buildTpuGather(b *builder, op tpu.GatherOp) (kernel, error) {
	isScalar, _ := op.Operation.BoolAttribute("is_scalar")
	keep, present := op.Operation.BoolAttribute("keepdims")
	return buildGather(b, op, isScalar && present && !keep)
}

// buildGather replaces the axis by the dimensions of the indices, or drops it where dropAxis is set. Negative indices
// count from the end.
func buildGather(b *builder, op gather, dropAxis bool) (kernel, error) {
	g := &gatherOp{table: noSlot, axis: op.Axis(), dropAxis: dropAxis}
	constant, ok, err := b.weightOf(op.Input())
	if err != nil {
		return nil, err
	}
	alongFirst := op.Axis() == 0 || ok && op.Axis() == -int64(len(constant.Shape()))
	if ok && alongFirst && constant.DType().IsFloat() && constant.Len() >= gatherInPlace {
		g.constant = &constant
	} else if g.table, err = b.required(op.Input()); err != nil {
		return nil, err
	}
	if g.indices, err = b.required(op.Indices()); err != nil {
		return nil, err
	}
	if g.out, _, err = b.out(op.Output()); err != nil {
		return nil, err
	}
	return g.run, nil
}

type gatherOp struct {
	table, indices, out slot
	constant            *weight.Tensor // a large table, read in place
	axis                int64
	dropAxis            bool
}

func (g *gatherOp) run(f *frame) error {
	var table *Tensor
	var tableShape []int64
	if g.constant != nil {
		tableShape = g.constant.Shape()
	} else {
		table = f.values[g.table]
		tableShape = table.Shape
	}
	axis, err := axisOf(g.axis, len(tableShape))
	if err != nil {
		return err
	}
	indices := f.values[g.indices]
	shape := slices.Clone(tableShape[:axis])
	if !g.dropAxis {
		shape = append(shape, indices.Shape...)
	}
	shape = append(shape, tableShape[axis+1:]...)
	dst, err := f.alloc(g.out, shape...)
	if err != nil {
		return err
	}
	n := indices.Len()
	if g.dropAxis && n != 1 {
		return fmt.Errorf("drops an axis for %d indices", n)
	}
	outer, size, inner := product(tableShape[:axis]), tableShape[axis], product(tableShape[axis+1:])
	for i := range n {
		at, err := indexAt(indices, i, size)
		if err != nil {
			return err
		}
		for o := range outer {
			to := (o*n + i) * inner
			from := (o*int(size) + at) * inner
			switch {
			case g.constant != nil:
				if err := g.constant.ReadFloat32s(dst.Floats[to:to+inner], int64(from)); err != nil {
					return unread(err)
				}
			case dst.Kind == Integer && table.Kind == Integer:
				copy(dst.Integers[to:to+inner], table.Integers[from:from+inner])
			case dst.Kind.IsFloat() && table.Kind.IsFloat():
				copy(dst.Floats[to:to+inner], table.Floats[from:from+inner])
			default:
				return fmt.Errorf("changes %v to %v", table.Kind, dst.Kind)
			}
		}
	}
	if table == nil || table.Kind != dst.Kind {
		dst.round()
	}
	return nil
}

// indexAt returns index i of an operand, which must lie in a dimension of that size.
func indexAt(indices *Tensor, i int, size int64) (int, error) {
	var at int64
	if indices.Kind == Integer {
		at = indices.Integers[i]
	} else {
		at = truncate(indices.Floats[i])
	}
	if at < 0 {
		at += size
	}
	if at < 0 || at >= size {
		return 0, fmt.Errorf("has index %v, which a dimension of %d lacks", indices.At(i), size)
	}
	return int(at), nil
}

type gatherElements interface {
	Input() *ir.Value
	Indices() *ir.Value
	Output() *ir.Value
	Axis() int64
}

func buildGatherElements[T gatherElements](b *builder, op T) (kernel, error) {
	slots, err := b.ins(op.Input(), op.Indices())
	if err != nil {
		return nil, err
	}
	if slices.Contains(slots, noSlot) {
		return nil, errors.New("lacks an operand")
	}
	out, _, err := b.out(op.Output())
	if err != nil {
		return nil, err
	}
	axisAttribute := op.Axis()
	return func(f *frame) error {
		x, indices := f.values[slots[0]], f.values[slots[1]]
		t, values, err := f.result(out, indices.Shape...)
		if err != nil {
			return err
		}
		source := x.AsFloats()
		err = eachElement(x.Shape, indices, axisAttribute, func(i, at int) { values[i] = source[at] })
		f.finish(t, values)
		return err
	}, nil
}

// eachElement calls body for every element of the indices with the element of a value of the given shape that it means:
// the one at the same position, but for the axis, where it is the index.
func eachElement(shape []int64, indices *Tensor, axisAttribute int64, body func(i, at int)) error {
	axis, err := axisOf(axisAttribute, len(shape))
	if err != nil {
		return err
	}
	if len(indices.Shape) != len(shape) {
		return fmt.Errorf("has indices of shape %v for %v", indices.Shape, shape)
	}
	for d, size := range indices.Shape {
		if d != axis && size > shape[d] {
			return fmt.Errorf("has indices of shape %v for %v", indices.Shape, shape)
		}
	}
	strides := stridesOf(shape)
	position := make([]int, len(shape))
	for i := range indices.Len() {
		at, err := indexAt(indices, i, shape[axis])
		if err != nil {
			return err
		}
		offset := at * strides[axis]
		for d, p := range position {
			if d != axis {
				offset += p * strides[d]
			}
		}
		body(i, offset)
		for d := len(position) - 1; d >= 0; d-- {
			if position[d]++; position[d] < int(indices.Shape[d]) {
				break
			}
			position[d] = 0
		}
	}
	return nil
}

// scatterings are the reductions of the scatter ops, by number: how an update meets what is there.
var scatterings = []func(old, update float32) float32{
	func(_, update float32) float32 { return update },
	func(old, update float32) float32 { return old + update },
	func(old, update float32) float32 { return old - update },
	func(old, update float32) float32 { return max(old, update) },
	func(old, update float32) float32 { return min(old, update) },
	func(old, update float32) float32 { return old * update },
}

func scattering(reduction int64) (func(old, update float32) float32, error) {
	if reduction < 0 || reduction >= int64(len(scatterings)) {
		return nil, fmt.Errorf("has reduction %d, which the evaluator lacks", reduction)
	}
	return scatterings[reduction], nil
}

type scatterElements interface {
	Input() *ir.Value
	Indices() *ir.Value
	Updates() *ir.Value
	Output() *ir.Value
	Axis() int64
	Reduction() int64
}

func buildScatterElements[T scatterElements](b *builder, op T) (kernel, error) {
	axisAttribute := op.Axis()
	return b.scatter(op.Input(), op.Indices(), op.Updates(), op.Output(), op.Reduction(),
		func(shape []int64, indices, updates *Tensor, write func(at int, update float32)) error {
			if !same(indices.Shape, updates.Shape) {
				return fmt.Errorf("has updates of shape %v for indices of shape %v", updates.Shape, indices.Shape)
			}
			values := updates.AsFloats()
			return eachElement(shape, indices, axisAttribute, func(i, at int) { write(at, values[i]) })
		})
}

type scatterND interface {
	InputData() *ir.Value
	Indices() *ir.Value
	Updates() *ir.Value
	Output() *ir.Value
	Reduction() int64
}

func buildScatterND[T scatterND](b *builder, op T) (kernel, error) {
	declared := dimensions(op.InputData())
	return b.scatter(op.InputData(), op.Indices(), op.Updates(), op.Output(), op.Reduction(),
		func(shape []int64, indices, updates *Tensor, write func(at int, update float32)) error {
			return scatterVectors(declared, shape, indices, updates, write)
		})
}

// scatterVectors writes slices at index vectors, which lie along the last dimension of the indices. Where a value is
// shorter than declared (behind a TopK whose K was given), indices of what it lacks are passed over: a sample head keeps
// its first five candidates, also where there are but three.
func scatterVectors(declared, shape []int64, indices, updates *Tensor, write func(at int, update float32)) error {
	rank := len(indices.Shape)
	if rank == 0 || int(indices.Shape[rank-1]) > len(shape) {
		return fmt.Errorf("has indices of shape %v for %v", indices.Shape, shape)
	}
	depth := int(indices.Shape[rank-1])
	want := append(slices.Clone(indices.Shape[:rank-1]), shape[depth:]...)
	if !same(want, updates.Shape) {
		return fmt.Errorf("has updates of shape %v, not %v", updates.Shape, want)
	}
	strides := stridesOf(shape)
	size := product(shape[depth:])
	values := updates.AsFloats()
	for i := range product(indices.Shape[:rank-1]) {
		start, lacking := 0, false
		for d := range depth {
			if len(declared) == len(shape) && shape[d] < declared[d] {
				if at := indices.At(i*depth + d); at >= float64(shape[d]) && at < float64(declared[d]) {
					lacking = true
					break
				}
			}
			at, err := indexAt(indices, i*depth+d, shape[d])
			if err != nil {
				return err
			}
			start += at * strides[d]
		}
		if lacking {
			continue
		}
		for j, v := range values[i*size : (i+1)*size] {
			write(start+j, v)
		}
	}
	return nil
}

// scatter is the kernel that copies its first operand and changes elements of the copy.
func (b *builder) scatter(input, indices, updates, output *ir.Value, reduction int64,
	walk func(shape []int64, indices, updates *Tensor, write func(at int, update float32)) error) (kernel, error) {
	combine, err := scattering(reduction)
	if err != nil {
		return nil, err
	}
	slots, err := b.ins(input, indices, updates)
	if err != nil {
		return nil, err
	}
	if slices.Contains(slots, noSlot) {
		return nil, errors.New("lacks an operand")
	}
	out, _, err := b.out(output)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		x := f.values[slots[0]]
		t, values, err := f.result(out, x.Shape...)
		if err != nil {
			return err
		}
		copy(values, x.AsFloats())
		err = walk(x.Shape, f.values[slots[1]], f.values[slots[2]], func(at int, update float32) {
			values[at] = combine(values[at], update)
		})
		f.finish(t, values)
		return err
	}, nil
}
