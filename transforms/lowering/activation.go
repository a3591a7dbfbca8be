package lowering

// This file lowers activations.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// lowerSiLU computes in f32 in every mode, whether high precision is asked for or not, as TPU-MLIR does.
func lowerSiLU(l *lowerer, op *ir.Operation) error {
	s, _ := top.AsSiLU(op)
	f32 := l.context.F32()
	made := tpu.NewActive(l.at, op.Loc(), l.as(op, s.Input(), f32), tpu.ActiveAttributes{Mode: tpu.ActiveModeSILU},
		withElement(op.Result(0).Type(), f32))
	l.replace(op, made.Operation)
	return nil
}
