// Rules of ops that read and write at indices.

package shape

import (
	"slices"

	"tpuir/ir"
)

// Gather checks slices along an axis: the axis gives way to the dimensions of the indices. One index without keeping
// dimensions drops the axis.
func Gather(op *ir.Operation, input, indices, output *ir.Value, axis int64, keepDims bool) error {
	if err := Indices(op, indices); err != nil {
		return err
	}
	dims, ok := Of(input)
	at, also := Of(indices)
	if !ok || !also {
		return nil
	}
	i, err := Axis(op, axis, len(dims))
	if err != nil {
		return err
	}
	want := slices.Concat(dims[:i], at, dims[i+1:])
	dropped := slices.Concat(dims[:i], dims[i+1:])
	if got, ok := Of(output); ok && (len(at) == 0 || !keepDims && Agree(Product(at), 1)) && (AllAgree(got, dropped) ||
		len(dropped) == 0 && AllAgree(got, []int64{1})) {
		return MovedElement(op, input, output)
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output), Scalar(op))
}

// PackedGather checks rows of a packed table [rows, columns/2] or [rows, columns] bytes with scales and zero points.
func PackedGather(op *ir.Operation, table, indices, scale, zero, output *ir.Value, bits, group int64) error {
	if err := Indices(op, indices); err != nil {
		return err
	}
	dims, ok := Of(table)
	at, also := Of(indices)
	if !ok || !also {
		return nil
	}
	if bits != 4 && bits != 8 {
		return op.Errorf("attribute 'weight_bits' must be 4 or 8, but is %d", bits)
	}
	if len(dims) != 2 {
		return op.Errorf("expected a table of two dimensions, but got %s", Text(dims))
	}
	columns := times(dims[1], 8/bits)
	if err := Expect(op, output, "output", append(slices.Clone(at), columns)); err != nil {
		return err
	}
	scales, ok := Of(scale)
	if !ok || columns == ir.Dynamic {
		return nil
	}
	if group < 1 || columns%group != 0 {
		return op.Errorf("attribute 'q_group_size' %d does not divide the %d values of a row", group, columns)
	}
	if n := Product(scales); !Agree(n, times(dims[0], columns/group)) {
		return op.Errorf("%s rows of %d groups do not fit scales of shape %s", Text(dims[:1]), columns/group, Text(scales))
	}
	if zeros, ok := Of(zero); ok && !AllAgree(zeros, scales) {
		return op.Errorf("scale of shape %s and zero point of shape %s differ", Text(scales), Text(zeros))
	}
	return nil
}

// GatherElements checks one element for each index, along an axis.
func GatherElements(op *ir.Operation, input, indices, output *ir.Value, axis int64) error {
	if err := Indices(op, indices); err != nil {
		return err
	}
	if err := withinBeside(op, input, indices, "indices", axis); err != nil {
		return err
	}
	return First(SameShape(op, indices, output), MovedElement(op, input, output))
}

// withinBeside checks that a value has the rank of the input and is nowhere longer beside the axis.
func withinBeside(op *ir.Operation, input, v *ir.Value, what string, axis int64) error {
	dims, ok := Of(input)
	at, also := Of(v)
	if !ok || !also {
		return nil
	}
	i, err := Axis(op, axis, len(dims))
	if err != nil {
		return err
	}
	if len(at) != len(dims) {
		return op.Errorf("%s of shape %s must have the %d dimensions of the input", what, Text(at), len(dims))
	}
	for j := range dims {
		if j != i && dims[j] != ir.Dynamic && at[j] > dims[j] {
			return op.Errorf("%s of shape %s reach beyond the input of shape %s in dimension %d", what, Text(at), Text(dims), j)
		}
	}
	return nil
}

// ScatterElements checks updates, one for each index, written along an axis.
func ScatterElements(op *ir.Operation, input, indices, updates, output *ir.Value, axis int64) error {
	if err := Indices(op, indices); err != nil {
		return err
	}
	if err := withinBeside(op, input, indices, "indices", axis); err != nil {
		return err
	}
	want, ok := Of(indices)
	if ok {
		if err := Expect(op, updates, "updates", want); err != nil {
			return err
		}
	}
	return First(SameShape(op, input, output), MovedElement(op, input, output), MovedElement(op, updates, output))
}

// IndexVectors gives what indices [..., n] choose of an input: the leading dimensions of the indices, then what of the
// input n positions leave over. ok is false where ranks are unknown.
func indexVectors(op *ir.Operation, input, indices *ir.Value, batch int) (want []int64, ok bool, err error) {
	dims, ok := Of(input)
	at, also := Of(indices)
	if !ok || !also {
		return nil, false, nil
	}
	if len(at) == 0 {
		return nil, false, op.Errorf("indices must have at least one dimension")
	}
	depth := at[len(at)-1]
	if depth == ir.Dynamic {
		return nil, false, nil
	}
	if batch < 0 || depth < 1 || depth > int64(len(dims)-batch) {
		return nil, false, op.Errorf("indices of shape %s hold positions of %d dimensions, but the input is %s", Text(at), depth, Text(dims))
	}
	return slices.Concat(at[:len(at)-1], dims[batch+int(depth):]), true, nil
}

// GatherND checks slices chosen by index vectors.
func GatherND(op *ir.Operation, input, indices, output *ir.Value, batch int64) error {
	if err := Indices(op, indices); err != nil {
		return err
	}
	want, ok, err := indexVectors(op, input, indices, int(batch))
	if err != nil || !ok {
		return err
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// ScatterND checks slices written at index vectors.
func ScatterND(op *ir.Operation, input, indices, updates, output *ir.Value) error {
	if err := Indices(op, indices); err != nil {
		return err
	}
	want, ok, err := indexVectors(op, input, indices, 0)
	if err != nil {
		return err
	}
	if ok {
		if err := Expect(op, updates, "updates", want); err != nil {
			return err
		}
	}
	return First(SameShape(op, input, output), MovedElement(op, input, output), MovedElement(op, updates, output))
}
