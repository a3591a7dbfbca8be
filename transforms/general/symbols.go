package general

// This file holds the passes about symbols.
//
//	symbol-privatize: func.func @f()  =>  func.func private @f()
//	symbol-dce:       func.func private @unused() is erased

import (
	"slices"

	"tpuir/ir"
	"tpuir/pass"
)

func symbolPrivatizeDefinition() *pass.Definition {
	return &pass.Definition{
		Argument:    "symbol-privatize",
		Name:        "SymbolPrivatize",
		Summary:     "make the symbols directly inside an operation private",
		Description: `Symbols that are named by the option exclude keep their visibility.`,
		New:         func() pass.Pass { return &symbolPrivatize{} },
	}
}

type symbolPrivatize struct{ exclude []string }

// Options binds the options.
func (p *symbolPrivatize) Options(set *pass.OptionSet) {
	set.Strings(&p.exclude, "exclude", "symbols that keep their visibility")
}

// Run sets visibilities.
func (p *symbolPrivatize) Run(_ *pass.Run, op *ir.Operation) error {
	for i := range op.NumRegions() {
		for b := range op.Region(i).Blocks() {
			for nested := range b.Operations() {
				if isSymbol(nested) && !slices.Contains(p.exclude, ir.SymbolName(nested)) {
					nested.SetAttr(ir.SymbolVisibilityAttribute, op.Context().StringAttr("private"))
				}
			}
		}
	}
	return nil
}

// isSymbol reports whether an operation is a symbol; one that need not have a name is one where it has.
func isSymbol(op *ir.Operation) bool {
	return op.HasTrait(ir.Symbol) && (!op.HasTrait(ir.OptionalSymbol) || ir.SymbolName(op) != "")
}

func symbolDCEDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "symbol-dce",
		Name:     "SymbolDCE",
		Summary:  "erase symbols that nobody can refer to",
		Description: `Keeps symbols that are visible from outside, and all that these, or operations that are no symbols, lead to. The
operation must be a symbol table.`,
		New: func() pass.Pass { return symbolDCE{} },
	}
}

type symbolDCE struct{}

// Run erases symbols.
func (symbolDCE) Run(run *pass.Run, op *ir.Operation) error {
	if !op.HasTrait(ir.SymbolTable) {
		return op.Errorf(" was scheduled to run under SymbolDCE, but does not define a symbol table")
	}
	hidden := op.Parent() == nil || !isSymbol(op) || ir.SymbolVisibility(op) == "private"
	live := &liveSymbols{live: map[*ir.Operation]bool{}}
	if err := live.table(op, hidden); err != nil {
		return err
	}
	var erased int64
	op.Walk(func(table *ir.Operation) ir.WalkResult {
		if !table.HasTrait(ir.SymbolTable) {
			return ir.Advance
		}
		for b := range table.Region(0).Blocks() {
			for nested := range b.Operations() {
				if isSymbol(nested) && !live.live[nested] {
					nested.Erase()
					erased++
				}
			}
		}
		return ir.Advance
	})
	run.Count("num-dce'd", "Number of symbols DCE'd", erased)
	return nil
}

// liveSymbols collects the symbols that somebody can refer to.
type liveSymbols struct {
	live   map[*ir.Operation]bool
	tables ir.SymbolTables
}

// table marks what is live in a symbol table; hidden says that nobody outside sees its symbols.
func (l *liveSymbols) table(table *ir.Operation, hidden bool) error {
	var work []*ir.Operation
	for b := range table.Region(0).Blocks() {
		for op := range b.Operations() {
			if isSymbol(op) && isDiscardable(op, hidden) {
				continue
			}
			if isSymbol(op) {
				l.live[op] = true
			}
			work = append(work, op)
		}
	}
	for len(work) > 0 {
		op := work[len(work)-1]
		work = work[:len(work)-1]
		if op.HasTrait(ir.SymbolTable) {
			inside := hidden || !isSymbol(op) || ir.SymbolVisibility(op) == "private"
			if err := l.table(op, inside); err != nil {
				return err
			}
		}
		uses, ok := symbolUses(op)
		if !ok {
			return op.PlainErrorf("operation contains potentially unknown symbol table, meaning that we can't reliable compute symbol uses")
		}
		for _, ref := range uses {
			work = append(work, l.resolve(op.Parent(), ref)...)
		}
	}
	return nil
}

// isDiscardable reports whether a symbol may go where nobody uses it.
func isDiscardable(op *ir.Operation, hidden bool) bool {
	switch ir.SymbolVisibility(op) {
	case "private":
		return true
	case "nested":
		return hidden
	default:
		return false
	}
}

// resolve marks the symbols along a reference and returns those that were not marked before.
func (l *liveSymbols) resolve(table *ir.Operation, ref *ir.SymbolRefAttr) []*ir.Operation {
	var found []*ir.Operation
	for _, name := range append([]string{ref.Root}, ref.Nested...) {
		if table == nil || !table.HasTrait(ir.SymbolTable) {
			return nil
		}
		if table = l.tables.Lookup(table, name); table == nil {
			return nil
		}
		if !l.live[table] {
			found = append(found, table)
		}
	}
	for _, op := range found {
		l.live[op] = true
	}
	return found
}

// symbolUses returns the references in an operation and in what is nested in it, up to nested symbol tables. ok is false
// where an operation that nobody knows may be such a table.
func symbolUses(root *ir.Operation) (uses []*ir.SymbolRefAttr, ok bool) {
	ok = root.Walk(func(op *ir.Operation) ir.WalkResult {
		uses = appendSymbolUses(uses, op.Attributes())
		if p := op.Properties(); p != nil {
			uses = appendSymbolUses(uses, p)
		}
		if op.Name().Dialect() == nil && op.NumRegions() == 1 {
			return ir.Interrupt
		}
		if op.HasTrait(ir.SymbolTable) {
			return ir.Skip
		}
		return ir.Advance
	})
	return uses, ok
}

func appendSymbolUses(uses []*ir.SymbolRefAttr, a ir.Attribute) []*ir.SymbolRefAttr {
	switch a := a.(type) {
	case *ir.SymbolRefAttr:
		return append(uses, a)
	case *ir.ArrayAttr:
		for _, e := range a.Elements {
			uses = appendSymbolUses(uses, e)
		}
	case *ir.DictionaryAttr:
		for _, e := range a.Entries {
			uses = appendSymbolUses(uses, e.Value)
		}
	}
	return uses
}
