package interp

// This file turns a function of the IR into a Program: it gives every value a slot, builds a kernel for each op, inlines
// calls and the regions of layer groups, and finds out after which step a value's memory is free.

import (
	"context"
	"errors"
	"fmt"

	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// Options say how a net is compiled.
type Options struct {
	// Observable keeps every named value apart, so that Program.Observe shows all of them; without it, ops may be
	// evaluated together.
	Observable bool
}

// maxCallDepth bounds how deep calls are inlined.
const maxCallDepth = 64

// Compile makes a net ready to run. op is a func.func, or a module that holds the function @main, itself or in one module
// inside. The IR must have been verified, and must not change while the program is in use. Weights may be nil where the
// net has none; programs compiled with the same *Cache share what it decoded. An op that the evaluator lacks gives an
// error at its location.
func Compile(ctx context.Context, op *ir.Operation, weights Weights, options Options) (*Program, error) {
	function, err := FindMain(op)
	if err != nil {
		return nil, err
	}
	cache, ok := weights.(*Cache)
	if !ok {
		cache = NewCache(weights, 0)
	}
	b := &builder{ctx: ctx, program: &Program{cache: cache, dynamic: IsDynamic(op)}, options: options,
		slots: map[*ir.Value]slot{}, weights: map[*ir.Value]top.WeightOp{},
		joined: map[*ir.Value][]slot{}}
	if err := b.function(function); err != nil {
		return nil, err
	}
	b.plan()
	return b.program, nil
}

// FindMain returns the function to run: op itself, or the one named main inside.
func FindMain(op *ir.Operation) (*ir.Operation, error) {
	if op.Is(funcdialect.FuncName) {
		return op, nil
	}
	var functions, modules []*ir.Operation
	if op.NumRegions() > 0 && !op.Region(0).Empty() {
		for nested := range op.Region(0).First().Operations() {
			switch {
			case nested.Is(funcdialect.FuncName) && ir.SymbolName(nested) == "main":
				return nested, nil
			case nested.Is(funcdialect.FuncName):
				functions = append(functions, nested)
			case nested.Is("builtin.module"):
				modules = append(modules, nested)
			}
		}
	}
	switch {
	case len(modules) == 1:
		return FindMain(modules[0])
	case len(functions) == 1 && len(modules) == 0:
		return functions[0], nil
	case len(modules) > 1:
		return nil, op.Errorf("holds %d nets: choose one of them", len(modules))
	}
	return nil, op.Errorf("has no function @main")
}

// IsDynamic reports whether a net runs on inputs shorter than their types say: where TPU-MLIR says so of the module around
// op, and where an attention inside makes its own causal mask, for any length.
func IsDynamic(op *ir.Operation) bool {
	if !op.Walk(func(nested *ir.Operation) ir.WalkResult {
		if a, ok := top.AsFAttention(nested); ok && a.MaskSize() > 0 {
			return ir.Interrupt
		}
		if a, ok := tpu.AsFAttention(nested); ok && a.MaskSize() > 0 {
			return ir.Interrupt
		}
		return ir.Advance
	}) {
		return true
	}
	for ; op != nil; op = op.Parent() {
		if mode, ok := op.StringAttribute(moduledialect.TopRunMode); ok {
			return mode == "DYNAMIC"
		}
	}
	return false
}

// builder compiles one program.
type builder struct {
	ctx     context.Context
	program *Program
	options Options
	op      *ir.Operation // being compiled
	slots   map[*ir.Value]slot
	weights map[*ir.Value]top.WeightOp
	depth   int

	storage []storage // by slot
	// joined are the parts of concatenations that were left out because attention takes the parts.
	joined map[*ir.Value][]slot
}

// storage says whose memory a slot holds and until when it is needed.
type storage struct {
	root    slot // the slot that the memory was allocated for
	owned   bool // allocated by a step: not an input nor a constant
	lastUse int
}

func (b *builder) function(function *ir.Operation) error {
	if function.NumRegions() == 0 || function.Region(0).Empty() {
		return function.Errorf("has no body")
	}
	body := function.Region(0).First()
	for i, argument := range body.Arguments() {
		kind, ok := KindOf(argument.Type())
		if !ok {
			return function.Errorf("argument %d has type %v, which the evaluator lacks", i, argument.Type())
		}
		s := b.newSlot(kind, false)
		b.slots[argument] = s
		b.program.arguments = append(b.program.arguments, s)
		b.program.inputs = append(b.program.inputs, Port{Name: InputName(argument), Type: argument.Type(), Kind: kind})
	}
	results, err := b.block(body)
	if err != nil {
		return err
	}
	for _, v := range results {
		s, err := b.in(v)
		if err != nil {
			return located(body.Last(), err)
		}
		if s == noSlot {
			return body.Last().Errorf("returns a none")
		}
		b.program.results = append(b.program.results, s)
		b.program.outputs = append(b.program.outputs,
			Port{Name: OutputName(v), Type: v.Type(), Kind: b.program.kinds[s]})
	}
	return nil
}

// InputName returns the name of a net's input: that of the top.Input behind it, or the argument's own.
func InputName(argument *ir.Value) string {
	for user := range argument.Users() {
		if _, ok := top.AsInput(user); ok {
			return ir.ValueName(user.Result(0))
		}
	}
	if name := ir.ValueName(argument); name != "" {
		return name
	}
	return fmt.Sprintf("arg%d", argument.Index())
}

// OutputName returns the name of a value that a net returns: its own, or, where a call returns it, that inside the function
// that is called.
func OutputName(v *ir.Value) string {
	for range maxCallDepth {
		op := v.DefiningOp()
		if op == nil || !op.Is(funcdialect.CallName) || ir.ValueName(v) != "" {
			break
		}
		function := callee(op)
		if function == nil {
			break
		}
		back := function.Region(0).First().Last()
		if back == nil || v.Index() >= back.NumOperands() {
			break
		}
		v = back.Operand(v.Index())
	}
	return ir.ValueName(v)
}

// callee returns the function that a call calls, nil where it has no body.
func callee(op *ir.Operation) *ir.Operation {
	name, _ := op.Attr("callee").(*ir.SymbolRefAttr)
	if name == nil {
		return nil
	}
	var tables ir.SymbolTables
	function := tables.Resolve(op, name)
	if function == nil || !function.Is(funcdialect.FuncName) || function.Region(0).Empty() {
		return nil
	}
	return function
}

// block compiles the ops of a block and returns the operands of its terminator.
func (b *builder) block(body *ir.Block) ([]*ir.Value, error) {
	for op := range body.Operations() {
		switch {
		case op.Is(funcdialect.ReturnName), op.Is("tpu.Yield"), op.Is("top.Yield"):
			return op.Operands(), nil
		case op.Is(funcdialect.CallName):
			if err := b.call(op); err != nil {
				return nil, err
			}
		default:
			if err := b.operation(op); err != nil {
				return nil, located(op, err)
			}
		}
	}
	return nil, fmt.Errorf("a block ends without returning")
}

// call inlines the function that is called.
func (b *builder) call(op *ir.Operation) error {
	function := callee(op)
	if function == nil {
		return op.Errorf("calls no function of this module")
	}
	if b.depth++; b.depth > maxCallDepth {
		return op.Errorf("calls go deeper than %d", maxCallDepth)
	}
	body := function.Region(0).First()
	if body.NumArguments() != op.NumOperands() {
		return op.Errorf("gives %d values to a function of %d", op.NumOperands(), body.NumArguments())
	}
	inner := map[*ir.Value]slot{}
	for i, argument := range body.Arguments() {
		s, err := b.in(op.Operand(i))
		if err != nil {
			return located(op, err)
		}
		inner[argument] = s
	}
	outer := b.slots
	b.slots = inner
	results, err := b.block(body)
	if err != nil {
		return err
	}
	returned := make([]slot, len(results))
	for i, v := range results {
		if returned[i], err = b.in(v); err != nil {
			return located(op, err)
		}
	}
	b.slots = outer
	b.depth--
	if len(returned) != op.NumResults() {
		return op.Errorf("takes %d values from a function that returns %d", op.NumResults(), len(returned))
	}
	for i, s := range returned {
		b.slots[op.Result(i)] = s
	}
	return nil
}

// regions inlines the regions of a group: the results of op are the values that the regions yield, one behind the other.
func (b *builder) regions(op *ir.Operation) error {
	n := 0
	for i := range op.NumRegions() {
		if op.Region(i).Empty() {
			return errors.New("has an empty region")
		}
		yielded, err := b.block(op.Region(i).First())
		if err != nil {
			return err
		}
		for _, v := range yielded {
			if n >= op.NumResults() {
				return errors.New("yields more values than it has results")
			}
			s, err := b.in(v)
			if err != nil {
				return err
			}
			b.slots[op.Result(n)] = s
			n++
		}
	}
	if n != op.NumResults() {
		return fmt.Errorf("yields %d values for %d results", n, op.NumResults())
	}
	return nil
}

// operation compiles one op.
func (b *builder) operation(op *ir.Operation) error {
	// A weight is read when a kernel asks for it, in the form that the kernel asks for; loading one changes nothing.
	if w, ok := top.AsWeight(op); ok {
		b.weights[w.Output()] = w
		return nil
	}
	if load, ok := tpu.AsLoad(op); ok {
		if w, ok := b.weights[load.Input()]; ok {
			b.weights[load.Output()] = w
			return nil
		}
	}
	switch {
	case isRegionOp(op):
		return b.regions(op)
	case op.Is("top.None"), op.Is("tpu.Buffer"):
		b.slots[op.Result(0)] = noSlot
		return nil
	}
	build, ok := kernels[op.Name().String()]
	if !ok {
		return errors.New("has no kernel in the evaluator")
	}
	b.op = op
	run, err := build(b, op)
	if err != nil {
		return err
	}
	b.program.steps = append(b.program.steps, step{op: op, run: run, results: b.named(op)})
	return nil
}

// named returns the results of op that an observer sees.
func (b *builder) named(op *ir.Operation) []namedSlot {
	var list []namedSlot
	for i := range op.NumResults() {
		v := op.Result(i)
		if s, ok := b.slots[v]; ok && s != noSlot {
			if name := ir.ValueName(v); name != "" {
				list = append(list, namedSlot{name, s})
			}
		}
	}
	return list
}

func isRegionOp(op *ir.Operation) bool {
	if _, ok := tpu.AsGroup(op); ok {
		return true
	}
	if _, ok := tpu.AsGroupParallel(op); ok {
		return true
	}
	_, ok := tpu.AsCoreParallel(op)
	return ok
}

// plan notes for each step which memory is free behind it.
func (b *builder) plan() {
	p := b.program
	kept := map[slot]bool{}
	for _, s := range p.results {
		root := b.storage[s].root
		if b.storage[root].owned && !kept[root] {
			p.last = append(p.last, root)
		}
		kept[root] = true
	}
	for s, storage := range b.storage {
		if storage.owned && storage.root == slot(s) && !kept[slot(s)] && p.kinds[s] != Integer {
			step := &p.steps[min(storage.lastUse, len(p.steps)-1)]
			step.release = append(step.release, slot(s))
		}
	}
}
