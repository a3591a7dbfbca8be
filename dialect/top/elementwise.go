// What the verifier checks of arithmetic between tensors, beyond broadcasting.

package top

import (
	"tpuir/dialect/definition"
	"tpuir/dialect/shape"
	"tpuir/ir"
)

func verifyAdd(op AddOp) error {
	return shape.OnePerInput(op.Operation, "coeff", op.Coeff(), op.Operation.NumOperands())
}

func verifySub(op SubOp) error {
	return shape.OnePerInput(op.Operation, "coeff", op.Coeff(), op.Operation.NumOperands())
}

func verifyWhere(op WhereOp) error {
	for _, branch := range []struct {
		value     *ir.Value
		name      string
		attribute string
		constant  bool
	}{{op.Tbrn(), "tbrn", "x_is_const", op.XIsConst()}, {op.Fbrn(), "fbrn", "y_is_const", op.YIsConst()}} {
		if definition.IsNone(branch.value) && !branch.constant {
			return op.Operation.Errorf("operand %s may only be a none where attribute '%s' is true", branch.name, branch.attribute)
		}
	}
	return shape.BroadcastTo(op.Operation, []*ir.Value{op.Cond(), op.Tbrn(), op.Fbrn()}, op.Output())
}
