// What the verifier checks of rotary position embedding.

package tpu

import "tpuir/dialect/shape"

func verifyRope(op RopeOp) error {
	return shape.Rope(op.Operation, op.Input1(), op.Input2(), op.Input3(), op.Output())
}
