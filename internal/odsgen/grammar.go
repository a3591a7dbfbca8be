// Package odsgen reads the op definition files (dialect/top/top.ods, dialect/tpu/tpu.ods) and writes from them the typed
// wrappers, the definition tables that the structural verifiers run on, and the reference pages under docs/dialects.
//
// The language is small on purpose: an op is operands, results, attributes, regions, traits, and the names of the rules
// and hooks that Go files implement.
//
//	dialect top "graph dialect: what a model means" {
//	  implements ShapeInterface                        // what every op of the dialect implements
//	}
//	strings ReduceMode { "ReduceMin" "ReduceMax" }     // a string attribute with a closed list of values
//	enum RoundMode as round_mode { HalfUp = 1 }        // an enum attribute: #tpu<round_mode HalfUp>
//	struct Compress as do_compress { bias0: i32 }      // a struct attribute: #tpu.do_compress<bias0 = 0>
//	family matmul "products of matrices" {             // the Go files named matmul.go hold the family's behaviour
//	  op MatMul "what it computes, in one line" {
//	    operands input: tensor  bias: tensor|none  others: (tensor|none)*  shape: tensor?
//	    results  output: tensor
//	    attrs    axis: si32 = 1  eps: f64  pads: [i64]  weight_bits: i64?  mode: ReduceMode  round: RoundMode = HalfUp
//	    regions  body: block
//	    traits   SupportFuseRelu  HasParent(If, Loop)
//	    lacks    ShapeInterface
//	    shape    Unary                                 // a shape rule that needs nothing but the op
//	    verify   "what is checked besides"             // by verifyMatMul in matmul.go, or by rules of dialect/shape:
//	             by Concat(inputs, axis, output)       // shape.Concat(op, …), with the values of these fields
//	    infer fold                                     // likewise inferMatMul, foldMatMul
//	  }
//	}
package odsgen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// File is one parsed definition file.
type File struct {
	Pos        lexer.Position
	Name       string   `parser:"'dialect' @Lower"`
	Summary    string   `parser:"@String '{'"`
	Traits     []string `parser:"( 'traits' @Upper+ )?"`
	Implements []string `parser:"( 'implements' @Upper+ )? '}'"`
	Decls      []*Decl  `parser:"@@*"`
}

// Decl is one top-level declaration; exactly one field is set.
type Decl struct {
	Strings *Strings `parser:"  @@"`
	Enum    *Enum    `parser:"| @@"`
	Struct  *Struct  `parser:"| @@"`
	Family  *Family  `parser:"| @@"`
}

// Strings declares a string attribute whose value is one of a closed list.
type Strings struct {
	Pos   lexer.Position
	Name  string   `parser:"'strings' @Upper"`
	Cases []string `parser:"'{' @String+ '}'"`
}

// Enum declares an enum attribute, spelled #dialect<mnemonic Case>; its values are 32-bit integers.
type Enum struct {
	Pos      lexer.Position
	Name     string      `parser:"'enum' @Upper"`
	Mnemonic string      `parser:"'as' @( Lower | Upper )"`
	Cases    []*EnumCase `parser:"'{' @@+ '}'"`
}

// EnumCase is one case of an Enum.
type EnumCase struct {
	Pos   lexer.Position
	Name  string `parser:"@( Lower | Upper )"`
	Value int64  `parser:"'=' @Number"`
}

// Struct declares a struct attribute, spelled #dialect.mnemonic<field = value, …>; fields print in declared order.
type Struct struct {
	Pos      lexer.Position
	Name     string   `parser:"'struct' @Upper"`
	Mnemonic string   `parser:"'as' @( Lower | Upper )"`
	Fields   []*Field `parser:"'{' @@+ '}'"`
}

// Family groups ops whose behaviour lives in files of one name: interp/NAME.go, transforms/lowering/NAME.go, and
// dialect/…/NAME.go for what no rule of dialect/shape checks.
type Family struct {
	Pos     lexer.Position
	Name    string `parser:"'family' @Lower"`
	Summary string `parser:"@String"`
	Ops     []*Op  `parser:"'{' @@+ '}'"`
}

// Op is one operation. Trait and interface names begin with a capital, the clauses' keywords do not; this is how one
// clause ends and the next begins.
type Op struct {
	Pos        lexer.Position
	Name       string   `parser:"'op' @Upper"`
	Summary    string   `parser:"@String '{'"`
	Operands   []*Field `parser:"( 'operands' @@+ )?"`
	Results    []*Field `parser:"( 'results' @@+ )?"`
	Attributes []*Field `parser:"( 'attrs' @@+ )?"`
	Regions    []*Field `parser:"( 'regions' @@+ )?"`
	Traits     []*Trait `parser:"( 'traits' @@+ )?"`
	Implements []string `parser:"( 'implements' @Upper+ )?"`
	Lacks      []string `parser:"( 'lacks' @Upper+ )?"`
	Rule       string   `parser:"( 'shape' @Upper )?"`
	Verify     *Verify  `parser:"( 'verify' @@ )?"`
	Infer      bool     `parser:"@'infer'?"`
	Fold       bool     `parser:"@'fold'? '}'"`
}

// Verify is what is checked of an op beyond its structure, in words, and the rules that do it one after the other. Where there
// are none a function of the dialect does.
type Verify struct {
	Words string      `parser:"@String"`
	Rules []*RuleCall `parser:"( 'by' @@+ )?"`
}

// RuleCall calls a rule of dialect/shape, whose first argument is the operation.
type RuleCall struct {
	Pos  lexer.Position
	Name string          `parser:"@Upper"`
	Args []*RuleArgument `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
}

// RuleArgument is the value of a field of the op, the word self for the op's wrapper, or a literal.
type RuleArgument struct {
	Pos    lexer.Position
	Field  string  `parser:"  @( Lower | Upper )"`
	Text   *string `parser:"| @String"`
	Number *string `parser:"| @Number"`
}

// Trait is a property of an op that is not data: what it promises to passes, or a structural rule.
type Trait struct {
	Pos  lexer.Position
	Name string   `parser:"@Upper"`
	Args []string `parser:"( '(' @Upper ( ',' @Upper )* ')' )?"`
}

// Field is an operand, a result, an attribute, a struct member or a region.
type Field struct {
	Pos        lexer.Position
	Name       string   `parser:"@( Lower | Upper ) ':'"`
	List       string   `parser:"( '[' @Lower ']'"`
	Types      []string `parser:"| '(' @( Lower | Upper ) ( '|' @( Lower | Upper ) )* ')' | @( Lower | Upper ) ( '|' @( Lower | Upper ) )* )"`
	Quantifier string   `parser:"@( '?' | '*' )?"`
	Default    *Value   `parser:"( '=' @@ )?"`
}

// Value is the literal of a default; one of the fields is set.
type Value struct {
	Pos    lexer.Position
	String *string  `parser:"  @String"`
	Number *string  `parser:"| @Number"`
	Name   *string  `parser:"| @( Lower | Upper )"`
	IsList bool     `parser:"| ( @'['"`
	List   []*Value `parser:"( @@ ( ',' @@ )* )? ']' )"`
}

// build makes the parser; it costs a few milliseconds and only the generator and its tests need it.
func build() (*participle.Parser[File], error) {
	rules, err := lexer.NewSimple([]lexer.SimpleRule{
		{Name: "Comment", Pattern: `//[^\n]*`},
		{Name: "String", Pattern: `"(\\.|[^"\\\n])*"`},
		{Name: "Number", Pattern: `-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`},
		{Name: "Upper", Pattern: `[A-Z][A-Za-z0-9_]*`},
		{Name: "Lower", Pattern: `[a-z_][A-Za-z0-9_]*`},
		{Name: "Punct", Pattern: `[][{}()|:,=?*]`},
		{Name: "Space", Pattern: `\s+`},
	})
	if err != nil {
		return nil, err
	}
	// Three tokens ahead tell a field (name ':') from the keyword of the next clause, and a parenthesised type.
	return participle.Build[File](participle.Lexer(rules), participle.Elide("Comment", "Space"),
		participle.Unquote("String"), participle.UseLookahead(3))
}

// Parse reads the text of a definition file. An error tells file, line and column, and shows the line with a caret.
func Parse(name, text string) (*File, error) {
	parser, err := build()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseString(name, text)
	if err != nil {
		var located participle.Error
		if errors.As(err, &located) {
			return nil, at(text, located.Position(), "%s", located.Message())
		}
		return nil, err
	}
	return file, check(file, text)
}

// at makes an error that points into text.
func at(text string, pos lexer.Position, format string, args ...any) error {
	line := ""
	if lines := strings.Split(text, "\n"); pos.Line >= 1 && pos.Line <= len(lines) {
		line = lines[pos.Line-1]
	}
	caret := strings.Repeat(" ", max(pos.Column-1, 0)) + "^"
	return fmt.Errorf("%s:%d:%d: error: %s\n%s\n%s", pos.Filename, pos.Line, pos.Column, fmt.Sprintf(format, args...), line, caret)
}
