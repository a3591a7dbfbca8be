package interp

// This file holds the ops that move elements without changing them: other shapes of the same elements, permutations,
// parts, and joining.

import (
	"errors"
	"fmt"
	"slices"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// buildAlias is the kernel of an op whose result has the operand's memory, under the shape that the function finds.
func (b *builder) buildAlias(in slot, output *ir.Value, shape func(f *frame, given []int64) ([]int64, error)) (kernel, error) {
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
	in, err := b.required(op.Input())
	if err != nil {
		return nil, err
	}
	declared := dimensions(op.Output())
	given := dimensions(op.Input())
	pattern := op.Shape()
	return b.buildAlias(in, op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
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
	in, err := b.required(op.Input())
	if err != nil {
		return nil, err
	}
	list := op.Axes()
	return b.buildAlias(in, op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
		drop := make([]bool, len(shape))
		for _, axis := range list {
			at, err := axisOf(axis, len(shape))
			if err != nil {
				return nil, err
			}
			drop[at] = true
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
	in, err := b.required(op.Input())
	if err != nil {
		return nil, err
	}
	list := op.Axes()
	return b.buildAlias(in, op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
		rank := len(shape) + len(list)
		added := make([]bool, rank)
		for _, axis := range list {
			at, err := axisOf(axis, rank)
			if err != nil {
				return nil, err
			}
			added[at] = true
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
	in, err := b.required(op.Input())
	if err != nil {
		return nil, err
	}
	first, last := op.StartDim(), op.EndDim()
	return b.buildAlias(in, op.Output(), func(_ *frame, shape []int64) ([]int64, error) {
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
	in, err := b.required(input)
	if err != nil {
		return nil, err
	}
	out, _, err := b.out(output)
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
	in, err := b.required(op.Input())
	if err != nil {
		return nil, err
	}
	out, _, err := b.out(op.Output())
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
	outs := make([]slot, len(outputs))
	for i, v := range outputs {
		if outs[i], _, err = b.out(v); err != nil {
			return nil, err
		}
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
