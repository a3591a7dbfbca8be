package controlflow

// This file holds the rewrites of cf.switch.

import (
	"slices"

	"tpuir/dialect/cf"
	"tpuir/ir"
	"tpuir/rewrite"
)

func foldOnlyDefault(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	destinations := cf.Destinations(op)
	if len(destinations) != 1 {
		return false, nil
	}
	return replaceByBranch(op, r, destinations[0])
}

// dropCases leaves those cases out that the function names.
func dropCases(op *ir.Operation, r *rewrite.Rewriter, drop func(number string, to cf.Destination) bool) (bool, error) {
	destinations, numbers := cf.Destinations(op), cf.CaseValues(op)
	if len(destinations) != len(numbers)+1 {
		return false, nil
	}
	kept, keptNumbers := destinations[:1:1], []string(nil)
	for i, number := range numbers {
		if !drop(number, destinations[i+1]) {
			kept, keptNumbers = append(kept, destinations[i+1]), append(keptNumbers, number)
		}
	}
	if len(kept) == len(destinations) {
		return false, nil
	}
	return replaceBySwitch(op, r, keptNumbers, kept)
}

func replaceBySwitch(op *ir.Operation, r *rewrite.Rewriter, numbers []string, destinations []cf.Destination) (bool, error) {
	r.SetBefore(op)
	cf.NewSwitch(&r.Builder, op.Loc(), op.Operand(0), numbers, destinations)
	r.Erase(op)
	return true, nil
}

func dropCasesLikeDefault(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	destinations := cf.Destinations(op)
	return dropCases(op, r, func(_ string, to cf.Destination) bool { return to.Equal(destinations[0]) })
}

func foldSwitch(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	known, ok := knownInteger(op.Operand(0))
	if !ok {
		return false, nil
	}
	// Numbers are compared as the bytes of a dense element, two's complement from the lowest on.
	bytes := make([]byte, ir.DenseElementBytes(known.AttributeType()))
	value := known.Big()
	for i := range bytes {
		bytes[i] = byte(value.Uint64())
		if i < 8 {
			bytes[i] = byte(uint64(value.Int64()) >> (8 * i))
		}
	}
	return takeCase(op, r, string(bytes))
}

// takeCase goes where a switch goes for a number.
func takeCase(op *ir.Operation, r *rewrite.Rewriter, number string) (bool, error) {
	destinations := cf.Destinations(op)
	if destinations == nil {
		return false, nil
	}
	return replaceByBranch(op, r, destinations[1+slices.Index(cf.CaseValues(op), number)])
}

func skipPassThroughSwitch(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	destinations, changed := skipAll(cf.Destinations(op))
	if !changed {
		return false, nil
	}
	return replaceBySwitch(op, r, cf.CaseValues(op), destinations)
}

// foldSameFlag knows the number from the case of a switch that leads here.
func foldSameFlag(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	before := branchBefore(op, cf.SwitchName)
	if before == nil || before.Successor(0) == op.Block() {
		return false, nil
	}
	for i, number := range cf.CaseValues(before) {
		if before.Successor(1+i) == op.Block() {
			return takeCase(op, r, number)
		}
	}
	return false, nil
}

// dropExcludedCases knows from the switch whose default leads here which numbers it cannot be.
func dropExcludedCases(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	before := branchBefore(op, cf.SwitchName)
	if before == nil || before.Successor(0) != op.Block() {
		return false, nil
	}
	excluded := cf.CaseValues(before)
	return dropCases(op, r, func(number string, _ cf.Destination) bool { return slices.Contains(excluded, number) })
}
