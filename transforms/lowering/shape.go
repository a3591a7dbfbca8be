package lowering

// This file lowers what moves elements without computing anything.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// lowerReshape takes the elements in whatever type they come.
func lowerReshape(l *lowerer, op *ir.Operation) error {
	r, _ := top.AsReshape(op)
	if r.ShapeT() != nil {
		return op.Errorf("has no lowering in mode %s where a tensor gives the shape", l.mode)
	}
	input := r.Input()
	if isWeight(input) {
		input = l.inHalf(op, input)
	}
	made := tpu.NewReshape(l.at, op.Loc(), input, nil, tpu.ReshapeAttributes{Shape: r.Shape()},
		withElement(op.Result(0).Type(), elementOf(input)))
	l.replace(op, made.Operation)
	return nil
}

func lowerPermute(l *lowerer, op *ir.Operation) error {
	p, _ := top.AsPermute(op)
	made := tpu.NewPermute(l.at, op.Loc(), l.inHalf(op, p.Input()), l.none(), tpu.PermuteAttributes{Order: p.Order()},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerConcat(l *lowerer, op *ir.Operation) error {
	c, _ := top.AsConcat(op)
	made := tpu.NewConcat(l.at, op.Loc(), l.allInHalf(op, op.Operands()), tpu.ConcatAttributes{Axis: c.Axis()},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation, "round_mode")
	return nil
}
