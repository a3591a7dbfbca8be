package general

// This file holds the pass inline: calls become what they call.
//
//	%0 = call @f(%x) …   =>   %0 = "top.Relu"(%x) …

import (
	"context"
	"fmt"
	"slices"

	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/pass"
)

func inlineDefinition(r *pass.Registry) *pass.Definition {
	return &pass.Definition{
		Argument: "inline",
		Name:     "Inliner",
		Summary:  "replace calls of functions by the functions' bodies",
		Description: `Functions are inlined into their callers before these are, and simplified by the default pipeline first. A function
that calls itself, one marked no_inline and one with operations of unknown dialects is left. Private functions that nobody
calls any more are erased.`,
		New: func() pass.Pass {
			return &inline{registry: r, defaultPipeline: "canonicalize", threshold: unboundedThreshold, maxIterations: 4}
		},
	}
}

// unboundedThreshold is mlir-opt's default: the sizes of functions are not looked at.
const unboundedThreshold = 1<<32 - 1

type inline struct {
	registry                 *pass.Registry
	defaultPipeline          string
	pipelines                []string
	threshold, maxIterations int64
}

// Options binds the options.
func (p *inline) Options(set *pass.OptionSet) {
	set.String(&p.defaultPipeline, "default-pipeline", "the passes that simplify functions without a pipeline of their own")
	set.Strings(&p.pipelines, "op-pipelines", "pipelines for operations by name, dialect.op(pipeline)")
	set.Int64(&p.maxIterations, "max-iterations", "how often the calls of a function are looked at")
	set.Int64(&p.threshold, "inlining-threshold", "inline only what has at most this many hundredths of the caller's operations")
}

// Run inlines.
func (p *inline) Run(run *pass.Run, root *ir.Operation) error {
	if !root.HasTrait(ir.SymbolTable) {
		return root.Errorf(" was scheduled to run under the inliner, but does not define a symbol table")
	}
	if err := p.checkPipelines(); err != nil {
		return err
	}
	for _, f := range callOrder(root) {
		if err := p.simplify(run, f); err != nil {
			return err
		}
		for range p.maxIterations {
			if !p.inlineCalls(f) {
				break
			}
			if err := p.simplify(run, f); err != nil {
				return err
			}
		}
	}
	eraseUncalled(root)
	return nil
}

// callOrder returns the functions with a body in a symbol table, those that are called before their callers.
func callOrder(root *ir.Operation) []funcdialect.Func {
	var order []funcdialect.Func
	visited := map[*ir.Operation]bool{}
	var tables ir.SymbolTables
	var visit func(f funcdialect.Func)
	visit = func(f funcdialect.Func) {
		if visited[f.Operation] || f.IsDeclaration() {
			return
		}
		visited[f.Operation] = true
		f.Walk(func(op *ir.Operation) ir.WalkResult {
			if callee, ok := funcdialect.Callee(op, &tables); ok {
				visit(callee)
			}
			return ir.Advance
		})
		order = append(order, f)
	}
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if f, ok := funcdialect.AsFunc(op); ok {
			visit(f)
			return ir.Skip
		}
		return ir.Advance
	})
	return order
}

// checkPipelines parses the pipelines, before anything is changed.
func (p *inline) checkPipelines() error {
	for _, text := range p.pipelines {
		if _, err := pass.ParsePipeline(p.registry, text); err != nil {
			return fmt.Errorf("--inline: pipeline %q: %w", text, err)
		}
	}
	return nil
}

// simplify runs the pipeline that belongs to a function.
func (p *inline) simplify(run *pass.Run, f funcdialect.Func) error {
	text := ""
	if p.defaultPipeline != "" {
		text = funcdialect.FuncName + "(" + p.defaultPipeline + ")"
	}
	for _, own := range p.pipelines {
		if pipeline, err := pass.ParsePipeline(p.registry, own); err == nil && pipeline.Anchor == funcdialect.FuncName {
			text = own
		}
	}
	if text == "" {
		return nil
	}
	pipeline, err := pass.ParsePipeline(p.registry, text)
	if err != nil {
		return err
	}
	manager := pass.Manager{Pipeline: pipeline, Serial: true, Session: run.Session, Warn: run.Warn}
	return manager.Run(context.WithoutCancel(run.Context), f.Operation)
}

// inlineCalls inlines every call of a function once, and reports whether there was one.
func (p *inline) inlineCalls(f funcdialect.Func) bool {
	var tables ir.SymbolTables
	var calls []*ir.Operation
	f.Walk(func(op *ir.Operation) ir.WalkResult {
		if op.Is(funcdialect.CallName) {
			calls = append(calls, op)
		}
		return ir.Advance
	})
	changed := false
	size := countOperations(f)
	for _, call := range calls {
		callee, ok := funcdialect.Callee(call, &tables)
		if !ok || callee == f || !isInlinable(call, callee, &tables) {
			continue
		}
		if p.threshold < unboundedThreshold && int64(countOperations(callee))*100 > p.threshold*int64(size) {
			continue
		}
		inlineCall(call, callee)
		changed = true
	}
	return changed
}

func countOperations(f funcdialect.Func) int {
	n := 0
	f.Walk(func(*ir.Operation) ir.WalkResult { n++; return ir.Advance })
	return n
}

// isInlinable reports whether a body may stand in the place of a call.
func isInlinable(call *ir.Operation, callee funcdialect.Func, tables *ir.SymbolTables) bool {
	if callee.IsDeclaration() || callee.Attr("no_inline") != nil || call.Attr("no_inline") != nil {
		return false
	}
	if !callee.Region(0).HasOneBlock() && !call.Parent().Is(funcdialect.FuncName) {
		return false // the operation around the call may want a single block
	}
	return callee.Walk(func(op *ir.Operation) ir.WalkResult {
		if op.Name().Dialect() == nil {
			return ir.Interrupt
		}
		if target, ok := funcdialect.Callee(op, tables); ok && target == callee {
			return ir.Interrupt
		}
		return ir.Advance
	})
}

// inlineCall puts a copy of the body in the place of a call. Copies are located at the call.
func inlineCall(call *ir.Operation, callee funcdialect.Func) {
	copied := callee.Clone()
	locate(copied, call.Loc())
	body := copied.Region(0)
	for i, argument := range body.First().Arguments() {
		argument.ReplaceAllUsesWith(call.Operand(i))
	}
	if body.HasOneBlock() {
		inlineBlock(call, body.First())
		return
	}
	inlineBlocks(call, body)
}

// locate makes every location one of a call: what was copied, as called from there.
func locate(root *ir.Operation, caller ir.Location) {
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		op.SetLoc(calledFrom(op.Loc(), caller))
		return ir.Advance
	})
}

// calledFrom adds a call below those that a location already has.
func calledFrom(loc, caller ir.Location) ir.Location {
	if site, ok := loc.(*ir.CallSiteLoc); ok {
		return loc.Context().CallSiteLoc(site.Callee, calledFrom(site.Caller, caller))
	}
	return loc.Context().CallSiteLoc(loc, caller)
}

func inlineBlock(call *ir.Operation, b *ir.Block) {
	for op := range b.Operations() {
		if op.Is(funcdialect.ReturnName) {
			call.ReplaceAllUsesWith(op.Operands())
			break
		}
		op.MoveBefore(call)
	}
	call.Erase()
}

// inlineBlocks splits the block of the call; what follows becomes a block whose arguments are the results.
func inlineBlocks(call *ir.Operation, body *ir.Region) {
	before := call.Block()
	region := before.Region()
	after := &ir.Block{}
	for _, v := range call.Results() {
		v.ReplaceAllUsesWith(after.AddArgument(v.Type(), call.Loc()))
	}
	region.InsertBefore(after, before.Next())
	for op := call.Next(); op != nil; op = call.Next() {
		op.MoveToEnd(after)
	}
	first := body.First()
	for op := range first.Operations() {
		op.MoveBefore(call)
	}
	returnTo(before, after)
	for b := first.Next(); b != nil; b = first.Next() {
		b.Remove()
		region.InsertBefore(b, after)
		returnTo(b, after)
	}
	call.Erase()
}

// returnTo makes a func.return that ends a copied block a branch.
func returnTo(b, after *ir.Block) {
	for op := range b.Backward() {
		if op.Is(funcdialect.ReturnName) {
			ir.BuilderBefore(op).Create(&ir.OperationState{Name: op.Context().OperationName(cf.BranchName), Loc: op.Loc(),
				Operands: op.Operands(), Successors: []*ir.Block{after}})
			op.Erase()
		}
		if !op.Is(funcdialect.CallName) {
			return
		}
	}
}

// eraseUncalled erases private functions that nobody refers to, again and again, since those may be what refers to others.
func eraseUncalled(root *ir.Operation) {
	for {
		used := map[*ir.Operation]bool{}
		var tables ir.SymbolTables
		var private []*ir.Operation
		root.Walk(func(op *ir.Operation) ir.WalkResult {
			for _, ref := range operationSymbolUses(op) {
				if target := tables.Resolve(op, ref); target != nil && !isInside(op, target) {
					used[target] = true
				}
			}
			if op.Is(funcdialect.FuncName) && ir.SymbolVisibility(op) == "private" {
				private = append(private, op)
			}
			return ir.Advance
		})
		private = slices.DeleteFunc(private, func(op *ir.Operation) bool { return used[op] })
		if len(private) == 0 {
			return
		}
		for _, op := range private {
			op.Erase()
		}
	}
}

func isInside(op, outer *ir.Operation) bool {
	for ; op != nil; op = op.Parent() {
		if op == outer {
			return true
		}
	}
	return false
}
