// What the verifier checks of normalizations.

package top

import "tpuir/dialect/shape"

func verifyRMSNorm(op RMSNormOp) error {
	return shape.Normalized(op.Operation, op.Input(), op.Output(), -1, op.Eps(), op.Gamma())
}

func verifyLayerNorm(op LayerNormOp) error {
	return shape.First(
		shape.Normalized(op.Operation, op.Input(), op.Output(), op.Axis(), op.Eps(), op.Weight(), op.Bias()),
		shape.NormalizedShape(op.Operation, op.Input(), op.Axis(), op.NormalizedShape()),
	)
}

func verifyGroupNorm(op GroupNormOp) error {
	return shape.First(
		shape.Groups(op.Operation, op.Input(), "num_groups", op.NumGroups()),
		shape.Channels(op.Operation, op.Input(), op.Output(), op.Weight(), op.Bias()),
	)
}

func verifyInstanceNorm(op InstanceNormOp) error {
	return shape.Channels(op.Operation, op.Input(), op.Output(), op.Weight(), op.Bias())
}

func verifyBatchNorm(op BatchNormOp) error {
	return shape.Channels(op.Operation, op.Input(), op.Output(), op.Mean(), op.Variance(), op.Gamma(), op.Beta())
}
