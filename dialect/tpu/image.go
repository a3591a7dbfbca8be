// What the verifier checks of ops on images.

package tpu

import "tpuir/dialect/shape"

func verifyUpsample(op UpsampleOp) error {
	return shape.Scaled(op.Operation, op.Input(), op.Output(), op.ScaleH(), op.ScaleW())
}
