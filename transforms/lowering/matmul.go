package lowering

// This file lowers matrix products: to 16 bits, or with quantized weights to A16MatMul where the shapes allow.

import (
	"fmt"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func lowerMatMul(l *lowerer, op *ir.Operation) error {
	m, _ := top.AsMatMul(op)
	p := product{op: op, input: m.Input(), right: m.Right(), bias: m.Bias(), loc: op.Loc()}
	if !l.quantizes(m) {
		l.replace(op, l.newMatMul(p, op.Result(0).Type()))
		return nil
	}
	rows := shapeOf(m.Right())
	columns, lanes := rows[1], l.lanes()
	if l.groupSize == 0 || columns <= lanes || columns%lanes == 0 {
		made := l.newA16MatMul(p, op.Result(0).Type())
		op.ReplaceAllUsesWith(made.Results())
		op.Erase()
		return nil
	}
	l.splitColumns(p, columns, columns/lanes*lanes)
	return nil
}

// quantizes reports whether a product's weight is to be quantized: it stands on the right as [K, N], and K is whole groups.
func (l *lowerer) quantizes(m top.MatMulOp) bool {
	if l.mode.WeightBits() == 0 || !isWeight(m.Right()) || isWeight(m.Input()) || m.RightTranspose() || m.LeftTranspose() ||
		m.OutputTranspose() || m.HdimIsBatch() || m.DoRelu() || !isNone(m.Bias()) && !isWeight(m.Bias()) {
		return false
	}
	shape := shapeOf(m.Right())
	if len(shape) != 2 || shape[0] <= 0 || shape[1] <= 0 {
		return false
	}
	if l.groupSize == 0 {
		return l.mode.WeightBits() == 8 || shape[0]%2 == 0
	}
	return shape[0]%l.groupSize == 0
}

// product is a matrix product that is to be made.
type product struct {
	op                 *ir.Operation // the Top operation it is made of
	input, right, bias *ir.Value
	loc                ir.Location
}

func (l *lowerer) newMatMul(p product, result ir.Type) *ir.Operation {
	input, right := l.inHalf(p.op, p.input), l.inHalf(p.op, p.right)
	bias := p.bias
	if l.chip == chipBM1684X || !isNone(bias) && !isWeight(bias) {
		bias = l.inHalf(p.op, bias) // the other chips add an f32 bias before they round
	}
	none := l.none()
	if isNone(bias) {
		bias = none
	}
	return tpu.NewMatMul(l.at, p.loc, input, right, bias, none, none, tpu.MatMulAttributes{},
		withElement(result, l.half)).Operation
}

// newA16MatMul makes a product whose weight is still f32: canonicalization quantizes it.
func (l *lowerer) newA16MatMul(p product, result ir.Type) *ir.Operation {
	none, bias := l.none(), p.bias
	if isNone(bias) {
		bias = none
	}
	return tpu.NewA16MatMul(l.at, p.loc, l.inHalf(p.op, p.input), p.right, none, none, bias,
		tpu.A16MatMulAttributes{WeightBits: l.mode.WeightBits()}, withElement(result, l.half)).Operation
}

// splitColumns makes a product of two: the columns that fill all lanes are quantized, the rest stays in 16 bits.
func (l *lowerer) splitColumns(p product, columns, quantized int64) {
	piece := func(v *ir.Value, operand int, from, end int64) *ir.Value {
		if isNone(v) {
			return v
		}
		return l.columns(v, fmt.Sprintf("%s_%d_%d", weightName(v), operand, from), from, end)
	}
	first, rest := p, p
	name := ir.LocationName(p.loc)
	first.loc, rest.loc = l.context.NameLoc(name+"_0", nil), l.context.NameLoc(name+"_1", nil)
	first.right, rest.right = piece(p.right, 1, 0, quantized), piece(p.right, 1, quantized, columns)
	first.bias, rest.bias = piece(p.bias, 2, 0, quantized), piece(p.bias, 2, quantized, columns)
	whole := p.op.Result(0).Type().(*ir.RankedTensorType)
	part := func(n int64) ir.Type {
		shape := append([]int64(nil), whole.Shape...)
		shape[len(shape)-1] = n
		return l.context.RankedTensorType(shape, whole.Element, whole.Encoding)
	}
	left := l.newA16MatMul(first, part(quantized))
	right := l.newMatMul(rest, part(columns-quantized))
	l.carry(p.op, right)
	joined := tpu.NewConcat(l.at, p.op.Loc(), []*ir.Value{left.Result(0), right.Result(0)},
		tpu.ConcatAttributes{Axis: int64(len(whole.Shape)) - 1}, withElement(whole, l.half))
	p.op.ReplaceAllUsesWith(joined.Operation.Results())
	p.op.Erase()
}
