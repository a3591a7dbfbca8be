package lowering

// This file lowers the borders of a function: inputs and the return.

import (
	"tpuir/ir"
)

// lowerInput gives an input of integers its own type back: Top IR counts in f32. The others take what leaves it in f32 from
// a cast.
func lowerInput(l *lowerer, op *ir.Operation) error {
	argument, result := op.Operand(0), op.Result(0)
	if _, integer := elementOf(argument).(*ir.IntegerType); !integer || elementOf(result) != l.context.F32() {
		return nil
	}
	counted := result.Type()
	result.SetType(withElement(counted, elementOf(argument)))
	cast := l.cast(result, l.context.F32(), "_"+l.context.F32().String())
	for use := range result.Uses() {
		if use.Owner() != cast.DefiningOp() {
			use.Set(cast)
		}
	}
	return nil
}

// lowerReturn lets floating-point results leave in f32 and integers as they are.
func (l *lowerer) lowerReturn(op *ir.Operation) {
	for i, v := range op.Operands() {
		if _, float := elementOf(v).(*ir.FloatType); float {
			op.SetOperand(i, l.castResult(v))
		}
	}
	l.fn.SetType(l.context.FunctionType(l.fn.Type().Inputs, op.OperandTypes()))
}

func (l *lowerer) castResult(v *ir.Value) *ir.Value {
	if elementOf(v) == l.context.F32() {
		return v
	}
	return l.cast(v, l.context.F32(), "_"+l.context.F32().String())
}
