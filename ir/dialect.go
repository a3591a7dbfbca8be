package ir

// This file holds what a dialect tells of itself: its operations, and how its own types and attributes are read.

import "slices"

// Dialect is a namespace of operations, types and attributes. It is immutable once registered.
type Dialect struct {
	Namespace string
	// Operation returns the definition of an operation by full name, or nil. It is called once a name.
	Operation func(name string) *OpDefinition
	// OperationNames lists the full names of all operations, sorted, for help and suggestions.
	OperationNames func() []string
	// Types and Attributes list the names that ParseType and ParseAttribute know, without the namespace, for suggestions.
	Types, Attributes []string
	// AllowsUnknownOperations says that operations without a definition are accepted.
	AllowsUnknownOperations bool
	// ParseType reads a type of the dialect: the parser stands behind `!namespace.` or `!namespace<`. Nil means that the
	// dialect has no types.
	ParseType func(p AsmParser) (Type, error)
	// ParseAttribute reads an attribute of the dialect; t is the type that must follow, nil where none is known. Nil
	// means that the dialect has no attributes.
	ParseAttribute func(p AsmParser, t Type) (Attribute, error)
	// VerifyAttribute checks a discardable attribute `namespace.name` that stands on any operation.
	VerifyAttribute func(op *Operation, attribute NamedAttribute) error
	// MaterializeConstant makes an operation whose result is the attribute, or nil where that can't be.
	MaterializeConstant func(b *Builder, value Attribute, t Type, loc Location) *Operation
}

// Traits is a set of properties that a definition declares for its operation.
type Traits uint64

// The traits, as in MLIR.
const (
	// Terminator ends a block.
	Terminator Traits = 1 << iota
	// IsolatedFromAbove has regions that use no value from outside.
	IsolatedFromAbove
	// SymbolTable has one region of one block whose symbols have unique names.
	SymbolTable
	// Symbol has a name in the closest symbol table.
	Symbol
	// OptionalSymbol is a symbol that need not have a name, as `module`.
	OptionalSymbol
	// NoTerminator has blocks that need none.
	NoTerminator
	// SingleBlock has regions of at most one block.
	SingleBlock
	// NoRegionArguments has regions whose entry blocks take none.
	NoRegionArguments
	// GraphRegion has regions in which the order of operations does not limit the use of values.
	GraphRegion
	// Pure computes results from operands and does nothing else.
	Pure
	// RecursiveMemoryEffects does what the operations in its regions do.
	RecursiveMemoryEffects
	// Commutative may swap its operands.
	Commutative
	// ConstantLike has no operand and one result, its attribute `value`.
	ConstantLike
	// ReturnLike hands its operands to the parent.
	ReturnLike
	// AffineScope starts a new scope for affine symbols and dimensions.
	AffineScope
	// SameOperandsAndResultType has one type for all values.
	SameOperandsAndResultType
	// Callable has a body that calls can be inlined from.
	Callable
	// Call calls a symbol.
	Call
)

// OpDefinition is what a dialect says of one operation.
type OpDefinition struct {
	// Name is the full name, "top.MatMul".
	Name string
	// Summary says in one line what it computes.
	Summary string
	Traits  Traits
	// UsesProperties says that inherent attributes print as `<{…}>` in the generic form.
	UsesProperties bool
	// Dynamic says that the definition was loaded at run time.
	Dynamic bool
	// Inherent lists the names of the inherent attributes.
	Inherent []string
	// Attributes says what is demanded of inherent attributes that are checked where they are read, before there is an
	// operation; sorted by name.
	Attributes []AttributeConstraint
	// OperandGroups is the number of groups of operands whose sizes are in the property [OperandSegmentSizes]; 0 for none.
	OperandGroups int
	// FillDefaults returns the attributes with absent defaults added.
	FillDefaults func(attributes *DictionaryAttr) *DictionaryAttr
	// DefaultDialect is the namespace that operations in the regions may be written without, "" for none.
	DefaultDialect string
	// ResultNames gives the names that results print with; nil where they are numbered. A name stands for the group of
	// results from that one on up to the next named.
	ResultNames func(op *Operation, name func(v *Value, name string))
	// BlockArgumentNames likewise for the entry blocks' arguments.
	BlockArgumentNames func(op *Operation, region *Region, name func(v *Value, name string))
	// Verify checks counts, types and attributes before the regions are looked at; VerifyRegions after.
	Verify        func(op *Operation) error
	VerifyRegions func(op *Operation) error
	// VerifyInterfaces checks what comes after the demands on a symbol's name and visibility.
	VerifyInterfaces func(op *Operation) error
	// VerifySymbolUses checks the symbols that the operation refers to.
	VerifySymbolUses func(op *Operation, tables *SymbolTables) error
	// Parse reads the custom form behind the operation's name; nil where there is none.
	Parse func(p OpAsmParser, state *OperationState) error
	// Print writes the custom form behind the operation's name; nil where there is none.
	Print func(p OpAsmPrinter, op *Operation)
	// Fold computes results from constant operands (nil where an operand is none) or finds values that stand for them.
	// ok is false where nothing can be folded; no results and true means that the operation was changed in place.
	Fold func(op *Operation, operands []Attribute) (results []FoldResult, ok bool)
	// InferTypes returns the result types that follow from operands and attributes.
	InferTypes func(op *Operation) ([]Type, error)
	// Origin is what the definition was made from, for the package that made it; nil where there is nothing.
	Origin any
}

// FoldResult is a value or a constant that stands for a result.
type FoldResult struct {
	Value     *Value
	Attribute Attribute
}

// IsInherent reports whether an attribute belongs to the operation's definition.
func (d *OpDefinition) IsInherent(name string) bool { return slices.Contains(d.Inherent, name) }
