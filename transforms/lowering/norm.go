package lowering

// This file lowers norms.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func lowerRMSNorm(l *lowerer, op *ir.Operation) error {
	n, _ := top.AsRMSNorm(op)
	gamma := n.Gamma()
	if !n.WeightKeepF32() {
		gamma = l.inHalf(op, gamma)
	}
	made := tpu.NewRMSNorm(l.at, op.Loc(), l.inHalf(op, n.Input()), gamma, tpu.RMSNormAttributes{Eps: n.Eps()},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}
