package transforms

// This file holds the pass canonicalize: MLIR's canonicalizer, which in TPU-MLIR also quantizes weights.
//
//	%5 = "tpu.A16MatMul"(%1, %2, %0, %0, %0) {q_group_size = 0 : i64, …} : (…, tensor<64x64xf32>, none, none, none) -> …
//	=>  %8 = "tpu.A16MatMul"(%1, %7, %5, %6, %0) {q_group_size = 64 : i64, …} : (…, tensor<64x32xui8>, tensor<64x1xbf16>, …) -> …

import (
	"slices"

	"tpuir/ir"
	"tpuir/pass"
	"tpuir/rewrite"
	"tpuir/transforms/controlflow"
	"tpuir/transforms/lowering"
	"tpuir/transforms/weightfile"
)

func canonicalizeDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "canonicalize",
		Name:     "Canonicalizer",
		Summary:  "fold, erase what is dead, and rewrite operations into their usual form",
		Description: `Folds and rewrites until nothing changes. In lowered modules it also quantizes the weights of A16MatMul, takes
casts out that undo each other, and folds a sum into the product before it where that has one row. Any state is taken, and
left as it is.

    %2 = "tpu.Cast"(%1) : (tensor<1x64xsi32>) -> tensor<1x64xf32>
    %3 = "tpu.Cast"(%2) : (tensor<1x64xf32>) -> tensor<1x64xi32>
    =>  %1 in their place`,
		Peer:  true,
		Model: true,
		New: func() pass.Pass {
			return &canonicalize{topDown: true, regionSimplify: "normal", maxIterations: 10, maxRewrites: -1}
		},
	}
}

type canonicalize struct {
	topDown, testConvergence   bool
	regionSimplify             string
	maxIterations, maxRewrites int64
	disabled, enabled          []string
}

// Options binds the options.
func (p *canonicalize) Options(set *pass.OptionSet) {
	set.Bool(&p.topDown, "top-down", "visit what is used before its users")
	// MLIR 17, and so TPU-MLIR, has a bool here.
	set.Choice(&p.regionSimplify, "region-simplify", "erase what is dead across blocks; aggressive: make one of blocks that do the same", false, "normal", "aggressive", "disabled", "true", "false")
	set.Int64(&p.maxIterations, "max-iterations", "how often all is gone through at most; -1 is no bound")
	set.Int64(&p.maxRewrites, "max-num-rewrites", "rewrites of one time through at most; -1 is no bound")
	set.Bool(&p.testConvergence, "test-convergence", "fail where an end is not reached")
	set.Strings(&p.disabled, "disable-patterns", "patterns to leave out, by name")
	set.Strings(&p.enabled, "enable-patterns", "patterns to apply, all others left out")
}

// unboundedIterations stands for no bound: as good as one that is never reached.
const unboundedIterations = 1 << 30

// Run applies the patterns.
func (p *canonicalize) Run(run *pass.Run, op *ir.Operation) error {
	patterns := append(controlflow.Patterns(), lowering.Patterns(weightfile.Of(run.Session), op)...)
	patterns = slices.DeleteFunc(patterns, func(r rewrite.Pattern) bool {
		return names(p.disabled, r) || len(p.enabled) > 0 && !names(p.enabled, r)
	})
	g := rewrite.Greedy{Patterns: patterns, BottomUp: !p.topDown, HoistConstants: true, MaxIterations: int(p.maxIterations), MaxRewrites: int(max(p.maxRewrites, 0)),
		Count: func(pattern string) { run.Count(pattern, "times this pattern was applied", 1) }}
	g.Prepare = controlflow.EraseUnreachable
	if p.maxIterations < 0 {
		g.MaxIterations = unboundedIterations
	}
	if p.regionSimplify != "disabled" && p.regionSimplify != "false" {
		aggressive := p.regionSimplify == "aggressive"
		g.Simplify = func(root *ir.Operation) bool { return controlflow.Simplify(root, aggressive) }
	}
	result, err := g.Apply(run.Context, op)
	if err != nil {
		return err
	}
	if p.testConvergence && !result.Converged {
		return op.PlainErrorf("--canonicalize: still changing after %d times through", result.Iterations)
	}
	return nil
}

// names reports whether a list names a pattern: as it is, or as mlir-opt does, where patterns are C++ types.
func names(list []string, r rewrite.Pattern) bool {
	return slices.Contains(list, r.Name) || slices.Contains(list, "(anonymous namespace)::"+r.Name)
}
