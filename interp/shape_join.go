package interp

// This file holds the ops that join and cut along an axis.

import (
	"errors"
	"fmt"
	"slices"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

type concat interface {
	nary
	relu
	Axis() int64
}

func buildConcat[T concat](b *builder, op T) (kernel, error) {
	if b.leaveOut(op.Output(), op.Inputs()) {
		return nothing, nil
	}
	return b.join(op.Inputs(), op.Output(), op.Axis(), limit(op))
}

// nothing is the kernel of an op whose result nobody reads as such.
func nothing(*frame) error { return nil }

// leaveOut reports whether a concatenation need not be carried out, because it joins keys or values along their positions
// for attention alone, which takes the parts. Keys and values are left out together or not at all.
func (b *builder) leaveOut(output *ir.Value, inputs []*ir.Value) bool {
	if b.options.Observable || !onlyAttended(output, len(inputs)) {
		return false
	}
	for user := range output.Users() {
		if !onlyAttended(user.Operand(1), len(inputs)) || !onlyAttended(user.Operand(2), len(inputs)) {
			return false
		}
	}
	parts, err := b.ins(inputs...)
	if err != nil || slices.Contains(parts, noSlot) {
		return false
	}
	b.joined[output] = parts
	return true
}

// onlyAttended reports whether a value is a concatenation of so many parts along positions, all of the result's kind,
// that only attention uses, as keys or values.
func onlyAttended(v *ir.Value, parts int) bool {
	inputs := joinedPositions(v)
	if len(inputs) != parts || len(dimensions(v)) != 4 || !v.HasUses() {
		return false
	}
	kind, _ := KindOf(v.Type())
	for _, input := range inputs {
		if k, _ := KindOf(input.Type()); k != kind || !kind.IsFloat() {
			return false
		}
	}
	for use := range v.Uses() {
		_, isTop := top.AsFAttention(use.Owner())
		_, isTpu := tpu.AsFAttention(use.Owner())
		if !isTop && !isTpu || use.Index() != 1 && use.Index() != 2 {
			return false
		}
	}
	return true
}

// joinedPositions returns the operands of the concatenation along positions that made a value, nil where nothing of the
// kind did.
func joinedPositions(v *ir.Value) []*ir.Value {
	if op, ok := top.AsConcat(v.DefiningOp()); ok && op.Axis() == 1 && !op.DoRelu() {
		return op.Inputs()
	}
	if op, ok := tpu.AsConcat(v.DefiningOp()); ok && op.Axis() == 1 && !op.DoRelu() {
		return op.Inputs()
	}
	return nil
}

func buildCoreJoin(b *builder, op tpu.CoreJoinOp) (kernel, error) {
	return b.join(op.Inputs(), op.Output(), op.Axis(), func([]float32) {})
}

// join is the kernel that puts values one behind the other along an axis.
func (b *builder) join(inputs []*ir.Value, output *ir.Value, axisAttribute int64, after func([]float32)) (kernel, error) {
	slots, err := b.ins(inputs...)
	if err != nil {
		return nil, err
	}
	if slices.Contains(slots, noSlot) || len(slots) == 0 {
		return nil, errors.New("lacks an operand")
	}
	out, _, err := b.out(output)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		shape := slices.Clone(f.values[slots[0]].Shape)
		axis, err := axisOf(axisAttribute, len(shape))
		if err != nil {
			return err
		}
		shape[axis] = 0
		for _, s := range slots {
			part := f.values[s].Shape
			if len(part) != len(shape) || !same(part[:axis], shape[:axis]) || !same(part[axis+1:], shape[axis+1:]) {
				return fmt.Errorf("joins shapes %v and %v along axis %d", f.values[slots[0]].Shape, part, axis)
			}
			shape[axis] += part[axis]
		}
		dst, err := f.alloc(out, shape...)
		if err != nil {
			return err
		}
		rows, width, at := product(shape[:axis]), product(shape[axis:]), 0
		for _, s := range slots {
			src := f.values[s]
			n := product(src.Shape[axis:])
			if dst.Kind == Integer && src.Kind == Integer {
				copyRows(dst.Integers[min(at, len(dst.Integers)):], src.Integers, rows, n, width)
			} else if dst.Kind == Integer {
				return fmt.Errorf("joins %v to %v", src.Kind, dst.Kind)
			} else {
				copyRows(dst.Floats[min(at, len(dst.Floats)):], src.AsFloats(), rows, n, width)
			}
			at += n
		}
		after(dst.Floats)
		for _, s := range slots {
			if f.values[s].Kind != dst.Kind {
				dst.round()
				break
			}
		}
		return nil
	}, nil
}

// copyRows copies rows of n elements to rows that begin width elements apart.
func copyRows[E any](dst, src []E, rows, n, width int) {
	for i := range rows {
		copy(dst[min(i*width, len(dst)):], src[i*n:(i+1)*n])
	}
}

func buildCoreSplit(b *builder, op tpu.CoreSplitOp) (kernel, error) {
	return b.split(op.Input(), op.Outputs(), op.Axis(), nil)
}

func buildSplit(b *builder, op top.SplitOp) (kernel, error) {
	return b.split(op.Input(), op.Outputs(), op.Axis(), op.SplitSize())
}

// split is the kernel that cuts a value along an axis: into parts of the given sizes, or of the sizes that the results'
// types say, or of equal size.
func (b *builder) split(input *ir.Value, outputs []*ir.Value, axisAttribute int64, given []int64) (kernel, error) {
	in, err := b.required(input)
	if err != nil {
		return nil, err
	}
	outs, err := b.outs(outputs)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		src := f.values[in]
		axis, err := axisOf(axisAttribute, len(src.Shape))
		if err != nil {
			return err
		}
		sizes, err := splitSizes(given, outputs, axis, src.Shape[axis])
		if err != nil {
			return err
		}
		v := &view{strides: stridesOf(src.Shape)}
		for i, s := range outs {
			v.shape = slices.Clone(src.Shape)
			v.shape[axis] = sizes[i]
			dst, err := f.alloc(s, v.shape...)
			if err != nil {
				return err
			}
			if dst.Kind != src.Kind {
				return fmt.Errorf("changes %v to %v", src.Kind, dst.Kind)
			}
			if dst.Len() > 0 && dst.Kind == Integer {
				copyView(dst.Integers, src.Integers, v)
			} else if dst.Len() > 0 {
				copyView(dst.Floats, src.Floats, v)
			}
			v.start += int(sizes[i]) * v.strides[axis]
		}
		return nil
	}, nil
}

func splitSizes(given []int64, outputs []*ir.Value, axis int, size int64) ([]int64, error) {
	if len(given) != len(outputs) {
		given = make([]int64, len(outputs))
		for i, v := range outputs {
			shape := dimensions(v)
			if axis >= len(shape) || shape[axis] < 0 {
				given[i] = size / int64(len(outputs))
				continue
			}
			given[i] = shape[axis]
		}
	}
	sum := int64(0)
	for _, n := range given {
		if n < 0 {
			return nil, fmt.Errorf("has a part of size %d", n)
		}
		sum += n
	}
	if sum != size {
		return nil, fmt.Errorf("cuts a dimension of %d into parts of %v", size, given)
	}
	return given, nil
}
