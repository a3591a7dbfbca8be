package lowering

// This file lowers attention.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func lowerFAttention(l *lowerer, op *ir.Operation) error {
	a, _ := top.AsFAttention(op)
	mask := a.Mask()
	if !isNone(mask) && !isWeight(mask) { // a mask that is a weight stays f32
		mask = l.inHalf(op, mask)
	}
	made := tpu.NewFAttention(l.at, op.Loc(), l.inHalf(op, a.Queries()), l.inHalf(op, a.Keys()), l.inHalf(op, a.Values()), mask, l.none(),
		tpu.FAttentionAttributes{Scale: a.Scale(), Batch: a.Batch(), QHead: a.QHead(), KvHead: a.KvHead(), Dim: a.Dim(), Mq: a.Mq(), Mk: a.Mk()},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}
