package general

// This file holds the pass remove-dead-values: what nobody needs goes, across branches and calls.
//
//	func.func private @p(%a: i32, %unused: i64) …    =>   func.func private @p(%a: i32) …
//	call @p(%x, %y) …                                      call @p(%x) …

import (
	"slices"

	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/rewrite"
)

func removeDeadValuesDefinition(r *pass.Registry) *pass.Definition {
	return &pass.Definition{
		Argument: "remove-dead-values",
		Name:     "RemoveDeadValues",
		Summary:  "erase results, block arguments, and arguments and results of private functions that nobody needs",
		Description: `A value is needed where an operation with effects uses it, where a public function gives it, or where a value that is
needed is computed from it. Operations with effects stay. Private functions change only where all their uses are calls.`,
		New: func() pass.Pass { return &removeDeadValues{registry: r, canonicalize: true} },
	}
}

type removeDeadValues struct {
	registry     *pass.Registry
	canonicalize bool
}

// Options binds the options.
func (p *removeDeadValues) Options(set *pass.OptionSet) {
	set.Bool(&p.canonicalize, "canonicalize", "canonicalize operations with regions that branch")
}

// Run erases.
func (p *removeDeadValues) Run(_ *pass.Run, root *ir.Operation) error {
	l := &liveness{live: map[*ir.Value]bool{}, functions: map[*ir.Operation]*function{}, calls: map[*ir.Operation]*function{},
		ranges: map[*ir.Operation][]cf.OperandRange{}}
	l.findFunctions(root)
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		l.seed(op)
		return ir.Advance
	})
	l.propagate()
	l.findDeadArguments(root)
	l.eraseOperations(root)
	l.eraseArguments()
	for _, f := range l.order {
		l.shrink(f)
	}
	return nil
}

// function is a private function that only calls refer to.
type function struct {
	funcdialect.Func
	calls, returns []*ir.Operation
}

// liveness finds the values that are needed.
type liveness struct {
	live      map[*ir.Value]bool
	work      []*ir.Value
	functions map[*ir.Operation]*function
	calls     map[*ir.Operation]*function
	order     []*function
	arguments []*ir.Value // of blocks, that nobody needs
	// ranges holds what the successors of a branch get, found once: there are as many questions as arguments.
	ranges map[*ir.Operation][]cf.OperandRange
}

// passed returns the operands that the i-th successor of an operation gets; ok is false where that is not known.
func (l *liveness) passed(op *ir.Operation, i int) (r cf.OperandRange, ok bool) {
	ranges, found := l.ranges[op]
	if !found {
		ranges = cf.OperandRanges(op)
		l.ranges[op] = ranges
	}
	if i >= len(ranges) {
		return cf.OperandRange{}, false
	}
	return ranges[i], true
}

// findFunctions finds the functions with a body that nobody sees from outside, and their calls and returns.
func (l *liveness) findFunctions(root *ir.Operation) {
	var tables ir.SymbolTables
	escaped := map[*ir.Operation]bool{}
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if f, ok := funcdialect.AsFunc(op); ok && isDiscardable(op, root.Parent() == nil) && !f.IsDeclaration() {
			l.functions[op] = &function{Func: f}
			l.order = append(l.order, l.functions[op])
		}
		return ir.Advance
	})
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		callee, isCall := funcdialect.Callee(op, &tables)
		for _, ref := range operationSymbolUses(op) {
			target := tables.Resolve(op, ref)
			if f := l.functions[target]; f != nil && isCall && callee.Operation == target {
				f.calls = append(f.calls, op)
				l.calls[op] = f
			} else if target != nil {
				escaped[target] = true
			}
		}
		if op.Is(funcdialect.ReturnName) {
			if f := l.functions[op.Parent()]; f != nil {
				f.returns = append(f.returns, op)
			}
		}
		return ir.Advance
	})
	l.order = slices.DeleteFunc(l.order, func(f *function) bool {
		if !escaped[f.Operation] {
			return false
		}
		delete(l.functions, f.Operation)
		for _, call := range f.calls {
			delete(l.calls, call)
		}
		return true
	})
}

// operationSymbolUses returns the references in an operation itself.
func operationSymbolUses(op *ir.Operation) []*ir.SymbolRefAttr {
	uses := appendSymbolUses(nil, op.Attributes())
	if p := op.Properties(); p != nil {
		uses = appendSymbolUses(uses, p)
	}
	return uses
}

// seed marks the operands that an operation needs whatever becomes of its results.
func (l *liveness) seed(op *ir.Operation) {
	switch {
	case l.calls[op] != nil:
	case op.Is(funcdialect.ReturnName) && l.functions[op.Parent()] != nil:
	case op.NumSuccessors() > 0:
		passed := map[int]bool{}
		for i := range op.NumSuccessors() {
			r, _ := l.passed(op, i)
			for n := r.Start; n < r.End; n++ {
				passed[n] = true
			}
		}
		for n, v := range op.Operands() {
			if !passed[n] {
				l.mark(v)
			}
		}
	case op.HasTrait(ir.Terminator) || !rewrite.HasNoEffect(op):
		for _, v := range op.Operands() {
			l.mark(v)
		}
	}
}

func (l *liveness) mark(v *ir.Value) {
	if !l.live[v] {
		l.live[v] = true
		l.work = append(l.work, v)
	}
}

// propagate marks what values that are needed are computed from.
func (l *liveness) propagate() {
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		if op := v.DefiningOp(); op != nil {
			l.fromResult(op, v.Index())
		} else {
			l.fromArgument(v)
		}
	}
}

func (l *liveness) fromResult(op *ir.Operation, index int) {
	f := l.calls[op]
	if f == nil {
		for _, operand := range op.Operands() {
			l.mark(operand)
		}
		return
	}
	for _, r := range f.returns {
		l.mark(r.Operand(index))
	}
}

func (l *liveness) fromArgument(v *ir.Value) {
	b := v.Block()
	if f := l.functions[b.ParentOp()]; f != nil && b.IsEntry() {
		for _, call := range f.calls {
			l.mark(call.Operand(v.Index()))
		}
		return
	}
	for use := range b.Uses() {
		if r, ok := l.passed(use.Owner(), use.Index()); ok {
			l.mark(use.Owner().Operand(r.Start + v.Index()))
		}
	}
}

// eraseOperations erases operations without effects whose results nobody needs. Users go before what they use; what is
// left of their uses is in other operations that go, or in branches and calls that lose the operand.
func (l *liveness) eraseOperations(root *ir.Operation) {
	var dead []*ir.Operation
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if op == root || op.HasTrait(ir.Terminator|ir.Symbol) || !rewrite.HasNoEffect(op) || op.NumResults() == 0 {
			return ir.Advance
		}
		for _, v := range op.Results() {
			if l.live[v] {
				return ir.Advance
			}
		}
		dead = append(dead, op)
		return ir.Skip
	})
	for _, f := range l.order {
		l.dropCallOperands(f)
	}
	l.dropBranchOperands()
	for _, op := range slices.Backward(dead) {
		if op.Unused() {
			op.Erase()
		}
	}
}

// dropBranchOperands takes the operands for arguments that nobody needs out of branches.
func (l *liveness) dropBranchOperands() {
	for _, v := range l.arguments {
		for use := range v.Block().Uses() {
			cf.EraseSuccessorOperand(use.Owner(), use.Index(), v.Index())
		}
	}
}

// findDeadArguments finds the arguments of blocks that only known branches go to, and that nobody needs, the last of each
// block first.
func (l *liveness) findDeadArguments(root *ir.Operation) {
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		for i := range op.NumRegions() {
			for b := range op.Region(i).Blocks() {
				if b.IsEntry() || !l.hasKnownPredecessors(b) {
					continue
				}
				for _, v := range slices.Backward(slices.Clone(b.Arguments())) {
					if !l.live[v] && !l.gets(v) {
						l.arguments = append(l.arguments, v)
					}
				}
			}
		}
		return ir.Advance
	})
}

// gets reports whether a branch gives an argument something that is needed elsewhere: mlir-opt then keeps it.
func (l *liveness) gets(v *ir.Value) bool {
	for use := range v.Block().Uses() {
		r, ok := l.passed(use.Owner(), use.Index())
		if at := r.Start + v.Index(); ok && at < r.End && l.live[use.Owner().Operand(at)] {
			return true
		}
	}
	return false
}

func (l *liveness) hasKnownPredecessors(b *ir.Block) bool {
	for use := range b.Uses() {
		if _, ok := l.passed(use.Owner(), use.Index()); !ok {
			return false
		}
	}
	return true
}

// dropCallOperands takes dead arguments out of the calls of a function, and dead results out of its returns.
func (l *liveness) dropCallOperands(f *function) {
	for _, call := range f.calls {
		call.SetOperands(kept(call.Operands(), func(i int) bool { return l.live[f.Args()[i]] }))
	}
	for _, r := range f.returns {
		r.SetOperands(kept(r.Operands(), func(i int) bool { return l.resultLive(f, i) }))
	}
}

// resultLive reports whether some call needs a result.
func (l *liveness) resultLive(f *function, i int) bool {
	return slices.ContainsFunc(f.calls, func(call *ir.Operation) bool { return l.live[call.Result(i)] })
}

func (l *liveness) eraseArguments() {
	dead := map[*ir.Value]bool{}
	for _, v := range l.arguments {
		dead[v] = true
	}
	for _, v := range l.arguments {
		if dead[v] { // else it went with another of its block
			v.Block().EraseArguments(func(v *ir.Value) bool {
				erase := dead[v]
				delete(dead, v)
				return erase
			})
		}
	}
}

// shrink gives a function and its calls the type that is left.
func (l *liveness) shrink(f *function) {
	t := f.Type()
	argument := func(i int) bool { return l.live[f.Args()[i]] }
	result := func(i int) bool { return l.resultLive(f, i) }
	shorter := f.Context().FunctionType(kept(t.Inputs, argument), kept(t.Results, result))
	if shorter == t {
		return
	}
	shrinkAttribute(f.Operation, "arg_attrs", argument)
	shrinkAttribute(f.Operation, "res_attrs", result)
	keptResults := kept(indexes(len(t.Results)), result)
	for _, call := range f.calls {
		shrinkAttribute(call, "arg_attrs", argument)
		shrinkAttribute(call, "res_attrs", result)
		replaceCall(call, shorter.Results, keptResults)
	}
	f.Entry().EraseArguments(func(v *ir.Value) bool { return !argument(v.Index()) })
	f.SetType(shorter)
}

// replaceCall makes a call with the results that are left.
func replaceCall(call *ir.Operation, types []ir.Type, from []int) {
	if len(types) == call.NumResults() {
		return
	}
	state := &ir.OperationState{Name: call.Name(), Loc: call.Loc(), Operands: call.Operands(), Types: types, Attributes: call.Attributes(),
		Properties: call.Properties(), Position: call.Position()}
	shorter := ir.BuilderBefore(call).Create(state)
	for i, index := range from {
		call.Result(index).ReplaceAllUsesWith(shorter.Result(i))
	}
	call.Erase()
}

func shrinkAttribute(op *ir.Operation, name string, keep func(int) bool) {
	list, ok := op.Attr(name).(*ir.ArrayAttr)
	if !ok {
		return
	}
	left := kept(list.Elements, keep)
	if slices.ContainsFunc(left, func(a ir.Attribute) bool { return len(a.(*ir.DictionaryAttr).Entries) > 0 }) {
		op.SetAttr(name, op.Context().Array(left...))
	} else {
		op.RemoveAttr(name)
	}
}

func kept[T any](list []T, keep func(int) bool) []T {
	var left []T
	for i, e := range list {
		if keep(i) {
			left = append(left, e)
		}
	}
	return left
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
