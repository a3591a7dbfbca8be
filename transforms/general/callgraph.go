package general

// This file holds what the inliner knows of functions: who calls whom, in which order they are looked at, and how often each
// is still referred to.

import (
	"slices"

	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
)

// callNode is a function with a body.
type callNode struct {
	funcdialect.Func
	// calls are the functions that it calls, as they stood at the start.
	calls []*callNode
	// hasNested says that there is another function inside.
	hasNested bool
	// refers counts the references in the function, by the function that they lead to.
	refers map[*callNode]int
	// discardable says that the function goes where nobody refers to it.
	discardable bool
	// uses is how many references to it are left.
	uses int
	// inlined says that the last call of it was replaced by its body.
	inlined bool
}

// isDead reports whether nobody needs the function.
func (n *callNode) isDead() bool { return n.discardable && n.uses == 0 }

// callGraph holds the functions inside an operation, in their order.
type callGraph struct {
	nodes  []*callNode
	of     map[*ir.Operation]*callNode
	tables ir.SymbolTables
}

func newCallGraph(root *ir.Operation) *callGraph {
	g := &callGraph{of: map[*ir.Operation]*callNode{}}
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		f, ok := funcdialect.AsFunc(op)
		if !ok {
			return ir.Advance
		}
		if f.IsDeclaration() {
			return ir.Skip
		}
		if around := g.around(op.Parent()); around != nil {
			around.hasNested = true
		}
		node := &callNode{Func: f, refers: map[*callNode]int{}}
		g.nodes, g.of[op] = append(g.nodes, node), node
		return ir.Advance
	})
	for _, node := range g.nodes {
		node.Walk(func(op *ir.Operation) ir.WalkResult {
			if op != node.Operation && g.of[op] != nil {
				return ir.Skip
			}
			if callee := g.callee(op); callee != nil {
				node.calls = append(node.calls, callee)
			}
			return ir.Advance
		})
	}
	g.findDiscardable(root, root.Parent() == nil, map[*ir.SymbolRefAttr]bool{})
	for _, node := range g.nodes {
		g.count(node)
	}
	return g
}

// around returns the function that an operation is, or that it is in.
func (g *callGraph) around(op *ir.Operation) *callNode {
	for ; op != nil; op = op.Parent() {
		if node := g.of[op]; node != nil {
			return node
		}
	}
	return nil
}

// callee returns the function that a func.call calls, nil where it has no body.
func (g *callGraph) callee(op *ir.Operation) *callNode {
	f, ok := funcdialect.Callee(op, &g.tables)
	if !ok {
		return nil
	}
	return g.of[f.Operation]
}

// calleeFrom is callee for an operation that is to stand in a function, and may not yet.
func (g *callGraph) calleeFrom(source *callNode, op *ir.Operation) *callNode {
	ref := funcdialect.CalleeReference(op)
	if ref == nil || len(ref.Nested) > 0 {
		return nil // as in mlir-opt, which inlines no nested references
	}
	from := op
	if ir.NearestSymbolTable(op) == nil {
		from = source.Operation
	}
	return g.of[g.tables.Resolve(from, ref)]
}

// findDiscardable marks the functions that go where they are not used: those that nobody sees from outside, and that only
// functions refer to. visible says that all uses are in the IR at hand. A reference is looked up once, where it is met
// first, as in mlir-opt.
func (g *callGraph) findDiscardable(op *ir.Operation, visible bool, met map[*ir.SymbolRefAttr]bool) {
	isTable := op.HasTrait(ir.SymbolTable)
	visible = visible || !isTable || !isSymbol(op) || ir.SymbolVisibility(op) == "private"
	for i := range op.NumRegions() {
		for b := range op.Region(i).Blocks() {
			for nested := range b.Operations() {
				g.findDiscardable(nested, visible, met)
			}
		}
	}
	if !isTable {
		return
	}
	for b := range op.Region(0).Blocks() {
		for nested := range b.Operations() {
			if node := g.of[nested]; node != nil {
				node.discardable = isDiscardable(nested, visible)
			}
		}
	}
	g.keepReferred(op, met)
}

// keepReferred makes what others than functions refer to in a symbol table indispensable.
func (g *callGraph) keepReferred(table *ir.Operation, met map[*ir.SymbolRefAttr]bool) {
	for b := range table.Region(0).Blocks() {
		for op := range b.Operations() {
			if g.of[op] != nil {
				continue
			}
			uses, _ := symbolUses(op)
			for _, ref := range uses {
				if target := g.tables.Resolve(op, ref); !met[ref] && g.of[target] != nil {
					g.of[target].discardable = false
				}
				met[ref] = true
			}
		}
	}
}

// count counts the references in a function again.
func (g *callGraph) count(node *callNode) {
	for target, n := range node.refers {
		target.uses -= n
	}
	clear(node.refers)
	uses, _ := symbolUses(node.Operation)
	for _, ref := range uses {
		if target := g.of[g.tables.Resolve(node.Operation, ref)]; target != nil {
			node.refers[target]++
			target.uses++
		}
	}
}

// moved tells that a call in a function has become a copy of what it calls.
func (g *callGraph) moved(caller *callNode, call *ir.Operation, callee *callNode) {
	for _, ref := range operationSymbolUses(call) {
		if target := g.of[g.tables.Resolve(call, ref)]; target != nil {
			caller.refer(target, -1)
			target.uses--
		}
	}
	for target, n := range callee.refers {
		caller.refer(target, n)
		target.uses += n
	}
}

// refer counts references to a function. Those that are gone leave nothing: along a chain of calls every function would come to
// hold all that follow.
func (n *callNode) refer(target *callNode, count int) {
	if n.refers[target] += count; n.refers[target] == 0 {
		delete(n.refers, target)
	}
}

// drop takes a function out whose body has gone elsewhere.
func (g *callGraph) drop(node *callNode) {
	for target, n := range node.refers {
		target.uses -= n
	}
	clear(node.refers)
	node.inlined = true
}

// components returns the functions that call each other in circles together, those that are called before their callers.
func (g *callGraph) components() [][]*callNode {
	var (
		all    [][]*callNode
		stack  []*callNode
		number = map[*callNode]int{}
		low    = map[*callNode]int{}
		done   = map[*callNode]bool{}
		visit  func(n *callNode)
	)
	visit = func(n *callNode) {
		number[n] = len(number) + 1
		low[n] = number[n]
		stack = append(stack, n)
		for _, callee := range n.calls {
			if number[callee] == 0 {
				visit(callee)
				low[n] = min(low[n], low[callee])
			} else if !done[callee] {
				low[n] = min(low[n], number[callee])
			}
		}
		if low[n] != number[n] {
			return
		}
		start := slices.Index(stack, n)
		component := slices.Clone(stack[start:])
		stack = stack[:start]
		slices.Reverse(component)
		for _, member := range component {
			done[member] = true
		}
		all = append(all, component)
	}
	for _, n := range g.nodes {
		if number[n] == 0 {
			visit(n)
		}
	}
	return all
}
