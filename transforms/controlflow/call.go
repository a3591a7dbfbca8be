package controlflow

// This file makes calls of known functions direct.

import (
	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/rewrite"
)

func callDirectly(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	callee, ok := rewrite.ConstantValue(op.Operand(0)).(*ir.SymbolRefAttr)
	if !ok {
		return false, nil
	}
	r.SetBefore(op)
	call := funcdialect.NewCallOf(&r.Builder, op.Loc(), callee, op.Operands()[1:], op.ResultTypes()...)
	r.ReplaceWith(op, call)
	return true, nil
}
