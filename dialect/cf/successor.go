package cf

// This file tells which operands of a branch become which arguments of a block.

import "tpuir/ir"

// SuccessorOperands returns the range of operands that the i-th successor of a branch gets; ok is false for an operation
// that is no branch of this dialect.
func SuccessorOperands(op *ir.Operation, i int) (start, end int, ok bool) {
	switch {
	case op.Is(BranchName):
		return 0, op.NumOperands(), true
	case op.Is(CondBranchName):
		trueValues, _, ok := branchOperands(op)
		if i == 0 {
			return 1, 1 + len(trueValues), ok
		}
		return 1 + len(trueValues), op.NumOperands(), ok
	}
	return 0, 0, false
}

// EraseSuccessorOperand takes the n-th operand of the i-th successor out of a branch.
func EraseSuccessorOperand(op *ir.Operation, i, n int) {
	start, _, ok := SuccessorOperands(op, i)
	if !ok {
		return
	}
	operands := op.Operands()
	op.SetOperands(append(operands[:start+n:start+n], operands[start+n+1:]...))
	if segments, isArray := op.Attr(segmentsAttribute).(*ir.DenseArrayAttr); isArray {
		sizes := make([]int32, 3)
		for at, size := range segments.Ints() {
			sizes[at] = int32(size)
		}
		sizes[1+i]--
		op.SetAttr(segmentsAttribute, op.Context().DenseI32Array(sizes...))
	}
}
