package ir

// This file holds symbols: operations that are found by name in the closest symbol table.

// Names of the attributes that make a symbol.
const (
	SymbolNameAttribute       = "sym_name"
	SymbolVisibilityAttribute = "sym_visibility"
)

const visibilityPublic = "public"

// SymbolName returns the name of a symbol, "" where the operation has none.
func SymbolName(op *Operation) string {
	name, _ := op.StringAttribute(SymbolNameAttribute)
	return name
}

// SymbolVisibility returns "public", "private" or "nested".
func SymbolVisibility(op *Operation) string {
	if v, ok := op.StringAttribute(SymbolVisibilityAttribute); ok {
		return v
	}
	return visibilityPublic
}

// SymbolTables finds symbols, remembering the table of every operation it has looked into. The zero value is ready.
// It must be dropped when symbols are added, removed or renamed. It is not safe for concurrent use.
type SymbolTables struct {
	tables map[*Operation]map[string]*Operation
}

// Lookup returns the symbol of that name directly inside a symbol table operation, or nil.
func (s *SymbolTables) Lookup(table *Operation, name string) *Operation {
	return s.table(table)[name]
}

func (s *SymbolTables) table(op *Operation) map[string]*Operation {
	if found, ok := s.tables[op]; ok {
		return found
	}
	symbols := map[string]*Operation{}
	if op.NumRegions() > 0 && op.Region(0).First() != nil {
		for nested := range op.Region(0).First().Operations() {
			if name, ok := nested.StringAttribute(SymbolNameAttribute); ok && symbols[name] == nil {
				symbols[name] = nested
			}
		}
	}
	if s.tables == nil {
		s.tables = map[*Operation]map[string]*Operation{}
	}
	s.tables[op] = symbols
	return symbols
}

// Resolve returns the operation that a reference names when it stands on op: the root is looked up in the closest
// enclosing symbol table, each nested name in the one before. It returns nil where a part is not found.
func (s *SymbolTables) Resolve(op *Operation, ref *SymbolRefAttr) *Operation {
	table := NearestSymbolTable(op)
	if table == nil {
		return nil
	}
	found := s.Lookup(table, ref.Root)
	for _, name := range ref.Nested {
		if found == nil || !found.isSymbolTable() {
			return nil
		}
		found = s.Lookup(found, name)
	}
	return found
}

// mightBeUnknownSymbolTable reports whether the operation, of a dialect that nobody knows, may hold symbols of its own.
func (op *Operation) mightBeUnknownSymbolTable() bool {
	return op.name.dialect == nil && !op.name.mlir && len(op.regions()) == 1
}

// NearestSymbolTable returns the operation itself or the closest enclosing one that is a symbol table, or nil, as where an
// operation of an unknown dialect with one region comes first: that may be a table, too.
func NearestSymbolTable(op *Operation) *Operation {
	for ; op != nil; op = op.Parent() {
		if op.isSymbolTable() {
			return op
		}
		if op.mightBeUnknownSymbolTable() {
			return nil
		}
	}
	return nil
}

// LookupSymbol returns the symbol of that name directly inside a symbol table operation, or nil. Code that looks up
// many uses a [SymbolTables].
func LookupSymbol(table *Operation, name string) *Operation {
	for nested := range table.Region(0).First().Operations() {
		if SymbolName(nested) == name {
			return nested
		}
	}
	return nil
}

func verifySymbolTable(op *Operation) []*Diagnostic {
	if len(op.regions()) != 1 {
		return []*Diagnostic{op.Errorf("Operations with a 'SymbolTable' must have exactly one region")}
	}
	if !op.regions()[0].HasOneBlock() {
		return []*Diagnostic{op.Errorf("Operations with a 'SymbolTable' must have exactly one block")}
	}
	var found []*Diagnostic
	seen := map[string]*Operation{}
	for nested := range op.regions()[0].first.Operations() {
		name, ok := nested.StringAttribute(SymbolNameAttribute)
		if !ok {
			continue
		}
		if first := seen[name]; first != nil {
			found = append(found, nested.PlainErrorf("redefinition of symbol named '%s'", name).
				NoteAt(first, "see existing symbol definition here"))
			continue
		}
		seen[name] = nested
	}
	return found
}

func verifySymbol(op *Operation) *Diagnostic {
	attr := op.Attr(SymbolNameAttribute)
	if attr == nil {
		if op.HasTrait(OptionalSymbol) {
			return nil
		}
		return op.Errorf("requires string attribute 'sym_name'")
	}
	if _, ok := attr.(*StringAttr); !ok {
		return op.Errorf("requires string attribute 'sym_name'")
	}
	if v := op.Attr(SymbolVisibilityAttribute); v != nil {
		text, ok := v.(*StringAttr)
		if !ok {
			return op.Errorf("requires visibility attribute 'sym_visibility' to be a string attribute, but got %s", v)
		}
		switch text.Value {
		case visibilityPublic, "private", "nested":
		default:
			return op.Errorf("visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"%s\"", text.Value)
		}
	}
	if op.HasTrait(Callable) && SymbolVisibility(op) == visibilityPublic && op.regions()[0].Empty() {
		return op.Errorf("symbol declaration cannot have public visibility")
	}
	if parent := op.Parent(); parent != nil && parent.Definition() != nil && !parent.HasTrait(SymbolTable) {
		return op.Errorf("symbol's parent must have the SymbolTable trait")
	}
	return nil
}
