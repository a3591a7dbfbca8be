// Parser of the inside of [[#…]] blocks: an optional format, an optional definition, an optional constraint.

package filecheck

import (
	"math/big"
	"strings"
)

// lineVariable is the name that stands for the line of the directive.
const lineVariable = "@LINE"

// operandKind says what may stand at a place of an expression.
type operandKind uint8

const (
	operandAny     operandKind = iota
	operandLine                // only @LINE: the first operand of [[@LINE+1]]
	operandDecimal             // only a decimal literal: the second one
)

// numericBlock is the parsed inside of a [[#…]] block.
type numericBlock struct {
	constraint arithmetic // nil where any number of the format matches
	format     format
	defines    *numericVariable // nil where the block defines nothing
}

// parseNumericBlock parses text. With legacy it is the inside of [[@LINE…]], written without a hash sign. line is that
// of the directive, 0 on the command line.
func (n *names) parseNumericBlock(text piece, legacy bool, line int) (*numericBlock, error) {
	explicit, rest, err := parseFormat(text)
	if err != nil {
		return nil, err
	}
	block := &numericBlock{}
	var definition *piece
	if colon := strings.IndexByte(rest.String(), ':'); colon >= 0 {
		before := rest.upTo(colon)
		definition, rest = &before, rest.from(colon+1)
	}
	if block.constraint, err = n.parseConstraint(rest, legacy, line); err != nil {
		return nil, err
	}
	block.format = explicit
	if explicit.kind == formatNone && block.constraint != nil {
		if block.format, err = block.constraint.implicitFormat(); err != nil {
			return nil, err
		}
	}
	if block.format.kind == formatNone {
		block.format = format{kind: formatUnsigned, precision: explicit.precision}
	}
	if definition != nil {
		block.defines, err = n.parseNumericDefinition(definition.trimLeft(), block.format, line)
	}
	return block, err
}

// parseConstraint parses what follows the definition; nil without an error means that there is nothing.
func (n *names) parseConstraint(text piece, legacy bool, line int) (arithmetic, error) {
	text = text.trimLeft()
	constrained := text.take("==")
	text = text.trimLeft()
	if text.empty() {
		if constrained {
			return nil, errorAt(text, "empty numeric expression should not have a constraint")
		}
		return nil, nil
	}
	text = text.trimRight()
	kind := operandAny
	if legacy {
		kind = operandLine
	}
	p := &numberParser{names: n, legacy: legacy, line: line}
	whole := text
	result, err := p.operand(&text, kind, !constrained)
	for err == nil && !text.empty() {
		result, err = p.binary(whole, &text, result)
		if err == nil && legacy && !text.empty() {
			return nil, errorAt(text, "unexpected characters at end of expression '%s'", text)
		}
	}
	return result, err
}

// parseFormat parses a format specifier, which ends at the first comma outside of a call.
func parseFormat(text piece) (result format, rest piece, err error) {
	comma := strings.IndexByte(text.String(), ',')
	call := strings.IndexByte(text.String(), '(')
	if comma < 0 || (call >= 0 && call < comma) {
		return format{}, text, nil
	}
	rest = text.from(comma + 1)
	spec := text.upTo(comma).trimLeft().trimRight()
	const invalid = "invalid matching format specification in expression"
	if !spec.take("%") {
		return format{}, rest, errorAt(spec, invalid)
	}
	flag := spec
	result.alternate = spec.take("#")
	if spec.take(".") {
		digits := len(spec.String()) - len(strings.TrimLeft(spec.String(), "0123456789"))
		for _, c := range []byte(spec.upTo(digits).String()) {
			result.precision = min(result.precision*10+int(c-'0'), maximumPrecision+1)
		}
		if digits == 0 || result.precision > maximumPrecision {
			return format{}, rest, errorAt(spec, "invalid precision in format specifier")
		}
		spec = spec.from(digits)
	}
	if !spec.empty() {
		kind := strings.IndexByte("?udxX", spec.String()[0])
		if kind < 1 {
			return format{}, rest, errorAt(spec, "invalid format specifier in expression")
		}
		result.kind = formatKind(kind)
		spec = spec.from(1)
	}
	if result.alternate && !result.hexadecimal() {
		return format{}, rest, errorAt(flag, "alternate form only supported for hex values")
	}
	if spec = spec.trimLeft(); !spec.empty() {
		return format{}, rest, errorAt(spec, invalid)
	}
	return result, rest, nil
}

// numberParser parses one arithmetic expression. Its methods advance the piece they are given.
type numberParser struct {
	names  *names
	legacy bool
	line   int
	depth  int
}

// operand parses a parenthesized expression, a call, a variable or a literal. guess says that the text may have been
// meant as a constraint operator that does not exist.
func (p *numberParser) operand(text *piece, kind operandKind, guess bool) (arithmetic, error) {
	if p.depth++; p.depth > maximumNesting {
		return nil, errorAt(*text, "expression is nested too deeply")
	}
	defer func() { p.depth-- }()
	if text.startsWith("(") {
		if kind != operandAny {
			return nil, errorAt(*text, "parenthesized expression not permitted here")
		}
		return p.parenthesized(text)
	}
	if kind != operandDecimal {
		whole := *text
		name, err := parseName(text)
		if err == nil {
			return p.named(name, text, kind)
		}
		if kind == operandLine {
			return nil, err
		}
		*text = whole
	}
	return p.literal(text, kind, guess)
}

// named parses what follows a name: a call, or nothing.
func (p *numberParser) named(name piece, text *piece, kind operandKind) (arithmetic, error) {
	if !text.trimLeft().startsWith("(") {
		return p.names.useNumeric(name, p.line)
	}
	if kind != operandAny {
		return nil, errorAt(name, "unexpected function call")
	}
	return p.call(name, text)
}

func (p *numberParser) literal(text *piece, kind operandKind, guess bool) (arithmetic, error) {
	whole := *text
	negative := text.take("-")
	base := 10
	if kind != operandDecimal {
		base = takeBase(text)
	}
	digits := 0
	for digits < text.length() && digitValue(text.String()[digits]) < base {
		digits++
	}
	value, ok := new(big.Int).SetString(text.upTo(digits).String(), base)
	if !ok {
		*text = whole
		constraint := ""
		if guess {
			constraint = "matching constraint or "
		}
		return nil, errorAt(whole, "invalid %soperand format", constraint)
	}
	*text = text.from(digits)
	if negative {
		value.Neg(value)
	}
	return &numberLiteral{at: whole.until(*text), value: value}, nil
}

// takeBase drops the prefix that tells the base of a literal.
func takeBase(text *piece) int {
	switch {
	case text.take("0x"), text.take("0X"):
		return 16
	case text.take("0b"), text.take("0B"):
		return 2
	case text.take("0o"):
		return 8
	case text.length() > 1 && text.startsWith("0") && isDigit(text.String()[1]):
		*text = text.from(1)
		return 8
	}
	return 10
}

func digitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 36
}

func (p *numberParser) parenthesized(text *piece) (arithmetic, error) {
	text.take("(")
	*text = text.trimLeft()
	if text.empty() {
		return nil, errorAt(*text, "missing operand in expression")
	}
	result, err := p.operand(text, operandAny, false)
	*text = text.trimLeft()
	for err == nil && !text.empty() && !text.startsWith(")") {
		result, err = p.binary(*text, text, result)
		*text = text.trimLeft()
	}
	if err != nil {
		return nil, err
	}
	if !text.take(")") {
		return nil, errorAt(*text, "missing ')' at end of nested expression")
	}
	return result, nil
}

// binary parses an operator and its right operand. whole is the text that the operation starts with.
func (p *numberParser) binary(whole piece, text *piece, left arithmetic) (arithmetic, error) {
	*text = text.trimLeft()
	if text.empty() {
		return left, nil
	}
	sign := *text
	*text = text.from(1)
	apply := operator(add)
	switch sign.String()[0] {
	case '+':
	case '-':
		apply = subtract
	default:
		return nil, errorAt(sign, "unsupported operation '%c'", sign.String()[0])
	}
	*text = text.trimLeft()
	if text.empty() {
		return nil, errorAt(*text, "missing operand in expression")
	}
	kind := operandAny
	if p.legacy {
		kind = operandDecimal
	}
	right, err := p.operand(text, kind, false)
	if err != nil {
		return nil, err
	}
	return &operation{at: whole.until(*text), apply: apply, left: left, right: right}, nil
}

func (p *numberParser) call(name piece, text *piece) (arithmetic, error) {
	apply, ok := functions[name.String()]
	if !ok {
		return nil, errorAt(name, "call to undefined function '%s'", name)
	}
	*text = text.trimLeft()
	text.take("(")
	*text = text.trimLeft()
	arguments, err := p.arguments(text)
	if err != nil {
		return nil, err
	}
	if !text.take(")") {
		return nil, errorAt(*text, "missing ')' at end of call expression")
	}
	if len(arguments) != 2 {
		return nil, errorAt(name, "function '%s' takes 2 arguments but %d given", name, len(arguments))
	}
	return &operation{at: *text, apply: apply, left: arguments[0], right: arguments[1]}, nil
}

// arguments parses expressions separated by commas, up to what should be the closing parenthesis.
func (p *numberParser) arguments(text *piece) ([]arithmetic, error) {
	var arguments []arithmetic
	for !text.empty() && !text.startsWith(")") {
		if text.startsWith(",") {
			return nil, errorAt(*text, "missing argument")
		}
		whole := *text
		argument, err := p.operand(text, operandAny, false)
		for err == nil && !text.empty() {
			*text = text.trimLeft()
			if text.startsWith(",") || text.startsWith(")") {
				break
			}
			argument, err = p.binary(whole, text, argument)
		}
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
		*text = text.trimLeft()
		if !text.take(",") {
			break
		}
		*text = text.trimLeft()
		if text.startsWith(")") {
			return nil, errorAt(*text, "missing argument")
		}
	}
	return arguments, nil
}
