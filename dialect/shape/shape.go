// Package shape holds the rules that the ops of both dialects are checked by: what an op's results look like, given its
// operands and attributes. The definitions of dialect/top and dialect/tpu name them.
//
// A dimension that is not known ([ir.Dynamic]) agrees with every other; a tensor without rank is not looked at. So a
// rule never refuses what may turn out to be right, but every contradiction between known dimensions is an error that
// says what was expected and what stands there.
package shape

import (
	"strconv"
	"strings"

	"tpuir/ir"
)

// Of returns the dimensions of a value. ok is false for a none, a tensor without rank, and nil.
func Of(v *ir.Value) (dims []int64, ok bool) {
	if v == nil {
		return nil, false
	}
	t, ok := v.Type().(*ir.RankedTensorType)
	if !ok {
		return nil, false
	}
	return t.Shape, true
}

// Text writes dimensions as types do: 1x?x64; "scalar" for none at all.
func Text(dims []int64) string {
	if len(dims) == 0 {
		return "scalar"
	}
	var text []string
	for _, d := range dims {
		if d == ir.Dynamic {
			text = append(text, "?")
		} else {
			text = append(text, strconv.FormatInt(d, 10))
		}
	}
	return strings.Join(text, "x")
}

// Agree reports whether two dimensions can be the same.
func Agree(a, b int64) bool { return a == b || a == ir.Dynamic || b == ir.Dynamic }

// AllAgree reports whether two shapes can be the same.
func AllAgree(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Agree(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Merge returns of two dimensions that agree the one that is known.
func Merge(a, b int64) int64 {
	if a == ir.Dynamic {
		return b
	}
	return a
}

// Product multiplies dimensions; it is ir.Dynamic where one is unknown or the product is out of range.
func Product(dims []int64) int64 {
	n, ok := ir.NumElements(dims)
	if !ok {
		return ir.Dynamic
	}
	return n
}

// Sum adds dimensions; unknown ones make it unknown.
func Sum(a, b int64) int64 {
	if a == ir.Dynamic || b == ir.Dynamic {
		return ir.Dynamic
	}
	return a + b
}

// Axis brings an axis that may count from the end into [0, rank).
func Axis(op *ir.Operation, axis int64, rank int) (int, error) {
	if axis < -int64(rank) || axis >= int64(rank) {
		return 0, op.Errorf("axis %d is out of range for %d dimensions", axis, rank)
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), nil
}

// axisSet reports for each of rank dimensions whether it is among axes.
func axisSet(op *ir.Operation, axes []int64, rank int) ([]bool, error) {
	among := make([]bool, rank)
	for _, axis := range axes {
		at, err := Axis(op, axis, rank)
		if err != nil {
			return nil, err
		}
		among[at] = true
	}
	return among, nil
}

// Expect checks a value's shape against what a rule gives. what names the value, "output".
func Expect(op *ir.Operation, v *ir.Value, what string, want []int64) error {
	got, ok := Of(v)
	if !ok || AllAgree(got, want) {
		return nil
	}
	return op.Errorf("%s must have shape %s, but has %s", what, Text(want), Text(got))
}

// SameShape checks that a result has the shape of an operand.
func SameShape(op *ir.Operation, input, output *ir.Value) error {
	want, ok := Of(input)
	if !ok {
		return nil
	}
	return Expect(op, output, "output", want)
}

// SameElement checks that a result has the element type of an operand, where both are f32, f16, bf16 or integers: a change
// between these is what Cast is for. Quantized types and 8-bit floats have rules of their own.
func SameElement(op *ir.Operation, input, output *ir.Value) error {
	return SameElementAs(op, input, output, "output")
}

// SameElementAs is SameElement for any second value, named for the message. Nones are let through.
func SameElementAs(op *ir.Operation, input, other *ir.Value, what string) error {
	if input == nil || other == nil {
		return nil
	}
	a, b := ir.ElementTypeOr(input.Type()), ir.ElementTypeOr(other.Type())
	if a == b || !isArithmetic(a) || !isArithmetic(b) {
		return nil
	}
	return op.Errorf("%s must have element type '%s' as its input, but has '%s'", what, a, b)
}

func isArithmetic(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.IntegerType:
		return true
	case *ir.FloatType:
		return t.Kind == ir.F32 || t.Kind == ir.F16 || t.Kind == ir.BF16
	}
	return false
}

// Float checks that an operand that is there holds floats, or quantized numbers.
func Float(op *ir.Operation, v *ir.Value, what string) error {
	if v == nil {
		return nil
	}
	if t, ok := ir.ElementTypeOr(v.Type()).(*ir.IntegerType); ok {
		return op.Errorf("%s must hold floats, but holds '%s'", what, t)
	}
	return nil
}

// Indices checks that a value can hold indices: integers of more than 8 bits; in Top, where everything is f32, that too.
func Indices(op *ir.Operation, v *ir.Value) error {
	switch t := ir.ElementTypeOr(v.Type()).(type) {
	case *ir.IntegerType:
		if t.Width > 8 {
			return nil
		}
	case *ir.FloatType:
		if t.Kind == ir.F32 && op.Name().Namespace() == "top" {
			return nil
		}
	default:
		return nil
	}
	return op.Errorf("indices cannot be of type '%s'", ir.ElementTypeOr(v.Type()))
}

// MovedElement checks that a result of an op that only moves elements has exactly their type. Quantized types may differ
// in their parameters and are let through.
func MovedElement(op *ir.Operation, input, output *ir.Value) error {
	a, b := ir.ElementTypeOr(input.Type()), ir.ElementTypeOr(output.Type())
	if a == b || !isPlain(a) || !isPlain(b) {
		return nil
	}
	return op.Errorf("output must have element type '%s' as its input, but has '%s'", a, b)
}

func isPlain(t ir.Type) bool {
	switch t.(type) {
	case *ir.IntegerType, *ir.FloatType:
		return true
	}
	return false
}

// Scalar checks the attribute is_scalar: the result of an op that has it set is one element.
func Scalar(op *ir.Operation) error {
	if set, _ := op.BoolAttribute("is_scalar"); !set {
		return nil
	}
	if dims, ok := Of(op.Result(0)); ok && !Agree(Product(dims), 1) {
		return op.Errorf("attribute 'is_scalar' is true, but the output has shape %s", Text(dims))
	}
	return nil
}

// First returns the first error that is not nil. Rules are checked in the order in which a reader would.
func First(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}
