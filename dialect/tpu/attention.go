// What the verifier checks of attention.

package tpu

import "tpuir/dialect/shape"

func verifyFAttention(op FAttentionOp) error {
	return shape.Attention(op.Operation, &shape.Heads{
		Queries: op.Queries(), Keys: op.Keys(), Values: op.Values(), Mask: op.Mask(), Output: op.Output(),
		Batch: op.Batch(), QueryHeads: op.QHead(), KeyHeads: op.KvHead(), QueryDim: op.Dim(), ValueDim: op.Dim(),
		Mq: op.Mq(), Mk: op.Mk(), MaskSize: op.MaskSize(), KeepDims: op.KeepDims(),
	})
}

func verifyFAttentionLse(op FAttentionLseOp) error {
	return shape.Attention(op.Operation, &shape.Heads{
		Queries: op.Queries(), Keys: op.Keys(), Values: op.Values(), Mask: op.Mask(), Output: op.Output(),
		Batch: op.Batch(), QueryHeads: op.QHead(), KeyHeads: op.KvHead(), QueryDim: op.Dim(), ValueDim: op.Dim(),
		Mq: op.Mq(), Mk: op.Mk(), MaskSize: op.MaskSize(), KeepDims: op.KeepDims(),
	})
}

func verifyFlexAttention(op FlexAttentionOp) error {
	return shape.Attention(op.Operation, &shape.Heads{
		Queries: op.Queries(), Keys: op.Keys(), Values: op.Values(), Mask: op.Mask(), Output: op.Output(),
		Batch: op.Batch(), QueryHeads: op.QHead(), KeyHeads: op.KvHead(), QueryDim: op.QkD(), ValueDim: op.VD(),
		Mq: op.Mq(), Mk: op.Mk(), MaskSize: op.MaskSize(), KeepDims: op.KeepDims(),
	})
}
