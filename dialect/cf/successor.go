package cf

// This file tells which operands of a branch become which arguments of a block, and changes them.

import (
	"slices"

	"tpuir/ir"
)

// Destination is a block that a branch may go to, with the values that become its arguments.
type Destination struct {
	Block  *ir.Block
	Values []*ir.Value
}

// Equal reports whether both are the same block with the same values.
func (d Destination) Equal(other Destination) bool {
	return d.Block == other.Block && slices.Equal(d.Values, other.Values)
}

// Destinations returns where a branch may go, in the order of its successors: those of a switch begin with the default.
// It returns nil for an operation that is no branch of this dialect.
func Destinations(op *ir.Operation) []Destination {
	var parts [][]*ir.Value
	switch {
	case op.Is(BranchName):
		parts = [][]*ir.Value{op.Operands()}
	case op.Is(CondBranchName):
		trueValues, falseValues, ok := branchOperands(op)
		if !ok {
			return nil
		}
		parts = [][]*ir.Value{trueValues, falseValues}
	case op.Is(SwitchName):
		parts, _ = switchOperands(op)
	}
	if len(parts) != op.NumSuccessors() {
		return nil
	}
	destinations := make([]Destination, len(parts))
	for i, values := range parts {
		destinations[i] = Destination{op.Successor(i), values}
	}
	return destinations
}

// OperandRange is the operands of a branch that a successor gets: those from Start up to End.
type OperandRange struct{ Start, End int }

// OperandRanges returns the operands that each successor of a branch gets; nil for an operation that is no branch of this
// dialect.
func OperandRanges(op *ir.Operation) []OperandRange {
	destinations := Destinations(op)
	if destinations == nil {
		return nil
	}
	ranges := make([]OperandRange, len(destinations))
	end := op.NumOperands()
	for i, d := range slices.Backward(destinations) {
		ranges[i] = OperandRange{end - len(d.Values), end}
		end = ranges[i].Start
	}
	return ranges
}

// EraseSuccessorOperand takes the n-th operand of the i-th successor out of a branch.
func EraseSuccessorOperand(op *ir.Operation, i, n int) {
	if destinations := Destinations(op); i < len(destinations) {
		SetSuccessorOperands(op, i, slices.Delete(slices.Clone(destinations[i].Values), n, n+1))
	}
}

// SetSuccessorOperands gives the i-th successor of a branch other values.
func SetSuccessorOperands(op *ir.Operation, i int, values []*ir.Value) {
	ranges := OperandRanges(op)
	if i >= len(ranges) {
		return
	}
	start, end := ranges[i].Start, ranges[i].End
	op.SetOperands(slices.Replace(op.Operands(), start, end, values...))
	change := int32(len(values) - (end - start))
	if op.Is(CondBranchName) || op.Is(SwitchName) {
		resize(op, segmentsAttribute, min(1+i, 2), change)
	}
	if op.Is(SwitchName) && i > 0 {
		resize(op, caseSegmentsAttribute, i-1, change)
	}
}

// resize adds to one of the sizes that an attribute holds.
func resize(op *ir.Operation, attribute string, at int, change int32) {
	segments, ok := op.Attr(attribute).(*ir.DenseArrayAttr)
	if !ok {
		return
	}
	sizes := make([]int32, 0, 3)
	for _, size := range segments.Ints() {
		sizes = append(sizes, int32(size))
	}
	sizes[at] += change
	op.SetAttr(attribute, op.Context().DenseI32Array(sizes...))
}
