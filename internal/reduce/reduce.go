// Package reduce makes IR smaller while it keeps showing what somebody looks for, by deleting operations: delta debugging,
// as mlir-reduce does.
package reduce

import (
	"context"
	"slices"

	"tpuir/ir"
)

// Test reports whether a module still shows what is looked for. The module is a copy that it may change.
type Test func(ctx context.Context, module *ir.Operation) (bool, error)

// Result says what came of a reduction.
type Result struct {
	Module *ir.Operation
	// Before and After are numbers of operations, the module included; Trials is how often the test was asked.
	Before, After, Trials int
}

// Module deletes operations, those directly inside first (functions, as a rule), then all others, in halves, quarters and
// so on, until no single one can be deleted. What was deleted is replaced, where it is used, by a value of the same type.
// Only modules that verify are tested. The module itself is left as it is.
func Module(ctx context.Context, module *ir.Operation, test Test) (Result, error) {
	r := &reducer{ctx: ctx, test: test, current: module.Clone()}
	r.result.Before = len(operations(module, false)) + 1
	for {
		before := r.result.After
		for _, top := range []bool{true, false} {
			if err := r.shrink(top); err != nil {
				return Result{}, err
			}
		}
		r.result.After = len(operations(r.current, false)) + 1
		if r.result.After == before {
			break
		}
	}
	r.result.Module = r.current
	return r.result, nil
}

type reducer struct {
	ctx     context.Context
	test    Test
	current *ir.Operation
	result  Result
}

// operations lists what is in a module, in order; only what is directly inside where top is set.
func operations(module *ir.Operation, top bool) []*ir.Operation {
	var list []*ir.Operation
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		if op == module {
			return ir.Advance
		}
		list = append(list, op)
		if top {
			return ir.Skip
		}
		return ir.Advance
	})
	return list
}

// shrink deletes ever shorter runs of operations.
func (r *reducer) shrink(top bool) error {
	n := len(operations(r.current, top))
	for length := max(n/2, 1); n > 0; length = max(length/2, 1) {
		deleted := false
		for start := 0; start < n; {
			smaller, err := r.try(top, start, start+length)
			if err != nil {
				return err
			}
			if !smaller {
				start += length
				continue
			}
			deleted = true
			n = len(operations(r.current, top))
		}
		if length == 1 && !deleted {
			return nil
		}
	}
	return nil
}

// try deletes some of the operations from start to end, and keeps that where the test agrees.
func (r *reducer) try(top bool, start, end int) (bool, error) {
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	candidate := r.current.Clone()
	list := operations(candidate, top)
	before := len(operations(candidate, false))
	for _, op := range slices.Backward(list[min(start, len(list)):min(end, len(list))]) {
		remove(op)
	}
	if len(operations(candidate, false)) == before || len(ir.Verify(r.ctx, candidate)) > 0 {
		return false, nil
	}
	r.result.Trials++
	shown, err := r.test(r.ctx, candidate.Clone())
	if err != nil || !shown {
		return false, err
	}
	r.current = candidate
	return true, nil
}

// remove erases an operation where its uses can be replaced, and leaves it otherwise.
func remove(op *ir.Operation) {
	if op.HasTrait(ir.Terminator) || op.Block() == nil {
		return
	}
	instead := make([]*ir.Value, op.NumResults())
	for i := range instead {
		if v := op.Result(i); v.HasUses() {
			if instead[i] = substitute(op, v); instead[i] == nil {
				return
			}
		}
	}
	for i, v := range instead {
		if v != nil {
			op.Result(i).ReplaceAllUsesWith(v)
		}
	}
	op.Erase()
}

// substitute finds a value of the same type that stands before an operation: an operand, an argument of an entry block
// around it, or the result of an operation before.
func substitute(op *ir.Operation, v *ir.Value) *ir.Value {
	for _, operand := range op.Operands() {
		if operand.Type() == v.Type() {
			return operand
		}
	}
	for at := op; at != nil && at.Block() != nil; at = at.Parent() {
		for _, argument := range at.Block().Arguments() {
			if argument.Type() == v.Type() {
				return argument
			}
		}
		for before := at.Prev(); before != nil; before = before.Prev() {
			for _, result := range before.Results() {
				if result.Type() == v.Type() {
					return result
				}
			}
		}
		if at.Parent() != nil && at.Parent().HasTrait(ir.IsolatedFromAbove) {
			return nil
		}
	}
	return nil
}
