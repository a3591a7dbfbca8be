package rewrite

// This file holds the greedy driver: a worklist of operations, folded, erased when dead, and rewritten until nothing
// changes. It visits in MLIR's order, so that new operations come out where mlir-opt and tpuc-opt put them.

import (
	"context"
	"errors"
	"slices"

	"tpuir/ir"
)

// Greedy says how patterns are applied.
type Greedy struct {
	Patterns []Pattern
	// BottomUp visits users before what they use at first; MLIR's canonicalizer visits top-down.
	BottomUp bool
	// MaxIterations bounds how often the whole is gone through, MaxRewrites how many rewrites are made in each; 0 is 10,
	// and no bound.
	MaxIterations, MaxRewrites int
	// NoFold leaves folding and the erasing of dead operations out.
	NoFold bool
	// HoistConstants keeps one of equal constants, at the start of the region that they may be used in.
	HoistConstants bool
	// Prepare and Simplify, where they are not nil, change regions each time before and after all is gone through, and
	// report whether they did.
	Prepare, Simplify func(root *ir.Operation) bool
	// Count, where it is not nil, is told of every pattern that was applied.
	Count func(pattern string)
}

// Result is what a greedy rewriting came to.
type Result struct {
	Changed, Converged bool
	Iterations         int
}

// Apply rewrites everything inside root, which itself is left alone.
func (g *Greedy) Apply(ctx context.Context, root *ir.Operation) (Result, error) {
	d := &greedyDriver{Greedy: g, root: root, table: byRoot(g.Patterns), index: map[*ir.Operation]int{}}
	d.rewriter = newRewriter(root.Context(), d)
	limit := g.MaxIterations
	if limit <= 0 {
		limit = 10
	}
	var result Result
	for result.Iterations < limit {
		result.Iterations++
		changed, err := d.iterate(ctx)
		result.Changed = result.Changed || changed
		if err != nil {
			return result, err
		}
		if !changed {
			result.Converged = true
			return result, nil
		}
	}
	return result, nil
}

type greedyDriver struct {
	*Greedy
	root     *ir.Operation
	table    map[string][]*Pattern
	rewriter *Rewriter
	worklist []*ir.Operation
	index    map[*ir.Operation]int // place in the worklist
	changed  bool
}

func (d *greedyDriver) add(op *ir.Operation) {
	if _, ok := d.index[op]; ok || op == d.root {
		return
	}
	d.index[op] = len(d.worklist)
	d.worklist = append(d.worklist, op)
}

func (d *greedyDriver) forget(op *ir.Operation) {
	if i, ok := d.index[op]; ok {
		d.worklist[i] = nil
		delete(d.index, op)
	}
}

func (d *greedyDriver) pop() *ir.Operation {
	for len(d.worklist) > 0 {
		op := d.worklist[len(d.worklist)-1]
		d.worklist = d.worklist[:len(d.worklist)-1]
		if op != nil {
			delete(d.index, op)
			return op
		}
	}
	return nil
}

func (d *greedyDriver) iterate(ctx context.Context) (bool, error) {
	prepared := d.Prepare != nil && d.Prepare(d.root)
	var all []*ir.Operation
	constants := constantTable{}
	for _, op := range nested(d.root) {
		if !d.HoistConstants || !op.HasTrait(ir.ConstantLike) || !constants.know(op) {
			all = append(all, op)
		}
	}
	// The worklist is taken from its end.
	if d.BottomUp {
		for _, op := range all {
			d.add(op)
		}
	} else {
		for i := len(all) - 1; i >= 0; i-- {
			d.add(all[i])
		}
	}
	if err := d.work(ctx); err != nil {
		return d.changed, err
	}
	if d.Simplify != nil && d.Simplify(d.root) {
		d.changed = true
	}
	return d.changed || prepared, nil
}

// work empties the worklist.
func (d *greedyDriver) work(ctx context.Context) error {
	d.changed = false
	rewrites := 0
	for op := d.pop(); op != nil; op = d.pop() {
		if err := ctx.Err(); err != nil {
			return err
		}
		applied, err := d.visit(op)
		if err != nil {
			return err
		}
		if applied {
			d.changed = true
			if rewrites++; d.MaxRewrites > 0 && rewrites >= d.MaxRewrites {
				d.worklist, d.index = nil, map[*ir.Operation]int{}
				return nil
			}
		}
	}
	return nil
}

func (d *greedyDriver) visit(op *ir.Operation) (bool, error) {
	if !d.NoFold {
		if IsTriviallyDead(op) {
			d.operationAffected(op)
			d.rewriter.Erase(op)
			return true, nil
		}
		if d.fold(op) {
			return true, nil
		}
	}
	for _, p := range patternsFor(d.table, op) {
		d.rewriter.SetBefore(op)
		applied, err := p.Rewrite(op, d.rewriter)
		if err != nil {
			var diagnostic *ir.Diagnostic
			if !errors.As(err, &diagnostic) {
				err = op.Errorf("%w", err)
			}
			return false, err
		}
		if applied {
			if d.Count != nil {
				d.Count(p.Name)
			}
			return true, nil
		}
	}
	return false, nil
}

// fold replaces what the operation computes where that is known.
func (d *greedyDriver) fold(op *ir.Operation) bool {
	def := op.Definition()
	if def == nil || def.Fold == nil || op.HasTrait(ir.ConstantLike) {
		return false // a constant would only be replaced by the same one
	}
	results, ok := def.Fold(op, constantOperands(op))
	if !ok {
		return false
	}
	if len(results) == 0 {
		d.operationModified(op)
		return true
	}
	d.rewriter.SetBefore(op)
	values := make([]*ir.Value, len(results))
	for i, result := range results {
		values[i] = result.Value
		if result.Value == nil {
			constant := d.materialize(op, result.Attribute, op.Result(i).Type())
			if constant == nil {
				return false
			}
			values[i] = constant.Result(0)
		}
		if values[i] == op.Result(i) {
			return d.eraseCircle(op)
		}
	}
	d.rewriter.Replace(op, values...)
	return true
}

// eraseCircle erases an operation that is its own value, as one of two casts of each other in a graph is, where nobody else
// needs it.
func (d *greedyDriver) eraseCircle(op *ir.Operation) bool {
	const largest = 2
	circle := []*ir.Operation{op}
	for i := 0; i < len(circle); i++ {
		for _, v := range circle[i].Results() {
			for user := range v.Users() {
				if slices.Contains(circle, user) {
					continue
				}
				if len(circle) == largest || user.HasTrait(ir.Terminator|ir.Symbol) || !HasNoEffect(user) {
					return false
				}
				circle = append(circle, user)
			}
		}
	}
	for _, member := range circle {
		d.operationAffected(member)
		member.SetOperands(nil)
	}
	for _, member := range circle {
		d.rewriter.Erase(member)
	}
	return true
}

func (d *greedyDriver) materialize(op *ir.Operation, value ir.Attribute, t ir.Type) *ir.Operation {
	dialect := op.Name().Dialect()
	if dialect == nil || dialect.MaterializeConstant == nil {
		return nil
	}
	return dialect.MaterializeConstant(&d.rewriter.Builder, value, t, op.Loc())
}

func constantOperands(op *ir.Operation) []ir.Attribute {
	constants := make([]ir.Attribute, op.NumOperands())
	for i := range constants {
		constants[i] = ConstantValue(op.Operand(i))
	}
	return constants
}

// IsTriviallyDead reports whether an operation does nothing but compute results that nobody uses.
func IsTriviallyDead(op *ir.Operation) bool {
	return op.Unused() && !op.HasTrait(ir.Terminator|ir.Symbol) && HasNoEffect(op)
}

// HasNoEffect reports whether an operation only computes its results: it and all that is nested in it.
func HasNoEffect(op *ir.Operation) bool {
	if op.HasTrait(ir.Pure | ir.ConstantLike) {
		return true
	}
	if !op.HasTrait(ir.RecursiveMemoryEffects) {
		return false
	}
	for i := range op.NumRegions() {
		for b := range op.Region(i).Blocks() {
			for nested := range b.Operations() {
				if !nested.HasTrait(ir.Terminator) && !HasNoEffect(nested) {
					return false
				}
			}
		}
	}
	return true
}

// OperationInserted puts a new operation on the worklist.
func (d *greedyDriver) OperationInserted(op *ir.Operation) { d.add(op) }

func (d *greedyDriver) operationModified(op *ir.Operation) { d.add(op) }

// operationAffected puts what an operation uses on the worklist: it may be dead or foldable now.
func (d *greedyDriver) operationAffected(op *ir.Operation) {
	for i := range op.NumOperands() {
		if source := op.Operand(i).DefiningOp(); source != nil {
			d.add(source)
		}
	}
}

func (d *greedyDriver) operationErased(op *ir.Operation) {
	d.operationAffected(op)
	d.forget(op)
}

func (d *greedyDriver) valueReplaced(from *ir.Value) {
	for user := range from.Users() {
		d.add(user)
	}
}
