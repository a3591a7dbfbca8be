// What the verifier checks of arithmetic between tensors, beyond broadcasting.

package tpu

import (
	"tpuir/dialect/definition"
	"tpuir/dialect/shape"
	"tpuir/ir"
)

func verifyAdd(op AddOp) error {
	return shape.First(
		shape.OnePerInput(op.Operation, "coeff", op.Coeff(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "multipliers", op.Multipliers(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "rshifts", op.Rshifts(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "f8_scales", op.F8Scales(), op.Operation.NumOperands()),
	)
}

func verifySub(op SubOp) error {
	return shape.First(
		shape.OnePerInput(op.Operation, "coeff", op.Coeff(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "multipliers", op.Multipliers(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "rshifts", op.Rshifts(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "f8_scales", op.F8Scales(), op.Operation.NumOperands()),
	)
}

func verifyMax(op MaxOp) error {
	return shape.First(
		shape.OnePerInput(op.Operation, "coeff", op.Coeff(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "multipliers", op.Multipliers(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "rshifts", op.Rshifts(), op.Operation.NumOperands()),
	)
}

func verifyMin(op MinOp) error {
	return shape.First(
		shape.OnePerInput(op.Operation, "coeff", op.Coeff(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "multipliers", op.Multipliers(), op.Operation.NumOperands()),
		shape.OnePerInput(op.Operation, "rshifts", op.Rshifts(), op.Operation.NumOperands()),
	)
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
