// What the verifier checks of control flow.

package tpu

import "tpuir/dialect/shape"

func verifyIf(op IfOp) error {
	return shape.First(
		shape.Yields(op.Operation, op.ThenBranch(), "then branch", "tpu.Yield", op.Output()),
		shape.Yields(op.Operation, op.ElseBranch(), "else branch", "tpu.Yield", op.Output()),
	)
}
