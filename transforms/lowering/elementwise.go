package lowering

// This file lowers arithmetic and comparisons on elements.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func lowerAdd(l *lowerer, op *ir.Operation) error {
	made := tpu.NewAdd(l.at, op.Loc(), l.allInHalf(op, op.Operands()), tpu.AddAttributes{}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerMul(l *lowerer, op *ir.Operation) error {
	made := tpu.NewMul(l.at, op.Loc(), l.allInHalf(op, op.Operands()), tpu.MulAttributes{}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

// lowerDiv divides in f32 on bm1684x, which has no division in 16 bits.
func lowerDiv(l *lowerer, op *ir.Operation) error {
	element := l.half
	if l.chip == chipBM1684X {
		element = l.context.F32()
	}
	inputs := op.Operands()
	for i, v := range inputs {
		inputs[i] = l.as(op, v, element)
	}
	made := tpu.NewDiv(l.at, op.Loc(), inputs, tpu.DivAttributes{}, withElement(op.Result(0).Type(), element))
	l.replace(op, made.Operation)
	return nil
}

func lowerCompare(l *lowerer, op *ir.Operation) error {
	c, _ := top.AsCompare(op)
	made := tpu.NewCompare(l.at, op.Loc(), l.inHalf(op, c.Lhs()), l.inHalf(op, c.Rhs()), tpu.CompareAttributes{Mode: c.Mode()},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerCompareConst(l *lowerer, op *ir.Operation) error {
	c, _ := top.AsCompareConst(op)
	made := tpu.NewCompareConst(l.at, op.Loc(), l.inHalf(op, c.Input()),
		tpu.CompareConstAttributes{Mode: c.Mode(), ConstVal: c.ConstVal(), Inversed: c.Inversed()}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerWhere(l *lowerer, op *ir.Operation) error {
	w, _ := top.AsWhere(op)
	made := tpu.NewWhere(l.at, op.Loc(), l.inHalf(op, w.Cond()), l.inHalf(op, w.Tbrn()), l.inHalf(op, w.Fbrn()), l.none(),
		tpu.WhereAttributes{}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}
