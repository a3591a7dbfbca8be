// Rules of reductions, orderings and normalizations.

package shape

import (
	"slices"

	"tpuir/ir"
)

// Reduce checks a reduction over axes. Where all dimensions go, one of length 1 may stay.
func Reduce(op *ir.Operation, input, output *ir.Value, axes []int64, keepDims bool) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	gone, err := axisSet(op, axes, len(dims))
	if err != nil {
		return err
	}
	var want []int64
	for i, d := range dims {
		switch {
		case !gone[i]:
			want = append(want, d)
		case keepDims:
			want = append(want, 1)
		}
	}
	if got, ok := Of(output); ok && len(want) == 0 && AllAgree(got, []int64{1}) {
		return nil
	}
	return First(Expect(op, output, "output", want), SameElement(op, input, output))
}

// TopK checks values and indices of the k largest along an axis. k is -1 or 0 where it is not given by the attribute;
// where it comes from a tensor the attribute is its largest.
func TopK(op *ir.Operation, input, values, indices *ir.Value, axis, k int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	at, err := Axis(op, axis, len(dims))
	if err != nil {
		return err
	}
	if k == 0 || k < -1 {
		return op.Errorf("attribute 'K' must be at least 1, or -1 where it is not known, but is %d", k)
	}
	if dims[at] != ir.Dynamic && k > dims[at] {
		return op.Errorf("attribute 'K' is %d, but the input of shape %s has %d elements along axis %d", k, Text(dims), dims[at], at)
	}
	want := slices.Clone(dims)
	want[at] = known(k)
	return First(Expect(op, values, "values", want), Expect(op, indices, "indices", want), SameElement(op, input, values))
}

// Arg checks the index of an extreme along an axis, and its value.
func Arg(op *ir.Operation, input, indices, values *ir.Value, axis int64, keepDims bool) error {
	for _, output := range []*ir.Value{indices, values} {
		if _, ok := Of(output); !ok {
			continue
		}
		dims, ok := Of(input)
		if !ok {
			continue
		}
		at, err := Axis(op, axis, len(dims))
		if err != nil {
			return err
		}
		want := slices.Delete(slices.Clone(dims), at, at+1)
		if keepDims {
			want = slices.Insert(want, at, 1)
		}
		if got, _ := Of(output); len(want) == 0 && AllAgree(got, []int64{1}) {
			continue
		}
		if err := Expect(op, output, "output", want); err != nil {
			return err
		}
	}
	return nil
}

// Normalized checks a normalization over the dimensions from axis on, whose weight and bias (which may be absent)
// broadcast to the input and cover the normalized dimensions. eps must not be negative.
func Normalized(op *ir.Operation, input, output *ir.Value, axis int64, eps float64, parameters ...*ir.Value) error {
	if !(eps >= 0) {
		return op.Errorf("the number added for stability must not be negative, but is %v", eps)
	}
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	at, err := Axis(op, axis, len(dims))
	if err != nil {
		return err
	}
	for _, parameter := range parameters {
		have, ok := Of(parameter)
		if !ok {
			continue
		}
		if !covers(have, dims, at) {
			return op.Errorf("parameter of shape %s does not fit the normalized dimensions of the input %s from %d on",
				Text(have), Text(dims), at)
		}
		if ir.ElementTypeOr(parameter.Type()) != ir.Type(op.Context().F32()) {
			if err := SameElementAs(op, input, parameter, "parameter"); err != nil {
				return err
			}
		}
	}
	return First(SameShape(op, input, output), SameElement(op, input, output))
}

// covers reports whether a parameter's elements are those of dims[axis:], other dimensions being 1.
func covers(parameter, dims []int64, axis int) bool {
	tail := dims[axis:]
	if len(parameter) < len(tail) {
		return Agree(Product(parameter), Product(tail))
	}
	front := parameter[:len(parameter)-len(tail)]
	for _, d := range front {
		if d != 1 {
			return false
		}
	}
	return AllAgree(parameter[len(front):], tail)
}

// Channels checks an op that keeps the shape and has one parameter for each channel, dimension 1 of the input (the last
// one of a vector).
func Channels(op *ir.Operation, input, output *ir.Value, parameters ...*ir.Value) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	channels := int64(ir.Dynamic)
	if len(dims) > 1 {
		channels = dims[1]
	}
	for _, parameter := range parameters {
		have, ok := Of(parameter)
		if !ok {
			continue
		}
		if n := Product(have); n != 1 && !Agree(n, channels) {
			return op.Errorf("parameter of shape %s has %d elements for the %d channels of the input %s", Text(have), n, channels, Text(dims))
		}
	}
	return First(SameShape(op, input, output), SameElement(op, input, output))
}

// Groups checks that a number of groups divides the channels.
func Groups(op *ir.Operation, input *ir.Value, name string, groups int64) error {
	dims, ok := Of(input)
	if groups < 1 {
		return op.Errorf("attribute '%s' must be at least 1, but is %d", name, groups)
	}
	if ok && len(dims) > 1 && dims[1] != ir.Dynamic && dims[1]%groups != 0 {
		return op.Errorf("attribute '%s' %d does not divide the %d channels of the input %s", name, groups, dims[1], Text(dims))
	}
	return nil
}

// NormalizedShape checks the attribute of that name: the input's dimensions from axis on.
func NormalizedShape(op *ir.Operation, input *ir.Value, axis int64, given []int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	at, err := Axis(op, axis, len(dims))
	if err != nil {
		return err
	}
	if !AllAgree(given, dims[at:]) {
		return op.Errorf("attribute 'normalized_shape' must be %s, the input's dimensions from axis %d on, but is %s",
			Text(dims[at:]), at, Text(given))
	}
	return nil
}
