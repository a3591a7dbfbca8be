package ir

// This file holds the interfaces through which a dialect reads and writes text of its own. Packages parser and printer
// implement them, so that a dialect imports neither.

// AsmParser reads a dialect's own types and attributes.
type AsmParser interface {
	Context() *Context
	// Loc is the location of the next token; Position likewise.
	Loc() Location
	Position() Position
	// Errorf makes an error at the next token; ErrorAt at an earlier place.
	Errorf(format string, args ...any) error
	ErrorAt(p Position, format string, args ...any) error

	// OptionalPunctuation consumes one of `( ) { } [ ] < > , : = -> :: ? * + | -` if it is next.
	OptionalPunctuation(text string) bool
	// Punctuation is OptionalPunctuation with the error `expected 'text'`.
	Punctuation(text string) error
	// OptionalKeyword consumes that bare identifier if it is next.
	OptionalKeyword(word string) bool
	// Keyword reads any bare identifier.
	Keyword() (string, error)
	// AnyOptionalKeyword reads a bare identifier if one is next.
	AnyOptionalKeyword() (string, bool)
	// KeywordOrString reads a bare identifier or a string.
	KeywordOrString() (string, error)
	// OptionalString reads a string if one is next.
	OptionalString() (string, bool, error)
	// Integer reads an integer that may be negative; OptionalInteger reads one if it is next.
	Integer() (int64, error)
	OptionalInteger() (int64, bool, error)
	// Float reads a floating point number that may be negative, or the hex of a double's bits.
	Float() (float64, error)
	// Type and Attribute read any type or attribute.
	Type() (Type, error)
	OptionalType() (Type, bool, error)
	Attribute(t Type) (Attribute, error)
	OptionalAttribute(t Type) (Attribute, bool, error)
	// Dimensions reads `4x?x`, the trailing x included; allowDynamic permits `?`.
	Dimensions(allowDynamic, trailingX bool) ([]int64, error)
	// BracketText reads up to the bracket that closes the one just read, nested brackets and strings respected, and
	// returns the text between. The closing bracket is left.
	BracketText(closing byte) (string, error)
	// CommaList reads elements with commas between them up to the closing punctuation, which is consumed. It may be empty.
	CommaList(closing string, element func() error) error
}

// UnresolvedOperand is a name in text that stands for a value: `%name#number`.
type UnresolvedOperand struct {
	Name     string
	Number   int
	Position Position
}

// ParsedArgument is `%name: type {attributes} loc(…)` in a custom form.
type ParsedArgument struct {
	Operand    UnresolvedOperand
	Type       Type
	Attributes *DictionaryAttr
	Loc        Location
}

// OpAsmParser reads the custom form of an operation.
type OpAsmParser interface {
	AsmParser
	// SymbolName reads `@name`; OptionalSymbolName reads one if it is next.
	SymbolName() (string, error)
	OptionalSymbolName() (string, bool, error)
	// OptionalAttrDict reads `{…}` if it is next; AttrDictWithKeyword reads `attributes {…}` if it is.
	OptionalAttrDict() (*DictionaryAttr, error)
	AttrDictWithKeyword() (*DictionaryAttr, error)
	// OwnAttrDict reads the operation's own attributes, behind the keyword unless that is "", and checks those that the
	// definition names. The dictionary is empty where there is none.
	OwnAttrDict(keyword string) (*DictionaryAttr, error)
	// OptionalLoc reads `loc(…)` if it is next.
	OptionalLoc() (Location, bool, error)

	// Operand reads `%name`; OperandList reads any number of them with commas between.
	Operand() (UnresolvedOperand, error)
	OptionalOperand() (UnresolvedOperand, bool, error)
	OperandList() ([]UnresolvedOperand, error)
	// Resolve finds the value behind a name, forward references included.
	Resolve(o UnresolvedOperand, t Type) (*Value, error)
	// ResolveAll resolves a list; the error of differing lengths stands at the position.
	ResolveAll(operands []UnresolvedOperand, types []Type, at Position) ([]*Value, error)

	// OptionalArgument reads an argument if one is next. Where allowType is set a type follows, where allowAttributes is
	// set a dictionary may.
	OptionalArgument(allowType, allowAttributes bool) (ParsedArgument, bool, error)
	// Successor reads `^block`.
	Successor() (*Block, error)
	// Region reads `{…}`. Arguments, where there are any, become those of the entry block. The region is made when the
	// operation is: the state's count of regions goes up by one.
	Region(arguments []ParsedArgument, enableNameShadowing bool) error
	// OptionalRegion is Region if `{` is next.
	OptionalRegion(arguments []ParsedArgument) (bool, error)
	// EmptyRegion adds a region without blocks.
	EmptyRegion()
	// RegionEmpty reports whether the region last read or added has no block.
	RegionEmpty() bool
	// EnsureEntryBlock makes sure that the region last read or added has a block.
	EnsureEntryBlock()
}

// OpAsmPrinter writes the custom form of an operation. Its methods write at the end of the text.
type OpAsmPrinter interface {
	Context() *Context
	// Text writes text as it is.
	Text(s string)
	// Newline ends the line and starts the next as far in as the operation.
	Newline()
	// Keyword writes a bare identifier, quoted where it is none; SymbolName writes `@name` likewise.
	Keyword(s string)
	SymbolName(s string)
	Type(t Type)
	Attribute(a Attribute)
	// AttributeWithoutType writes a typed attribute without its type.
	AttributeWithoutType(a Attribute)
	Value(v *Value)
	// Values and Types write lists with commas between.
	Values(vs []*Value)
	Types(ts []Type)
	Successor(b *Block)
	// AttrDict writes ` {…}` without the elided names, nothing where nothing is left; AttrDictWithKeyword writes
	// ` attributes {…}`.
	AttrDict(d *DictionaryAttr, elide ...string)
	AttrDictWithKeyword(d *DictionaryAttr, elide ...string)
	// Region writes `{…}`.
	Region(r *Region, entryArguments, terminators bool)
	// Argument writes `%name: type {attributes} loc(…)` as the definition of a region's argument. d may be nil.
	Argument(v *Value, d *DictionaryAttr, omitType bool)
	// OptionalLoc writes ` loc(…)` where debug info is printed.
	OptionalLoc(l Location)
}
