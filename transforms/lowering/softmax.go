package lowering

// This file lowers softmax.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// lowerSoftmax computes in f32 where high precision is asked for.
func lowerSoftmax(l *lowerer, op *ir.Operation) error {
	s, _ := top.AsSoftmax(op)
	mode, ok := tpu.ParseRoundMode(s.RoundMode())
	if !ok {
		return op.Errorf("has no lowering in mode %s for round mode \"%s\"", l.mode, s.RoundMode())
	}
	element := l.half
	if l.highPrecision {
		element = l.context.F32()
	}
	none := l.none()
	made := tpu.NewSoftmax(l.at, op.Loc(), l.as(op, s.Input(), element), none, none, none, none, none,
		tpu.SoftmaxAttributes{Axis: s.Axis(), RoundMode: &mode}, withElement(op.Result(0).Type(), element))
	l.replace(op, made.Operation, "round_mode")
	return nil
}
