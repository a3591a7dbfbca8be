package irdl

// This file checks that the alternatives of an `irdl.any_of` can be told apart by their bases. The first alternative that
// accepts an attribute is taken, with what its variables stand for from then on; where no two have the same base, their
// order does not matter. MLIR looks at `irdl.parametric` and `irdl.any` alone, and so do we.

import (
	"maps"

	"tpuir/ir"
)

// bases is what a constraint may accept, as far as it is looked at: anything, or types and attributes of these definitions.
type bases struct {
	any bool
	set map[*ir.Operation]struct{}
}

// checkAlternatives looks at every any_of of a definition.
func (l *loader) checkAlternatives(op *ir.Operation) *ir.Diagnostic {
	if !op.Is(TypeName) && !op.Is(AttributeName) && !op.Is(OperationName) {
		return nil
	}
	known := map[*ir.Value]bases{}
	for child := range op.Region(0).First().Operations() {
		if child.NumResults() != 1 {
			continue
		}
		of := l.bases(child, known)
		if child.Is(AnyOfName) && !disjoint(child, known) {
			return root(op).PlainErrorf("any_of constraints are not in the correct form").
				NoteAt(child, "two alternatives could accept the same type or attribute")
		}
		known[child.Result(0)] = of
	}
	return nil
}

// bases returns the bases of a constraint; those of its operands are known.
func (l *loader) bases(op *ir.Operation, known map[*ir.Value]bases) bases {
	switch op.Name().String() {
	case AnyName:
		return bases{any: true}
	case AllOfName: // as in MLIR, the first speaks for all
		return known[op.Operand(0)]
	case AnyOfName:
		if op.NumOperands() == 1 {
			return bases{set: known[op.Operand(0)].set}
		}
		union := map[*ir.Operation]struct{}{}
		for _, v := range op.Operands() {
			maps.Copy(union, known[v].set)
		}
		return bases{set: union}
	case ParametricName:
		target := lookup(op, &l.tables, op.Attr(baseTypeKey).(*ir.SymbolRefAttr)) // the module is verified
		return bases{set: map[*ir.Operation]struct{}{target: {}}}
	}
	return bases{}
}

// disjoint reports whether no base stands in two alternatives, and none accepts everything.
func disjoint(anyOf *ir.Operation, known map[*ir.Value]bases) bool {
	seen := map[*ir.Operation]struct{}{}
	for _, v := range anyOf.Operands() {
		of := known[v]
		if of.any {
			return false
		}
		for b := range of.set {
			if _, twice := seen[b]; twice {
				return false
			}
			seen[b] = struct{}{}
		}
	}
	return true
}

// root returns the outermost operation around op.
func root(op *ir.Operation) *ir.Operation {
	for op.Parent() != nil {
		op = op.Parent()
	}
	return op
}
