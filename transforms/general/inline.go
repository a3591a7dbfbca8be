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
	set.Uint32(&p.maxIterations, "max-iterations", "how often the calls of a function are looked at")
	set.Uint32(&p.threshold, "inlining-threshold", "inline only what has at most this many hundredths of the caller's operations")
}

// Run inlines.
func (p *inline) Run(run *pass.Run, root *ir.Operation) error {
	if !root.HasTrait(ir.SymbolTable) {
		return root.Errorf(" was scheduled to run under the inliner, but does not define a symbol table")
	}
	if err := p.checkPipelines(); err != nil {
		return err
	}
	g := newCallGraph(root)
	i := &inliner{inline: p, graph: g, limit: copiedAlways}
	root.Walk(func(*ir.Operation) ir.WalkResult {
		i.limit += copiedForEach
		return ir.Advance
	})
	for _, component := range g.components() {
		if err := i.component(run, component); err != nil {
			return err
		}
	}
	for _, dead := range i.dead {
		dead.Erase()
	}
	return nil
}

// inliner is one run of the pass.
type inliner struct {
	*inline
	graph  *callGraph
	dead   []*callNode
	copied int   // operations, so far
	limit  int   // of them
	err    error // that too many were copied
}

// A run copies up to copiedAlways operations, and more where the input has more, copiedForEach for each. Functions that each
// call the one before twice are a short text for a program without end.
const (
	copiedAlways  = 1_000_000
	copiedForEach = 64
)

// component inlines into functions that call each other, and simplifies them, until there is nothing left to inline.
func (i *inliner) component(run *pass.Run, component []*callNode) error {
	for round := int64(0); ; round++ {
		for _, node := range component {
			if node.hasNested {
				continue
			}
			if err := i.simplify(run, node.Func); err != nil {
				return err
			}
			i.graph.count(node)
		}
		var changed bool
		if component, changed = i.inlineCalls(component); !changed || round+1 >= i.maxIterations {
			return i.err
		}
	}
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

// call is a call that may be inlined. history are the functions that it came from by inlining, the last first.
type call struct {
	op             *ir.Operation
	source, target *callNode
	history        *history
}

type history struct {
	target *callNode
	before *history
}

func (h *history) holds(n *callNode) bool {
	for ; h != nil; h = h.before {
		if h.target == n {
			return true
		}
	}
	return false
}

// inlineCalls inlines the calls of functions and those that this brings in. It returns the functions that are left, and
// whether there was a call to inline.
func (i *inliner) inlineCalls(component []*callNode) (left []*callNode, changed bool) {
	gone := map[*callNode]bool{}
	var calls []call
	for _, node := range component {
		if node.isDead() {
			gone[node] = true
			i.dead = append(i.dead, node)
		} else {
			calls = i.collect(calls, node, node.Region(0), nil)
		}
	}
	for n := 0; n < len(calls); n++ {
		c := calls[n]
		if gone[c.source] || c.history.holds(c.target) || !i.shouldInline(c) {
			continue
		}
		last := c.target.discardable && c.target.uses == 1
		if i.copied += countOperations(c.target.Func); i.copied > i.limit {
			i.err = c.op.PlainErrorf("inlining makes more than %d operations: functions call others more than once, level after level", i.limit)
			return component, false
		}
		copied := c.target.Clone()
		calls = i.collect(calls, c.source, copied.Region(0), &history{c.target, c.history})
		i.graph.moved(c.source, c.op, c.target)
		inlineCall(c.op, copied)
		changed = true
		if last {
			i.graph.drop(c.target)
			gone[c.target] = true
			i.dead = append(i.dead, c.target)
		}
	}
	return slices.DeleteFunc(slices.Clone(component), func(n *callNode) bool { return gone[n] }), changed
}

// collect adds the calls in a region of a function, the last block first.
func (i *inliner) collect(calls []call, source *callNode, region *ir.Region, from *history) []call {
	var work []*ir.Block
	add := func(r *ir.Region) {
		for b := range r.Blocks() {
			work = append(work, b)
		}
	}
	for add(region); len(work) > 0; {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		for op := range block.Operations() {
			if callee := i.graph.calleeFrom(source, op); callee != nil {
				calls = append(calls, call{op, source, callee, from})
				continue
			}
			for n := range op.NumRegions() {
				if i.graph.of[op] == nil {
					add(op.Region(n))
				}
			}
		}
	}
	return calls
}

// shouldInline reports whether a body may stand in the place of a call.
func (i *inliner) shouldInline(c call) bool {
	if c.target.inlined || slices.Contains(c.target.calls, c.target) || slices.Contains(c.target.calls, c.source) {
		return false
	}
	if isInside(c.op, c.target.Operation) {
		return false
	}
	if around := c.op.Parent(); !c.target.Region(0).HasOneBlock() && !around.Is(funcdialect.FuncName) && around.MightHaveTrait(ir.SingleBlock) {
		return false // the operation around the call may want a single block
	}
	return i.isProfitable(c) && isLegal(c)
}

// isProfitable compares the sizes of both functions.
func (i *inliner) isProfitable(c call) bool {
	if i.threshold == 0 || i.threshold >= unboundedThreshold {
		return i.threshold != 0
	}
	size := countOperations(c.source.Func)
	return size == 0 || int64(countOperations(c.target.Func))*100/int64(size) <= i.threshold
}

// countOperations counts the operations in a function.
func countOperations(f funcdialect.Func) int {
	n := -1
	f.Walk(func(*ir.Operation) ir.WalkResult { n++; return ir.Advance })
	return n
}

// isLegal reports whether neither side forbids inlining, and all that is inlined is of known dialects, as what it comes into.
func isLegal(c call) bool {
	if c.op.Parent().Name().Dialect() == nil || c.target.Attr("no_inline") != nil || c.op.Attr("no_inline") != nil {
		return false
	}
	return c.target.Walk(func(op *ir.Operation) ir.WalkResult {
		if op.Name().Dialect() == nil {
			return ir.Interrupt
		}
		return ir.Advance
	})
}

// inlineCall puts the body of a copied function in the place of a call. Copies are located at the call.
func inlineCall(call, copied *ir.Operation) {
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
			op.Erase() // what it returns may be dead now
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

func isInside(op, outer *ir.Operation) bool {
	for ; op != nil; op = op.Parent() {
		if op == outer {
			return true
		}
	}
	return false
}
