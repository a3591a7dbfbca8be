// What the verifier checks of reading and writing at indices.

package tpu

import (
	"tpuir/dialect/definition"
	"tpuir/dialect/shape"
)

// verifyGather reads keepdims, which lowering leaves on the op though Tpu does not declare it.
func verifyGather(op GatherOp) error {
	return shape.Gather(op.Operation, op.Input(), op.Indices(), op.Output(), op.Axis(), definition.GetBool(op.Operation, "keepdims", true))
}
