package parser

// This file is the face that the parser shows to dialects: ir.AsmParser for types and attributes, ir.OpAsmParser for the
// custom forms of operations.

import (
	"fmt"
	"math"
	"strconv"

	"tpuir/ir"
)

// dialectParser implements ir.AsmParser.
type dialectParser struct{ *parser }

// Context returns the context.
func (d *dialectParser) Context() *ir.Context { return d.context }

// Loc returns the location of the next token.
func (d *dialectParser) Loc() ir.Location { return d.defaultLoc(d.token.start) }

// Position returns the position of the next token.
func (d *dialectParser) Position() ir.Position { return d.source.Position(d.token.start) }

// Errorf makes an error at the next token.
func (d *dialectParser) Errorf(format string, args ...any) error {
	return d.errorAt(d.token.start, fmt.Sprintf(format, args...))
}

// ErrorAt makes an error at a position.
func (d *dialectParser) ErrorAt(at ir.Position, format string, args ...any) error {
	return d.errorAt(d.source.Offset(at), fmt.Sprintf(format, args...))
}

// OptionalPunctuation consumes the punctuation if it is next.
func (d *dialectParser) OptionalPunctuation(text string) bool {
	if text == "::" {
		if d.token.kind != tokenColon || !d.follows(d.token.start, "::") {
			return false
		}
		d.advance()
		d.advance()
		return true
	}
	kind, known := punctuation[text]
	return known && d.accept(kind)
}

// Punctuation consumes the punctuation.
func (d *dialectParser) Punctuation(text string) error {
	if d.OptionalPunctuation(text) {
		return nil
	}
	return d.wrongToken("expected '" + text + "'")
}

// OptionalKeyword consumes the word if it is next.
func (d *dialectParser) OptionalKeyword(word string) bool {
	if d.token.kind == tokenIntType && string(d.spelling()) == word {
		d.advance()
		return true
	}
	return d.acceptWord(word)
}

// Keyword reads any bare identifier.
func (d *dialectParser) Keyword() (string, error) {
	if word, ok := d.AnyOptionalKeyword(); ok {
		return word, nil
	}
	return "", d.Errorf("expected valid keyword")
}

// AnyOptionalKeyword reads a bare identifier if one is next.
func (d *dialectParser) AnyOptionalKeyword() (string, bool) {
	if d.token.kind != tokenBare && d.token.kind != tokenIntType {
		return "", false
	}
	word := d.memo.name(d.spelling())
	d.advance()
	return word, true
}

// optionalKeywordOrString reads a bare identifier or a string if one is next.
func (p *parser) optionalKeywordOrString() (string, bool) {
	var word string
	switch p.token.kind {
	case tokenBare, tokenIntType:
		word = p.memo.name(p.spelling())
	case tokenString:
		word = p.stringValue(p.token)
	default:
		return "", false
	}
	p.advance()
	return word, true
}

// KeywordOrString reads a bare identifier or a string.
func (d *dialectParser) KeywordOrString() (string, error) {
	if word, ok := d.optionalKeywordOrString(); ok {
		return word, nil
	}
	return "", d.Errorf("expected valid keyword or string")
}

// OptionalString reads a string if one is next.
func (d *dialectParser) OptionalString() (string, bool, error) {
	if d.token.kind != tokenString {
		return "", false, nil
	}
	value := d.stringValue(d.token)
	d.advance()
	return value, true, nil
}

// Integer reads an integer that may be negative.
func (d *dialectParser) Integer() (int64, error) {
	v, found, err := d.OptionalInteger()
	if err == nil && !found {
		err = d.Errorf("expected integer value")
	}
	return v, err
}

const integerTooLarge = "integer value too large"

// OptionalInteger reads an integer that may be negative, if one is next.
func (d *dialectParser) OptionalInteger() (int64, bool, error) {
	start := d.token.start
	negative := false
	switch d.token.kind {
	case tokenInteger:
	case tokenMinus:
		negative = true
		d.advance()
		if d.token.kind != tokenInteger {
			return 0, false, d.wrongToken("expected integer value")
		}
	case tokenBare: // a boolean is a number of one bit, which MLIR extends with its sign
		switch {
		case d.acceptWord("true"):
			return -1, true, nil
		case d.acceptWord("false"):
			return 0, true, nil
		}
		return 0, false, nil
	default:
		return 0, false, nil
	}
	v, ok := uint64Value(d.spelling())
	d.advance()
	switch {
	case !ok, negative && v > 1<<63, !negative && v > math.MaxInt64:
		return 0, false, d.errorAt(start, integerTooLarge)
	case negative:
		return -int64(v), true, nil
	}
	return int64(v), true, nil
}

// Float reads a number.
func (d *dialectParser) Float() (float64, error) {
	negative := d.accept(tokenMinus)
	if d.token.kind != tokenFloat && d.token.kind != tokenInteger {
		return 0, d.Errorf("expected floating point literal")
	}
	literal := d.token
	d.advance()
	if literal.kind == tokenInteger {
		bits, _, err := d.floatFromInteger(literal, negative, d.context.F64())
		return math.Float64frombits(bits), err
	}
	return floatValue(d.text[literal.start:literal.end], negative), nil
}

// Type reads any type.
func (d *dialectParser) Type() (ir.Type, error) { return d.parseType() }

// OptionalType reads a type if one is next.
func (d *dialectParser) OptionalType() (ir.Type, bool, error) {
	t, err := d.optionalType()
	return t, t != nil && err == nil, err
}

// Attribute reads any attribute.
func (d *dialectParser) Attribute(t ir.Type) (ir.Attribute, error) { return d.parseAttribute(t) }

// OptionalAttribute reads an attribute if one is next.
func (d *dialectParser) OptionalAttribute(t ir.Type) (ir.Attribute, bool, error) {
	a, err := d.optionalAttribute(t)
	return a, a != nil && err == nil, err
}

// Dimensions reads `4x?x` or, without the trailing x, `4x?`.
func (d *dialectParser) Dimensions(allowDynamic, trailingX bool) ([]int64, error) {
	if trailingX {
		return d.dimensions(nil, allowDynamic)
	}
	var shape []int64
	for d.token.kind == tokenInteger || d.token.kind == tokenQuestion {
		size, err := d.dimension(allowDynamic)
		if err != nil {
			return nil, err
		}
		shape = append(shape, size)
		if d.token.kind != tokenBare || d.text[d.token.start] != 'x' {
			break
		}
		if err := d.dimensionX(); err != nil {
			return nil, err
		}
	}
	return shape, nil
}

// BracketText returns the text up to the bracket that closes the one just read.
func (d *dialectParser) BracketText(closing byte) (string, error) {
	open := []byte{opening(closing)}
	start := d.last
	for at := start; at < len(d.text); at++ {
		switch c := d.text[at]; c {
		case '<', '[', '(', '{':
			open = append(open, c)
		case '-':
			if at+1 < len(d.text) && d.text[at+1] == '>' {
				at++
			}
		case '>', ']', ')', '}':
			if open[len(open)-1] != opening(c) {
				return "", d.Errorf("unbalanced '%c'", open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				d.reset(at)
				return string(d.text[start:at]), nil
			}
		case '"':
			t := d.lexString(at)
			if t.kind != tokenString {
				return "", d.lexical
			}
			at = t.end - 1
		}
	}
	return "", d.Errorf("unbalanced '%c'", open[len(open)-1])
}

// CommaList reads elements up to the closing punctuation.
func (d *dialectParser) CommaList(closing string, element func() error) error {
	return d.listOrNone(punctuation[closing], "expected '"+closing+"'", element)
}

// operationParser implements ir.OpAsmParser.
type operationParser struct {
	dialectParser
	state   *ir.OperationState
	start   int
	regions []*ir.Region
}

// Errorf makes an error at the next token that names the operation.
func (o *operationParser) Errorf(format string, args ...any) error {
	return o.ErrorAt(o.Position(), format, args...)
}

// ErrorAt makes an error that names the operation.
func (o *operationParser) ErrorAt(at ir.Position, format string, args ...any) error {
	return o.dialectParser.ErrorAt(at, "custom op '%s' %s", o.state.Name, fmt.Sprintf(format, args...))
}

// Keyword reads any bare identifier.
func (o *operationParser) Keyword() (string, error) {
	if word, ok := o.AnyOptionalKeyword(); ok {
		return word, nil
	}
	return "", o.Errorf("expected valid keyword")
}

// KeywordOrString reads a bare identifier or a string.
func (o *operationParser) KeywordOrString() (string, error) {
	if word, ok := o.optionalKeywordOrString(); ok {
		return word, nil
	}
	return "", o.Errorf("expected valid keyword or string")
}

// Integer reads an integer that may be negative.
func (o *operationParser) Integer() (int64, error) {
	v, found, err := o.OptionalInteger()
	if err == nil && !found {
		err = o.Errorf("expected integer value")
	}
	return v, err
}

// OptionalInteger reads an integer that may be negative, if one is next.
func (o *operationParser) OptionalInteger() (int64, bool, error) {
	at := o.Position()
	v, found, err := o.dialectParser.OptionalInteger()
	if d, ok := err.(*ir.Diagnostic); ok && d.Message == integerTooLarge {
		err = o.ErrorAt(at, integerTooLarge)
	}
	return v, found, err
}

// SymbolName reads `@name`.
func (o *operationParser) SymbolName() (string, error) {
	name, found, err := o.OptionalSymbolName()
	if err == nil && !found {
		err = o.Errorf("expected valid '@'-identifier for symbol name")
	}
	return name, err
}

// OptionalSymbolName reads `@name` if it is next.
func (o *operationParser) OptionalSymbolName() (string, bool, error) {
	if o.token.kind != tokenAt {
		return "", false, nil
	}
	name := o.stringValue(o.token)
	o.advance()
	return name, true, nil
}

// OptionalAttrDict reads `{…}` if it is next.
func (o *operationParser) OptionalAttrDict() (*ir.DictionaryAttr, error) {
	if o.token.kind != tokenLeftBrace {
		return nil, nil
	}
	return o.parseDictionary()
}

// OwnAttrDict is OptionalAttrDict for the operation's own attributes, which it checks.
func (o *operationParser) OwnAttrDict(keyword string) (*ir.DictionaryAttr, error) {
	at := o.Position()
	if keyword != "" && !o.acceptWord(keyword) || keyword == "" && o.token.kind != tokenLeftBrace {
		return o.context.Dictionary(), nil
	}
	d, err := o.parseDictionary()
	if err != nil {
		return nil, err
	}
	if reason := o.state.Name.Definition().InvalidInherent(d); reason != "" {
		return nil, o.ErrorAt(at, "%s", reason)
	}
	return d, nil
}

// AttrDictWithKeyword reads `attributes {…}` if it is next.
func (o *operationParser) AttrDictWithKeyword() (*ir.DictionaryAttr, error) {
	if !o.acceptWord("attributes") {
		return nil, nil
	}
	return o.parseDictionary()
}

// OptionalLoc reads `loc(…)` if it is next.
func (o *operationParser) OptionalLoc() (ir.Location, bool, error) {
	loc, err := o.parseTrailingLoc()
	return loc, loc != nil && err == nil, err
}

func (o *operationParser) operand(allowNumber bool) (ir.UnresolvedOperand, error) {
	u, err := o.parseUse(allowNumber)
	if err != nil {
		return ir.UnresolvedOperand{}, err
	}
	return ir.UnresolvedOperand{Name: o.useText(u), Number: u.number, Position: o.source.Position(u.token.start)}, nil
}

// Operand reads `%name`.
func (o *operationParser) Operand() (ir.UnresolvedOperand, error) { return o.operand(true) }

// OptionalOperand reads `%name` if it is next.
func (o *operationParser) OptionalOperand() (ir.UnresolvedOperand, bool, error) {
	if o.token.kind != tokenPercent {
		return ir.UnresolvedOperand{}, false, nil
	}
	u, err := o.operand(true)
	return u, err == nil, err
}

// OperandList reads any number of names.
func (o *operationParser) OperandList() ([]ir.UnresolvedOperand, error) {
	if o.token.kind != tokenPercent {
		return nil, nil
	}
	var operands []ir.UnresolvedOperand
	for {
		u, err := o.operand(true)
		if err != nil {
			return nil, err
		}
		operands = append(operands, u)
		if !o.accept(tokenComma) {
			return operands, nil
		}
	}
}

// Resolve finds the value behind a name.
func (o *operationParser) Resolve(operand ir.UnresolvedOperand, t ir.Type) (*ir.Value, error) {
	return o.resolveName([]byte(operand.Name), operand.Number, o.source.Offset(operand.Position), t)
}

// ResolveAll finds the values behind names.
func (o *operationParser) ResolveAll(operands []ir.UnresolvedOperand, types []ir.Type, at ir.Position) ([]*ir.Value, error) {
	if len(operands) != len(types) {
		return nil, o.ErrorAt(at, "number of operands and types do not match: got %s operands and %s types",
			strconv.Itoa(len(operands)), strconv.Itoa(len(types)))
	}
	values := make([]*ir.Value, len(operands))
	for i := range operands {
		var err error
		if values[i], err = o.Resolve(operands[i], types[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// OptionalArgument reads an argument if one is next.
func (o *operationParser) OptionalArgument(allowType, allowAttributes bool) (a ir.ParsedArgument, found bool, err error) {
	if o.token.kind != tokenPercent {
		return a, false, nil
	}
	if a.Operand, err = o.operand(false); err != nil {
		return a, false, err
	}
	if allowType {
		if err := o.expect(tokenColon, "expected ':'"); err != nil {
			return a, false, err
		}
		if a.Type, err = o.parseType(); err != nil {
			return a, false, err
		}
	}
	if allowAttributes {
		if a.Attributes, err = o.OptionalAttrDict(); err != nil {
			return a, false, err
		}
	}
	a.Loc, err = o.parseTrailingLoc()
	return a, err == nil, err
}

// Successor reads `^block`.
func (o *operationParser) Successor() (*ir.Block, error) { return o.parseSuccessor() }

// Region reads `{…}`.
func (o *operationParser) Region(arguments []ir.ParsedArgument, enableNameShadowing bool) error {
	entry := make([]argument, len(arguments))
	for i, a := range arguments {
		entry[i] = argument{name: []byte(a.Operand.Name), at: o.source.Offset(a.Operand.Position), typ: a.Type, loc: a.Loc}
	}
	r, err := o.parseRegion(entry, enableNameShadowing)
	if err != nil {
		return err
	}
	o.addRegion(r)
	return nil
}

func (o *operationParser) addRegion(r *ir.Region) {
	o.regions = append(o.regions, r)
	o.state.Regions = len(o.regions)
}

// OptionalRegion reads `{…}` if it is next.
func (o *operationParser) OptionalRegion(arguments []ir.ParsedArgument) (bool, error) {
	if o.token.kind != tokenLeftBrace {
		return false, nil
	}
	return true, o.Region(arguments, false)
}

// EmptyRegion adds a region without blocks.
func (o *operationParser) EmptyRegion() { o.addRegion(&ir.Region{}) }

// RegionEmpty reports whether the last region has no block.
func (o *operationParser) RegionEmpty() bool { return o.regions[len(o.regions)-1].Empty() }

// EnsureEntryBlock makes sure that the last region has a block.
func (o *operationParser) EnsureEntryBlock() {
	if r := o.regions[len(o.regions)-1]; r.Empty() {
		r.Append(&ir.Block{})
	}
}
