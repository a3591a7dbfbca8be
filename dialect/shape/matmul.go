// Rules of matrix products.

package shape

import (
	"slices"

	"tpuir/ir"
)

// MatMulOp is a matrix product in either dialect.
type MatMulOp interface {
	Input() *ir.Value
	Right() *ir.Value
	Bias() *ir.Value
	Output() *ir.Value
	LeftTranspose() bool
	RightTranspose() bool
	OutputTranspose() bool
	HdimIsBatch() bool
	DqType() string
	KeepDims() bool
}

// notQuantized is the dq_type of a product whose right side holds the numbers themselves.
const notQuantized = "NONE"

// MatMul checks a product over the last two dimensions, the dimensions in front broadcast.
func MatMul(op *ir.Operation, m MatMulOp) error {
	return checkProduct(op, &matrices{
		Left: m.Input(), Right: m.Right(), Bias: m.Bias(), Output: m.Output(),
		LeftTranspose: m.LeftTranspose(), RightTranspose: m.RightTranspose(), OutputTranspose: m.OutputTranspose(),
		HdimIsBatch: m.HdimIsBatch(), Packed: m.DqType() != notQuantized, KeepDims: m.KeepDims(),
	})
}

// Fp8MatMulOp is a product with a weight of 8-bit floats in either dialect.
type Fp8MatMulOp interface {
	Input() *ir.Value
	Weight() *ir.Value
	Bias() *ir.Value
	Output() *ir.Value
	WeightTranspose() bool
}

// Fp8MatMul is MatMul for a weight of 8-bit floats.
func Fp8MatMul(op *ir.Operation, m Fp8MatMulOp) error {
	return checkProduct(op, &matrices{
		Left: m.Input(), Right: m.Weight(), Bias: m.Bias(), Output: m.Output(), RightTranspose: m.WeightTranspose(),
		Packed: true, KeepDims: true,
	})
}

// matrices are the operands and flags of a matrix product; a transposed matrix stores its last two dimensions in the
// other order.
type matrices struct {
	Left, Right, Bias, Output                      *ir.Value
	LeftTranspose, RightTranspose, OutputTranspose bool
	// HdimIsBatch says that the heads stand in the last but one dimension and are batch.
	HdimIsBatch bool
	// Packed says that the right side holds quantized numbers.
	Packed bool
	// KeepDims false folds the result to two dimensions.
	KeepDims bool
}

func checkProduct(op *ir.Operation, p *matrices) error {
	left, ok := Of(p.Left)
	right, also := Of(p.Right)
	if !ok || !also {
		return nil
	}
	if p.HdimIsBatch {
		if len(left) != 4 || len(right) != 4 {
			return op.Errorf("attribute 'hdim_is_batch' is true, but the inputs of shapes %s and %s have not four dimensions",
				Text(left), Text(right))
		}
		return nil
	}
	if len(left) == 0 || len(right) == 0 {
		return op.Errorf("a scalar cannot be multiplied as a matrix")
	}
	m, k := rowsAndColumns(left, p.LeftTranspose, true)
	inner, n := rowsAndColumns(right, p.RightTranspose, false)
	if !Agree(k, inner) {
		return op.Errorf("left of shape %s has %s columns%s, but right of shape %s has %s rows%s", Text(left), Text([]int64{k}),
			transposed(p.LeftTranspose), Text(right), Text([]int64{inner}), transposed(p.RightTranspose))
	}
	batch, ok := Broadcast(left[:max(len(left)-2, 0)], right[:max(len(right)-2, 0)])
	if !ok {
		return op.Errorf("batch dimensions of shapes %s and %s do not broadcast", Text(left), Text(right))
	}
	if err := First(expectProduct(op, p, batch, m, n, len(right) == 1), matMulBias(op, p.Bias, p.Output, n)); err != nil {
		return err
	}
	if !p.Packed {
		if err := SameElementAs(op, p.Left, p.Right, "right"); err != nil {
			return err
		}
	}
	return SameElement(op, p.Left, p.Output)
}

func transposed(is bool) string {
	if is {
		return " (transposed)"
	}
	return ""
}

// rowsAndColumns reads the last two dimensions. A vector is one row on the left, one column on the right.
func rowsAndColumns(dims []int64, transpose, left bool) (rows, columns int64) {
	switch {
	case len(dims) == 1 && left:
		return 1, dims[0]
	case len(dims) == 1:
		return dims[0], 1
	}
	rows, columns = dims[len(dims)-2], dims[len(dims)-1]
	if transpose {
		return columns, rows
	}
	return rows, columns
}

// expectProduct checks the result. Where the right side is a vector the last dimension may have been dropped.
func expectProduct(op *ir.Operation, p *matrices, batch []int64, m, n int64, dropped bool) error {
	rows, columns := m, n
	if p.OutputTranspose {
		rows, columns = n, m
	}
	full := append(slices.Clone(batch), rows, columns)
	if !p.KeepDims {
		full = []int64{Product(append(slices.Clone(batch), rows)), columns}
	}
	got, ok := Of(p.Output)
	if !ok || dropped && (AllAgree(got, full[:len(full)-1]) || len(got) == 0) {
		return nil
	}
	return Expect(op, p.Output, "output", full)
}

// matMulBias checks what is added to a product of n columns: floats that broadcast to the result. A residual that was folded
// in has the whole result's shape.
func matMulBias(op *ir.Operation, bias, output *ir.Value, n int64) error {
	dims, ok := Of(bias)
	if !ok || len(dims) == 0 {
		return nil
	}
	if last := dims[len(dims)-1]; last != 1 && !Agree(last, n) {
		return op.Errorf("bias of shape %s does not fit the %s columns of the result", Text(dims), Text([]int64{n}))
	}
	if out, ok := Of(output); ok {
		if want, fits := Broadcast(out, dims); !fits || !AllAgree(want, out) {
			return op.Errorf("bias of shape %s does not broadcast to the result of shape %s", Text(dims), Text(out))
		}
	}
	return Float(op, bias, "bias")
}

// A16MatMulOp is a product with a quantized weight in either dialect. Its bits are 4 (two values a byte) or 8; the size of a
// group is the number of values along K under one scale, 0 for not yet packed.
type A16MatMulOp interface {
	Input() *ir.Value
	Weight() *ir.Value
	Scale() *ir.Value
	Zp() *ir.Value
	Bias() *ir.Value
	Output() *ir.Value
	WeightBits() int64
	QGroupSize() int64
}

// A16MatMul checks input [..., K] times a packed weight: [N, K/2] or [N, K] bytes (the other way round where it is not
// transposed), with scales and zero points for each group of a row; weight reordering may have rearranged these to
// [lanes, N/lanes, groups], which keeps their number.
func A16MatMul(op *ir.Operation, p A16MatMulOp, transposed bool) error {
	if p.WeightBits() != 4 && p.WeightBits() != 8 {
		return op.Errorf("attribute 'weight_bits' must be 4 or 8, but is %d", p.WeightBits())
	}
	if p.QGroupSize() < 0 {
		return op.Errorf("attribute 'q_group_size' must not be negative, but is %d", p.QGroupSize())
	}
	input, ok := Of(p.Input())
	weight, also := Of(p.Weight())
	if !ok || !also {
		return nil
	}
	if len(input) == 0 || len(weight) != 2 {
		return op.Errorf("expected an input of one or more dimensions and a weight of two, but got %s and %s", Text(input), Text(weight))
	}
	k, n, packed := weight[0], weight[1], isByte(p.Weight())
	if transposed {
		k, n = n, k
	}
	if packed && p.WeightBits() == 4 && k != ir.Dynamic {
		k *= 2
	}
	if have := input[len(input)-1]; !Agree(have, k) {
		return op.Errorf("input of shape %s has %s columns, but the weight of shape %s holds %s rows of %d bits", Text(input),
			Text([]int64{have}), Text(weight), Text([]int64{k}), p.WeightBits())
	}
	want := slices.Clone(input)
	want[len(want)-1] = n
	return First(Expect(op, p.Output(), "output", want), matMulBias(op, p.Bias(), p.Output(), n), SameElement(op, p.Input(), p.Output()),
		checkGroups(op, p, k, n, packed, transposed))
}

func isByte(v *ir.Value) bool {
	t, ok := ir.ElementTypeOr(v.Type()).(*ir.IntegerType)
	return ok && t.Width == 8
}

// perChannel is the group size that TPU-MLIR writes for one scale a row: the scale is repeated for every whole group of
// this size, so that a shorter row has none at all.
const perChannel = 128

// checkGroups checks scales and zero points of k×n numbers.
func checkGroups(op *ir.Operation, p A16MatMulOp, k, n int64, packed, transposed bool) error {
	scale, ok := Of(p.Scale())
	if !ok {
		if packed {
			return op.Errorf("a packed weight needs a scale")
		}
		return Float(op, p.Weight(), "weight")
	}
	if !packed {
		return op.Errorf("a weight that has a scale must hold bytes, but holds '%s'", ir.ElementTypeOr(p.Weight().Type()))
	}
	if err := SameElementAs(op, p.Input(), p.Scale(), "scale"); err != nil {
		return err
	}
	if zero, ok := Of(p.Zp()); ok {
		if !AllAgree(scale, zero) {
			return op.Errorf("scale of shape %s and zero point of shape %s differ", Text(scale), Text(zero))
		}
		if !isByte(p.Zp()) && op.Name().Namespace() == "tpu" {
			return op.Errorf("zero points must be bytes, but are '%s'", ir.ElementTypeOr(p.Zp().Type()))
		}
	}
	if p.QGroupSize() == 0 || k == ir.Dynamic || n == ir.Dynamic {
		return nil
	}
	if k%p.QGroupSize() != 0 && p.QGroupSize() != perChannel {
		return op.Errorf("attribute 'q_group_size' %d does not divide the %d values of a row", p.QGroupSize(), k)
	}
	count := k / p.QGroupSize()
	if total := Product(scale); !Agree(total, n*count) {
		return op.Errorf("%d rows of %d groups need %d scales, but there are %d (shape %s)", n, count, n*count, total, Text(scale))
	}
	if last := scale[len(scale)-1]; len(scale) == 2 && transposed && !Agree(last, count) || len(scale) == 3 && !Agree(last, count) {
		return op.Errorf("scale of shape %s must end in the %d groups of a row", Text(scale), count)
	}
	return nil
}
