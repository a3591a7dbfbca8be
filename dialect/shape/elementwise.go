// Rules of elementwise ops: one shape throughout, or broadcasting.

package shape

import (
	"tpuir/dialect/definition"
	"tpuir/ir"
)

// Unary checks an op that maps each element of its first operand to one of its first result.
func Unary(op *ir.Operation) error {
	return First(SameShape(op, op.Operand(0), op.Result(0)), SameElement(op, op.Operand(0), op.Result(0)), Scalar(op))
}

// Converted is Unary for an op that may change the element type.
func Converted(op *ir.Operation) error {
	return First(SameShape(op, op.Operand(0), op.Result(0)), Scalar(op))
}

// Broadcast gives the shape that several shapes broadcast to, aligned at the last dimension. ok is false where two
// dimensions neither agree nor are 1.
func Broadcast(shapes ...[]int64) (out []int64, ok bool) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out = make([]int64, rank)
	for i := range out {
		out[i] = 1
	}
	for _, s := range shapes {
		for i, d := range s {
			at := &out[rank-len(s)+i]
			switch {
			case *at == 1:
				*at = d
			case d == 1 || d == *at:
			case *at == ir.Dynamic:
				*at = d // an unknown dimension can only be 1 or d here
			case d != ir.Dynamic:
				return nil, false
			}
		}
	}
	return out, true
}

// Elementwise checks an op whose result is the broadcast of all its operands, of one element type.
func Elementwise(op *ir.Operation) error {
	if err := Broadcasts(op); err != nil {
		return err
	}
	for _, input := range op.Operands() {
		if err := SameElement(op, input, op.Result(0)); err != nil {
			return err
		}
	}
	return nil
}

// Broadcasts checks an op whose result is the broadcast of all its operands.
func Broadcasts(op *ir.Operation) error { return BroadcastTo(op, op.Operands(), op.Result(0)) }

// BroadcastTo checks that the inputs broadcast to the shape of the output. Inputs without rank make the result unknown.
func BroadcastTo(op *ir.Operation, inputs []*ir.Value, output *ir.Value) error {
	if len(inputs) == 0 {
		return op.Errorf("expected at least one input")
	}
	var shapes [][]int64
	for _, input := range inputs {
		if _, none := input.Type().(*ir.NoneType); none {
			continue
		}
		dims, ok := Of(input)
		if !ok {
			return nil
		}
		shapes = append(shapes, dims)
	}
	want, ok := Broadcast(shapes...)
	if !ok {
		return op.Errorf("inputs of shapes %s do not broadcast", list(shapes))
	}
	return First(Expect(op, output, "output", want), Scalar(op))
}

func list(shapes [][]int64) string {
	text := ""
	for i, s := range shapes {
		if i > 0 {
			text += ", "
		}
		text += Text(s)
	}
	return text
}

// Where checks a choice between two tensors, each of which may be absent where it is a constant.
func Where(op *ir.Operation, condition, then, otherwise *ir.Value, thenConstant, otherwiseConstant bool, output *ir.Value) error {
	for _, branch := range []struct {
		value     *ir.Value
		name      string
		attribute string
		constant  bool
	}{{then, "tbrn", "x_is_const", thenConstant}, {otherwise, "fbrn", "y_is_const", otherwiseConstant}} {
		if definition.IsNone(branch.value) && !branch.constant {
			return op.Errorf("operand %s may only be a none where attribute '%s' is true", branch.name, branch.attribute)
		}
	}
	return BroadcastTo(op, []*ir.Value{condition, then, otherwise}, output)
}

// OnePerInput checks the length of an attribute that holds one number for each input; nil is absent.
func OnePerInput[T any](op *ir.Operation, name string, values []T) error {
	inputs := op.NumOperands()
	if values != nil && len(values) != inputs {
		return op.Errorf("attribute '%s' must hold one value for each of the %d inputs, but holds %d", name, inputs, len(values))
	}
	return nil
}
