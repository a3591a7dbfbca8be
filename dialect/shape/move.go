// Rules of ops that move, cut and join.

package shape

import (
	"slices"

	"tpuir/dialect/definition"
	"tpuir/ir"
)

// Concat checks inputs joined along an axis.
func Concat(op *ir.Operation, inputs []*ir.Value, axis int64, output *ir.Value) error {
	if len(inputs) == 0 {
		return op.Errorf("expected at least one input")
	}
	first, ok := Of(inputs[0])
	if !ok {
		return nil
	}
	at, err := Axis(op, axis, len(first))
	if err != nil {
		return err
	}
	want := slices.Clone(first)
	for i, input := range inputs[1:] {
		dims, ok := Of(input)
		if !ok {
			return nil
		}
		if len(dims) != len(first) {
			return op.Errorf("input #%d of shape %s has not the %d dimensions of input #0", i+1, Text(dims), len(first))
		}
		for j, d := range dims {
			switch {
			case j == at:
				want[j] = Sum(want[j], d)
			case !Agree(want[j], d):
				return op.Errorf("input #%d of shape %s differs from input #0 of shape %s in dimension %d, which is not the axis %d",
					i+1, Text(dims), Text(first), j, at)
			default:
				want[j] = Merge(want[j], d)
			}
		}
	}
	if err := Expect(op, output, "output", want); err != nil {
		return err
	}
	for _, input := range inputs {
		if err := MovedElement(op, input, output); err != nil {
			return err
		}
	}
	return nil
}

// Split checks a value cut into parts along an axis; the parts add up to it.
func Split(op *ir.Operation, input *ir.Value, axis int64, parts []*ir.Value) error {
	whole, ok := Of(input)
	if !ok {
		return nil
	}
	at, err := Axis(op, axis, len(whole))
	if err != nil {
		return err
	}
	total := int64(0)
	for i, part := range parts {
		dims, ok := Of(part)
		if !ok {
			return nil
		}
		want := slices.Clone(whole)
		want[at] = ir.Dynamic
		if !AllAgree(dims, want) {
			return op.Errorf("result #%d of shape %s differs from the input %s beside the axis %d", i, Text(dims), Text(whole), at)
		}
		total = Sum(total, dims[at])
		if err := MovedElement(op, input, part); err != nil {
			return err
		}
	}
	if !Agree(total, whole[at]) {
		return op.Errorf("the parts add up to %d along axis %d, but the input has %d", total, at, whole[at])
	}
	return nil
}

// Reshape checks that the elements keep their number, and that an explicit shape (0: as the input, -1: what is left)
// gives the result. A nil or empty shape leaves the result free. flattenFrom is the dimension from which on all are joined,
// -1 for none; it only says where a shape comes from.
func Reshape(op *ir.Operation, input, output *ir.Value, shape []int64, flattenFrom int64) error {
	from, ok := Of(input)
	to, also := Of(output)
	if !ok || !also {
		return nil
	}
	if flattenFrom < -1 || flattenFrom > int64(len(from)) {
		return op.Errorf("attribute 'flatten_start_dim' is %d, but the input has shape %s", flattenFrom, Text(from))
	}
	if a, b := Product(from), Product(to); !Agree(a, b) {
		return op.Errorf("input of shape %s has %d elements, but output of shape %s has %d", Text(from), a, Text(to), b)
	}
	if err := MovedElement(op, input, output); err != nil || len(shape) == 0 {
		return err
	}
	want, err := Resolve(op, from, shape)
	if err != nil {
		return err
	}
	return Expect(op, output, "output", want)
}

// Resolve gives the shape that an explicit one with 0 and -1 stands for.
func Resolve(op *ir.Operation, from, shape []int64) ([]int64, error) {
	want := slices.Clone(shape)
	rest := -1
	for i, d := range shape {
		switch {
		case d == -1 && rest >= 0:
			return nil, op.Errorf("attribute 'shape' [%s] holds -1 more than once", Text(shape))
		case d == -1:
			rest, want[i] = i, ir.Dynamic
		case d == 0 && i < len(from):
			want[i] = from[i]
		case d <= 0:
			return nil, op.Errorf("attribute 'shape' [%s] holds %d, which stands for nothing here", Text(shape), d)
		}
	}
	if rest < 0 {
		return want, nil
	}
	total, others := Product(from), Product(append(slices.Clone(want[:rest]), want[rest+1:]...))
	if total == ir.Dynamic || others == ir.Dynamic {
		return want, nil
	}
	if others == 0 || total%others != 0 {
		return nil, op.Errorf("the %d elements of the input do not fit into shape [%s]", total, Text(shape))
	}
	want[rest] = total / others
	return want, nil
}

// Permute checks dimensions put into another order.
func Permute(op *ir.Operation, input, output *ir.Value, order []int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if len(order) != len(dims) {
		return op.Errorf("attribute 'order' must name each of the %d dimensions once, but holds %d", len(dims), len(order))
	}
	want := make([]int64, len(dims))
	used := make([]bool, len(dims))
	for i, from := range order {
		if from < 0 || from >= int64(len(dims)) || used[from] {
			return op.Errorf("attribute 'order' must name each of the %d dimensions once, but entry %d is %d", len(dims), i, from)
		}
		used[from], want[i] = true, dims[from]
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// Swap is Permute for two dimensions that change places.
func Swap(op *ir.Operation, input, output *ir.Value, a, b int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	i, err := Axis(op, a, len(dims))
	if err != nil {
		return err
	}
	j, err := Axis(op, b, len(dims))
	if err != nil {
		return err
	}
	want := slices.Clone(dims)
	want[i], want[j] = want[j], want[i]
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// Unsqueeze checks dimensions of length 1 added at axes of the result.
func Unsqueeze(op *ir.Operation, input, output *ir.Value, axes []int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	rank := len(dims) + len(axes)
	added := make([]bool, rank)
	for _, axis := range axes {
		at, err := Axis(op, axis, rank)
		if err != nil {
			return err
		}
		if added[at] {
			return op.Errorf("attribute 'axes' names dimension %d twice", at)
		}
		added[at] = true
	}
	var want []int64
	for i, next := 0, 0; i < rank; i++ {
		if added[i] {
			want = append(want, 1)
		} else {
			want = append(want, dims[next])
			next++
		}
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// Squeeze checks dimensions of length 1 dropped: those of axes, or all. An axis whose length is not 1 stays. What would
// leave nothing leaves one dimension.
func Squeeze(op *ir.Operation, input, output *ir.Value, axes []int64) error {
	dims, ok := Of(input)
	if !ok || slices.Contains(dims, ir.Dynamic) {
		return nil
	}
	drop, err := axisSet(op, axes, len(dims))
	if err != nil {
		return err
	}
	var want []int64
	for i, d := range dims {
		if d != 1 || len(axes) > 0 && !drop[i] {
			want = append(want, d)
		}
	}
	if got, ok := Of(output); ok && len(want) == 0 && AllAgree(got, []int64{1}) {
		return nil
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// Slice checks the elements from offsets to ends in steps; axes empty means the leading dimensions. Offsets and ends
// are not looked at where one of the positions is computed at run time (the attributes hold placeholders then).
func Slice(op *ir.Operation, input, output *ir.Value, offsets, ends, steps, axes []int64, positions ...*ir.Value) error {
	computed := slices.ContainsFunc(positions, func(v *ir.Value) bool { return !definition.IsNone(v) })
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if len(offsets) != len(ends) || len(offsets) != len(steps) || len(axes) > 0 && len(axes) != len(offsets) {
		return op.Errorf("attributes 'offset', 'ends', 'steps' and 'axes' differ in length: %d, %d, %d, %d",
			len(offsets), len(ends), len(steps), len(axes))
	}
	if len(axes) == 0 && len(offsets) > len(dims) {
		return op.Errorf("%d offsets for an input of shape %s", len(offsets), Text(dims))
	}
	want := slices.Clone(dims)
	for i, step := range steps {
		at := i
		if len(axes) > 0 {
			var err error
			if at, err = Axis(op, axes[i], len(dims)); err != nil {
				return err
			}
		}
		if step == 0 {
			return op.Errorf("attribute 'steps' holds 0")
		}
		if computed || dims[at] == ir.Dynamic {
			want[at] = ir.Dynamic
			continue
		}
		want[at] = sliceLength(dims[at], offsets[i], ends[i], step)
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// sliceLength counts the elements of [offset, end) in steps; negative positions count from the end, and both are brought
// into the dimension. Running backwards from a position of 0 or more to the length is told by what the two say.
func sliceLength(length, offset, end, step int64) int64 {
	if step < 0 {
		return ir.Dynamic // the conventions for running backwards differ between frameworks
	}
	if offset < 0 {
		offset += length
	}
	if end < 0 {
		end += length
	}
	offset, end = min(max(offset, 0), length), min(max(end, 0), length)
	if end <= offset {
		return 0
	}
	return (end - offset + step - 1) / step
}

// Tile checks repetition along each dimension.
func Tile(op *ir.Operation, input, output *ir.Value, counts []int64) error {
	dims, ok := Of(input)
	if !ok || len(counts) == 0 {
		return nil
	}
	if len(counts) != len(dims) {
		return op.Errorf("attribute 'tile' must hold one count for each of the %d dimensions, but holds %d", len(dims), len(counts))
	}
	want := make([]int64, len(dims))
	for i, n := range counts {
		if n < 1 {
			return op.Errorf("attribute 'tile' holds %d, which is less than 1", n)
		}
		want[i] = times(dims[i], n)
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// Expand checks broadcasting to an explicit shape.
func Expand(op *ir.Operation, input, output *ir.Value, shape []int64) error {
	dims, ok := Of(input)
	if !ok || len(shape) == 0 || slices.Min(shape) < 1 {
		return nil
	}
	want, ok := Broadcast(dims, shape)
	if !ok {
		return op.Errorf("input of shape %s does not broadcast to %s", Text(dims), Text(shape))
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// Flatten checks the dimensions first to last joined into one.
func Flatten(op *ir.Operation, input, output *ir.Value, first, last int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	from, err := Axis(op, first, len(dims))
	if err != nil {
		return err
	}
	to, err := Axis(op, last, len(dims))
	if err != nil {
		return err
	}
	if to < from {
		return op.Errorf("attribute 'end_dim' %d stands before 'start_dim' %d", last, first)
	}
	want := append(slices.Clone(dims[:from]), Product(dims[from:to+1]))
	return First(Expect(op, output, "output", append(want, dims[to+1:]...)), MovedElement(op, input, output))
}

// Pad checks elements added before and after each dimension: all befores first, then all afters.
func Pad(op *ir.Operation, input, output *ir.Value, pads []int64) error {
	dims, ok := Of(input)
	if !ok || len(pads) == 0 {
		return nil
	}
	if len(pads) != 2*len(dims) {
		return op.Errorf("attribute 'paddings' must hold two numbers for each of the %d dimensions, but holds %d", len(dims), len(pads))
	}
	want := make([]int64, len(dims))
	for i, d := range dims {
		want[i] = Sum(d, pads[i]+pads[len(dims)+i])
	}
	return First(Expect(op, output, "output", want), MovedElement(op, input, output))
}

// AlongAxis checks an op that keeps the shape and works along an axis.
func AlongAxis(op *ir.Operation, input, output *ir.Value, axis int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if _, err := Axis(op, axis, len(dims)); err != nil {
		return err
	}
	return First(SameShape(op, input, output), SameElement(op, input, output))
}

// Scaled checks an image [n, c, h, w] whose height and width are multiplied.
func Scaled(op *ir.Operation, input, output *ir.Value, height, width int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if len(dims) < 3 || height < 1 || width < 1 {
		return op.Errorf("cannot scale an input of shape %s by %d and %d", Text(dims), height, width)
	}
	want := slices.Clone(dims)
	want[len(want)-2], want[len(want)-1] = times(want[len(want)-2], height), times(want[len(want)-1], width)
	return Expect(op, output, "output", want)
}

// Blocks checks that a move between channels and blocks of height and width keeps the number of elements.
func Blocks(op *ir.Operation, input, output *ir.Value, height, width int64) error {
	from, ok := Of(input)
	to, also := Of(output)
	if height < 1 || width < 1 {
		return op.Errorf("blocks must be at least 1 high and wide, but are %d and %d", height, width)
	}
	if a, b := Product(from), Product(to); ok && also && !Agree(a, b) {
		return op.Errorf("input of shape %s has %d elements, but output of shape %s has %d", Text(from), a, Text(to), b)
	}
	return MovedElement(op, input, output)
}

// Stack checks equal inputs put side by side along a new axis.
func Stack(op *ir.Operation, inputs []*ir.Value, axis, count int64, output *ir.Value) error {
	if int64(len(inputs)) != count {
		return op.Errorf("attribute 'values_count' is %d, but there are %d inputs", count, len(inputs))
	}
	if len(inputs) == 0 {
		return op.Errorf("expected at least one input")
	}
	dims, ok := Of(inputs[0])
	if !ok {
		return nil
	}
	for i, input := range inputs {
		if other, ok := Of(input); ok && !AllAgree(other, dims) {
			return op.Errorf("input #%d of shape %s differs from input #0 of shape %s", i, Text(other), Text(dims))
		}
	}
	at, err := Axis(op, axis, len(dims)+1)
	if err != nil {
		return err
	}
	return Expect(op, output, "output", slices.Insert(slices.Clone(dims), at, count))
}

// Unstack checks slices along an axis that disappears.
func Unstack(op *ir.Operation, input *ir.Value, axis int64, outputs []*ir.Value) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	at, err := Axis(op, axis, len(dims))
	if err != nil {
		return err
	}
	if !Agree(dims[at], int64(len(outputs))) {
		return op.Errorf("input of shape %s has %d slices along axis %d, but there are %d results", Text(dims), dims[at], at, len(outputs))
	}
	want := slices.Delete(slices.Clone(dims), at, at+1)
	for _, output := range outputs {
		if err := Expect(op, output, "output", want); err != nil {
			return err
		}
	}
	return nil
}
