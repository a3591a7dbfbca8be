// Package controlflow simplifies the flow between the blocks of regions: the usual forms of branches and calls, and
// regions without blocks that nothing reaches, values that nobody needs, and blocks that say the same.
package controlflow

import (
	"tpuir/dialect/arith"
	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/rewrite"
)

// Patterns returns the rewrites of branches, assertions and calls, named as mlir-opt names them where it does.
func Patterns() []rewrite.Pattern {
	pattern := func(name, root string, apply rewriteFunc) rewrite.Pattern {
		return rewrite.Pattern{Name: name, Root: root, Benefit: 1, Rewrite: apply}
	}
	return []rewrite.Pattern{
		pattern("EraseTrueAssert", cf.AssertName, eraseTrueAssert),
		pattern("SimplifyBrToBlockWithSinglePred", cf.BranchName, mergeIntoPredecessor),
		pattern("SimplifyPassThroughBr", cf.BranchName, skipPassThrough),
		pattern("SimplifyConstCondBranchPred", cf.CondBranchName, foldCondBranch),
		pattern("SimplifyPassThroughCondBranch", cf.CondBranchName, skipPassThroughCondBranch),
		pattern("SimplifyCondBranchIdenticalSuccessors", cf.CondBranchName, foldIdenticalSuccessors),
		pattern("SimplifyCondBranchFromCondBranchOnSameCondition", cf.CondBranchName, foldSameCondition),
		pattern("CondBranchTruthPropagation", cf.CondBranchName, propagateTruth),
		pattern("RedundantSelectFalse", arith.SelectName, skipSelectOfSame(2)),
		pattern("RedundantSelectTrue", arith.SelectName, skipSelectOfSame(1)),
		pattern("SimplifySwitchWithOnlyDefault", cf.SwitchName, foldOnlyDefault),
		pattern("DropSwitchCasesThatMatchDefault", cf.SwitchName, dropCasesLikeDefault),
		pattern("SimplifyConstSwitchValue", cf.SwitchName, foldSwitch),
		pattern("SimplifyPassThroughSwitch", cf.SwitchName, skipPassThroughSwitch),
		pattern("SimplifySwitchFromSwitchOnSameCondition", cf.SwitchName, foldSameFlag),
		pattern("SimplifySwitchFromDefaultSwitchOnSameCondition", cf.SwitchName, dropExcludedCases),
		pattern("SimplifyIndirectCallWithKnownCallee", funcdialect.CallIndirectName, callDirectly),
	}
}
