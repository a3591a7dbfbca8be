// Package rewrite changes IR by patterns: what a pattern is and may do, the greedy driver that applies patterns and
// folds until nothing changes, and the conversion that applies each pattern once.
package rewrite

import (
	"tpuir/ir"
)

// Pattern rewrites operations of one name.
type Pattern struct {
	// Name is what statistics and debugging call it.
	Name string
	// Root is the name of the operation that the pattern is for; "" for any.
	Root string
	// Benefit orders patterns: the higher is tried first.
	Benefit int
	// Rewrite changes op, through the rewriter only, and reports whether it did. Where it did not, the IR must be as
	// it was. An error ends the whole rewriting.
	Rewrite func(op *ir.Operation, r *Rewriter) (changed bool, err error)
}

// Rewriter is a builder that tells the driver of every change.
type Rewriter struct {
	ir.Builder
	driver driver
}

// driver is what a rewriter reports to.
type driver interface {
	ir.Listener
	operationModified(op *ir.Operation)
	operationErased(op *ir.Operation)
	valueReplaced(from *ir.Value)
}

func newRewriter(c *ir.Context, d driver) *Rewriter {
	r := &Rewriter{Builder: *ir.NewBuilder(c), driver: d}
	r.Listener = d
	return r
}

// Replace makes the users of op's results use values instead, and erases op.
func (r *Rewriter) Replace(op *ir.Operation, values ...*ir.Value) {
	for i := range op.NumResults() {
		r.ReplaceValue(op.Result(i), values[i])
	}
	r.Erase(op)
}

// ReplaceWith makes the users of op's results use another operation's, and erases op.
func (r *Rewriter) ReplaceWith(op, other *ir.Operation) { r.Replace(op, other.Results()...) }

// ReplaceValue makes the users of a value use another.
func (r *Rewriter) ReplaceValue(from, to *ir.Value) {
	if from == to {
		return
	}
	r.driver.valueReplaced(from)
	from.ReplaceAllUsesWith(to)
}

// Erase erases an operation without uses, and what is nested in it.
func (r *Rewriter) Erase(op *ir.Operation) {
	op.WalkPostOrder(r.driver.operationErased)
	op.Erase()
}

// MergeBlocks appends the operations of a block to another, with values in the place of its arguments, and erases it.
// Nothing may go to it any more.
func (r *Rewriter) MergeBlocks(from, to *ir.Block, values []*ir.Value) {
	for i, argument := range from.Arguments() {
		r.ReplaceValue(argument, values[i])
	}
	for op := from.First(); op != nil; op = from.First() {
		op.MoveToEnd(to)
		r.driver.OperationInserted(op)
	}
	from.Erase()
}

// Modify tells that op was changed in place by the function.
func (r *Rewriter) Modify(op *ir.Operation, change func()) {
	change()
	r.driver.operationModified(op)
}

// byRoot sorts patterns into a table by the operation they are for; those of higher benefit first, else as given.
func byRoot(patterns []Pattern) map[string][]*Pattern {
	table := map[string][]*Pattern{}
	insert := func(root string, p *Pattern) {
		list := append(table[root], p)
		for i := len(list) - 1; i > 0 && list[i-1].Benefit < list[i].Benefit; i-- {
			list[i-1], list[i] = list[i], list[i-1]
		}
		table[root] = list
	}
	var anywhere []*Pattern
	for i := range patterns {
		if patterns[i].Root == "" {
			anywhere = append(anywhere, &patterns[i])
		} else {
			insert(patterns[i].Root, &patterns[i])
		}
	}
	for root := range table {
		for _, p := range anywhere {
			insert(root, p)
		}
	}
	table[""] = nil
	for _, p := range anywhere {
		insert("", p)
	}
	return table
}

func patternsFor(table map[string][]*Pattern, op *ir.Operation) []*Pattern {
	if list, ok := table[op.Name().String()]; ok {
		return list
	}
	return table[""]
}
