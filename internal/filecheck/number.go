// Numeric expressions of [[#…]] blocks: values, formats, operations. Values are integers of any size.

package filecheck

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

type formatKind uint8

const (
	formatNone formatKind = iota
	formatUnsigned
	formatSigned
	formatHexLower
	formatHexUpper
)

var formatNames = [...]string{"<none>", "%u", "%d", "%x", "%X"}

// maximumPrecision bounds the digits a format may ask for, which is what a repetition in a pattern can count.
const maximumPrecision = maximumRepeat

// format says how a number is written.
type format struct {
	kind      formatKind
	precision int  // least number of digits; 0 where none is asked for
	alternate bool // with 0x before the digits
}

func (f format) String() string { return formatNames[f.kind] }

func (f format) hexadecimal() bool { return f.kind == formatHexLower || f.kind == formatHexUpper }

func (f format) prefix() string {
	if f.alternate {
		return "0x"
	}
	return ""
}

// wildcard is the expression that matches any number of this format.
func (f format) wildcard() string {
	digits, first, sign := "[0-9]", "[1-9]", ""
	switch f.kind {
	case formatSigned:
		sign = "-?"
	case formatHexLower:
		digits, first = "[0-9a-f]", "[1-9a-f]"
	case formatHexUpper:
		digits, first = "[0-9A-F]", "[1-9A-F]"
	}
	if f.precision > 0 {
		return fmt.Sprintf("%s%s(%s%s*)?%s{%d}", f.prefix(), sign, first, digits, digits, f.precision)
	}
	return f.prefix() + sign + digits + "+"
}

// errOverflow means that a value cannot be written in its format, or a division by zero.
var errOverflow = errors.New("overflow error")

// write gives value in this format.
func (f format) write(value *big.Int) (string, error) {
	sign := ""
	if value.Sign() < 0 {
		if f.kind != formatSigned {
			return "", errOverflow
		}
		sign = "-"
	}
	base := 10
	if f.hexadecimal() {
		base = 16
	}
	digits := new(big.Int).Abs(value).Text(base)
	if f.kind == formatHexUpper {
		digits = strings.ToUpper(digits)
	}
	return sign + f.prefix() + strings.Repeat("0", max(f.precision-len(digits), 0)) + digits, nil
}

// read gives the value of text that matched the wildcard.
func (f format) read(text string) (*big.Int, bool) {
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "-"), f.prefix())
	base := 10
	if f.hexadecimal() {
		base = 16
	}
	value, ok := new(big.Int).SetString(text, base)
	if ok && negative {
		value.Neg(value)
	}
	return value, ok
}

// numericVariable is what a name in a numeric expression stands for. Its value belongs to a run, not to it.
type numericVariable struct {
	name        string
	format      format
	definedLine int // line of the directive that defines it; 0 where it is not known or on the command line
}

// numericValue is a number and, if it was captured, where from.
type numericValue struct {
	number *big.Int
	text   *piece
}

// arithmetic is a vertex of an expression: a number, a variable or an operation.
type arithmetic interface {
	evaluate(values map[*numericVariable]numericValue) (*big.Int, error)
	// implicitFormat is the format that the variables in the expression agree on.
	implicitFormat() (format, error)
	place() piece
}

type numberLiteral struct {
	at    piece
	value *big.Int
}

func (l *numberLiteral) place() piece { return l.at }

func (l *numberLiteral) implicitFormat() (format, error) { return format{}, nil }

func (l *numberLiteral) evaluate(map[*numericVariable]numericValue) (*big.Int, error) {
	return l.value, nil
}

type variableUse struct {
	at       piece
	variable *numericVariable
}

func (u *variableUse) place() piece { return u.at }

func (u *variableUse) implicitFormat() (format, error) { return u.variable.format, nil }

func (u *variableUse) evaluate(values map[*numericVariable]numericValue) (*big.Int, error) {
	value, ok := values[u.variable]
	if !ok {
		return nil, &undefinedVariable{u.at}
	}
	return value.number, nil
}

// undefinedVariable reports the use of a variable that has no value.
type undefinedVariable struct{ name piece }

func (e *undefinedVariable) Error() string { return "undefined variable: " + e.name.String() }

// operator computes an operation; it reports false where the result does not exist.
type operator func(left, right *big.Int) (*big.Int, bool)

func add(left, right *big.Int) (*big.Int, bool) { return new(big.Int).Add(left, right), true }

func subtract(left, right *big.Int) (*big.Int, bool) { return new(big.Int).Sub(left, right), true }

func multiply(left, right *big.Int) (*big.Int, bool) { return new(big.Int).Mul(left, right), true }

func divide(left, right *big.Int) (*big.Int, bool) {
	if right.Sign() == 0 {
		return nil, false
	}
	return new(big.Int).Quo(left, right), true
}

func larger(left, right *big.Int) (*big.Int, bool) {
	if left.Cmp(right) < 0 {
		return right, true
	}
	return left, true
}

func smaller(left, right *big.Int) (*big.Int, bool) {
	if left.Cmp(right) < 0 {
		return left, true
	}
	return right, true
}

// functions are the operations that are called by name.
var functions = map[string]operator{
	"add": add, "sub": subtract, "mul": multiply, "div": divide, "max": larger, "min": smaller,
}

type operation struct {
	at          piece
	apply       operator
	left, right arithmetic
}

func (o *operation) place() piece { return o.at }

// evaluate reports the faults of both operands, joined.
func (o *operation) evaluate(values map[*numericVariable]numericValue) (*big.Int, error) {
	left, leftErr := o.left.evaluate(values)
	right, rightErr := o.right.evaluate(values)
	if leftErr != nil || rightErr != nil {
		return nil, errors.Join(leftErr, rightErr)
	}
	result, ok := o.apply(left, right)
	if !ok {
		return nil, errOverflow
	}
	return result, nil
}

func (o *operation) implicitFormat() (format, error) {
	left, leftErr := o.left.implicitFormat()
	right, rightErr := o.right.implicitFormat()
	if leftErr != nil || rightErr != nil {
		return format{}, errors.Join(leftErr, rightErr)
	}
	if left.kind == formatNone {
		return right, nil
	}
	if right.kind != formatNone && left != right {
		return format{}, errorAt(o.at, "implicit format conflict between '%s' (%s) and '%s' (%s), "+
			"need an explicit format specifier", o.left.place(), left, o.right.place(), right)
	}
	return left, nil
}
