// The rules of a definition file that its grammar cannot say: names are known and unique, defaults fit their kinds, and
// the sizes of operand and result groups can be told from their total.

package odsgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// attributeKinds are the attribute kinds that need no declaration; those in brackets are lists.
var attributeKinds = []string{"bool", "i32", "i64", "si32", "ui32", "f32", "f64", "str", "dict", "map"}

// listKinds are the kinds that may stand in brackets.
var listKinds = []string{"i32", "i64", "f64", "dict"}

// constraints are what an operand or a result may be, with MLIR's wording.
var constraints = map[string]string{
	"tensor":      "tensor of any type values",
	"ranked":      "ranked tensor of any type values",
	"none":        "none type",
	"any":         "any type",
	"tensor|none": "tensor of any type values or none type",
	"ranked|none": "ranked tensor of any type values or none type",
}

// shapeRules are the rules of dialect/shape that need nothing but the op, with what they check.
var shapeRules = map[string]string{
	"Unary":       "the output has shape and float type of the input, one element where is_scalar is set",
	"Converted":   "the output has the shape of the input, one element where is_scalar is set",
	"Elementwise": "the inputs broadcast to the shape of the output and have its float type; one element where is_scalar is set",
	"Broadcasts":  "the inputs broadcast to the shape of the output; one element where is_scalar is set",
}

// checker walks one file; report keeps the first error.
type checker struct {
	text    string
	strings map[string]*Strings
	enums   map[string]*Enum
	structs map[string]*Struct
	ops     map[string]bool
}

func check(file *File, text string) error {
	c := checker{text, map[string]*Strings{}, map[string]*Enum{}, map[string]*Struct{}, map[string]bool{}}
	if err := c.declare(file); err != nil {
		return err
	}
	for _, op := range file.Ops() {
		if err := c.op(op); err != nil {
			return err
		}
	}
	return nil
}

// declare enters every name, so that an op may use a declaration that follows it.
func (c *checker) declare(file *File) error {
	taken := map[string]bool{}
	for _, decl := range file.Decls {
		switch {
		case decl.Strings != nil:
			if taken[decl.Strings.Name] {
				return at(c.text, decl.Strings.Pos, "%s is declared twice", decl.Strings.Name)
			}
			taken[decl.Strings.Name] = true
			c.strings[decl.Strings.Name] = decl.Strings
		case decl.Enum != nil:
			if taken[decl.Enum.Name] {
				return at(c.text, decl.Enum.Pos, "%s is declared twice", decl.Enum.Name)
			}
			taken[decl.Enum.Name] = true
			c.enums[decl.Enum.Name] = decl.Enum
			if err := c.enum(decl.Enum); err != nil {
				return err
			}
		case decl.Struct != nil:
			if taken[decl.Struct.Name] {
				return at(c.text, decl.Struct.Pos, "%s is declared twice", decl.Struct.Name)
			}
			taken[decl.Struct.Name] = true
			c.structs[decl.Struct.Name] = decl.Struct
			if err := c.members(decl.Struct); err != nil {
				return err
			}
		case decl.Family != nil:
			if err := c.family(decl.Family); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) enum(enum *Enum) error {
	for i, one := range enum.Cases {
		for _, other := range enum.Cases[:i] {
			if other.Name == one.Name || other.Value == one.Value {
				return at(c.text, one.Pos, "case %s = %d of enum %s repeats %s = %d",
					one.Name, one.Value, enum.Name, other.Name, other.Value)
			}
		}
		if one.Value != int64(i) {
			return at(c.text, one.Pos, "case %s of enum %s must be %d: values count from 0", one.Name, enum.Name, i)
		}
	}
	return nil
}

func (c *checker) members(s *Struct) error {
	if err := c.unique(s.Fields, "field"); err != nil {
		return err
	}
	for _, field := range s.Fields {
		kind := field.Kind()
		if !slices.Contains([]string{"bool", "i32", "i64", "[i64]"}, kind) || field.Quantifier != "" || field.Default != nil {
			return at(c.text, field.Pos, "field %s of struct %s must be a plain bool, i32, i64 or [i64]", field.Name, s.Name)
		}
	}
	return nil
}

func (c *checker) family(family *Family) error {
	for i, op := range family.Ops {
		if c.ops[op.Name] {
			return at(c.text, op.Pos, "op %s is defined twice", op.Name)
		}
		c.ops[op.Name] = true
		if i > 0 && family.Ops[i-1].Name > op.Name {
			return at(c.text, op.Pos, "op %s stands after %s: the ops of a family are in alphabetical order",
				op.Name, family.Ops[i-1].Name)
		}
	}
	return nil
}

func (c *checker) op(op *Op) error {
	for _, group := range []struct {
		fields []*Field
		what   string
	}{{op.Operands, "operand"}, {op.Results, "result"}} {
		if err := c.values(op, group.fields, group.what); err != nil {
			return err
		}
	}
	if err := c.unique(op.Attributes, "attribute"); err != nil {
		return err
	}
	for _, attribute := range op.Attributes {
		if err := c.attribute(attribute); err != nil {
			return err
		}
	}
	for _, region := range op.Regions {
		if region.Kind() != "block" || region.Quantifier == "?" || region.Default != nil {
			return at(c.text, region.Pos, "region %s must be 'block' or 'block*'", region.Name)
		}
	}
	if _, known := shapeRules[op.Rule]; op.Rule != "" && !known {
		return at(c.text, op.Pos, "op %s names the unknown shape rule %s", op.Name, op.Rule)
	}
	if err := c.rules(op); err != nil {
		return err
	}
	for _, trait := range op.Traits {
		for _, parent := range trait.Args {
			if !c.ops[parent] {
				return at(c.text, trait.Pos, "trait %s names the unknown op %s", trait.Name, parent)
			}
		}
	}
	return nil
}

// rules checks that the arguments of rules are fields which always have a value.
func (c *checker) rules(op *Op) error {
	if op.Verify == nil {
		return nil
	}
	fields := op.accessors()
	for _, rule := range op.Verify.Rules {
		for _, argument := range rule.Args {
			if argument.Field == "" || argument.Field == selfArgument {
				continue
			}
			i := slices.IndexFunc(fields, func(a accessor) bool { return a.field.Name == argument.Field })
			if i < 0 {
				return at(c.text, argument.Pos, "rule %s of op %s names the unknown field %s", rule.Name, op.Name, argument.Field)
			}
			if fields[i].attribute && fields[i].field.Quantifier == "?" && fields[i].field.List == "" {
				return at(c.text, argument.Pos, "rule %s of op %s reads attribute %s, which may be absent", rule.Name, op.Name, argument.Field)
			}
		}
	}
	return nil
}

// values checks operands or results. With one group of open size its size is what the others leave; with more, the
// groups must share one size.
func (c *checker) values(op *Op, fields []*Field, what string) error {
	if err := c.unique(fields, what); err != nil {
		return err
	}
	open := 0
	for _, field := range fields {
		if _, known := constraints[field.Kind()]; !known {
			return at(c.text, field.Pos, "%s %s has the unknown constraint %q (known: any, none, ranked, ranked|none, tensor, tensor|none)",
				what, field.Name, field.Kind())
		}
		if field.Default != nil {
			return at(c.text, field.Pos, "%s %s cannot have a default", what, field.Name)
		}
		if field.Quantifier != "" {
			open++
		}
		if open > 1 && !op.HasTrait("SameVariadicOperandSize") {
			return at(c.text, field.Pos, "%s %s is the second of open size: the sizes cannot be told apart without SameVariadicOperandSize",
				what, field.Name)
		}
	}
	return nil
}

func (c *checker) unique(fields []*Field, what string) error {
	for i, field := range fields {
		for _, other := range fields[:i] {
			if other.Name == field.Name {
				return at(c.text, field.Pos, "%s %s stands twice", what, field.Name)
			}
		}
	}
	return nil
}

func (c *checker) attribute(field *Field) error {
	known := field.List == "" && slices.Contains(attributeKinds, field.Kind()) ||
		slices.Contains(listKinds, field.List) ||
		c.strings[field.Kind()] != nil || c.enums[field.Kind()] != nil || c.structs[field.Kind()] != nil
	if !known {
		return at(c.text, field.Pos, "attribute %s has the unknown kind %s", field.Name, field.Kind())
	}
	if field.Quantifier == "*" {
		return at(c.text, field.Pos, "attribute %s cannot repeat; a list is written [kind]", field.Name)
	}
	if field.Default == nil {
		return nil
	}
	if field.Quantifier != "" {
		return at(c.text, field.Pos, "attribute %s is optional and has a default; it can be one of them", field.Name)
	}
	if err := c.fits(field.Kind(), field.Default); err != nil {
		return at(c.text, field.Default.Pos, "the default of attribute %s %v", field.Name, err)
	}
	return nil
}

// fits tells why value cannot be the default of a kind.
func (c *checker) fits(kind string, value *Value) error {
	text := value.text()
	switch {
	case c.strings[kind] != nil:
		if value.String == nil || !slices.Contains(c.strings[kind].Cases, *value.String) {
			return fmt.Errorf("is %s, none of the cases of %s", text, kind)
		}
	case c.enums[kind] != nil:
		if value.Name == nil || !slices.ContainsFunc(c.enums[kind].Cases, func(e *EnumCase) bool { return e.Name == *value.Name }) {
			return fmt.Errorf("is %s, none of the cases of %s", text, kind)
		}
	case strings.HasPrefix(kind, "["):
		if !value.IsList {
			return fmt.Errorf("is %s, not a list", text)
		}
		for _, item := range value.List {
			if err := c.fits(strings.Trim(kind, "[]"), item); err != nil {
				return err
			}
		}
	case kind == "bool":
		if text != "true" && text != "false" {
			return fmt.Errorf("is %s, neither true nor false", text)
		}
	case kind == "str":
		if value.String == nil {
			return fmt.Errorf("is %s, not a string", text)
		}
	case kind == "f32" || kind == "f64":
		if value.Number == nil {
			return fmt.Errorf("is %s, not a number", text)
		}
	case kind == "i32" || kind == "i64" || kind == "si32" || kind == "ui32":
		if value.Number == nil {
			return fmt.Errorf("is %s, not an integer", text)
		}
		if _, err := strconv.ParseInt(*value.Number, 10, 64); err != nil {
			return fmt.Errorf("is %s, not an integer", text)
		}
	default:
		return fmt.Errorf("is not possible: kind %s has no literal", kind)
	}
	return nil
}

// text is the literal as written, near enough for a message and for the reference pages.
func (v *Value) text() string {
	switch {
	case v.String != nil:
		return strconv.Quote(*v.String)
	case v.Number != nil:
		return *v.Number
	case v.Name != nil:
		return *v.Name
	}
	items := make([]string, len(v.List))
	for i, item := range v.List {
		items[i] = item.text()
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// Kind is the type of a field as written, lists in brackets and alternatives joined by '|'.
func (f *Field) Kind() string {
	if f.List != "" {
		return "[" + f.List + "]"
	}
	return strings.Join(f.Types, "|")
}

// HasTrait tells whether the op names the trait itself.
func (o *Op) HasTrait(name string) bool {
	return slices.ContainsFunc(o.Traits, func(t *Trait) bool { return t.Name == name })
}

// Class is the name of the op's Go type: the op's name without underscores, ending in Op.
func (o *Op) Class() string {
	name := strings.ReplaceAll(o.Name, "_", "")
	return strings.TrimSuffix(name, "Op") + "Op"
}

// Families are the families in the order of the file.
func (f *File) Families() []*Family {
	var families []*Family
	for _, decl := range f.Decls {
		if decl.Family != nil {
			families = append(families, decl.Family)
		}
	}
	return families
}

// Ops are the ops of all families, sorted by name.
func (f *File) Ops() []*Op {
	var ops []*Op
	for _, family := range f.Families() {
		ops = append(ops, family.Ops...)
	}
	slices.SortFunc(ops, func(a, b *Op) int { return strings.Compare(a.Name, b.Name) })
	return ops
}

// NamedResults are the names that an op's results print under; an op with one result group has none, its values are
// numbered.
func (o *Op) NamedResults() []string {
	if len(o.Results) < 2 {
		return nil
	}
	names := make([]string, len(o.Results))
	for i, result := range o.Results {
		names[i] = result.Name
	}
	return names
}

// OperandCount is the least and the largest number of operands, -1 where there is no largest.
func (o *Op) OperandCount() (least, most int) {
	for _, operand := range o.Operands {
		switch operand.Quantifier {
		case "":
			least++
			most++
		case "?":
			most++
		case "*":
			most = -1 << 30
		}
	}
	return least, max(most, -1)
}

// InterfacesOf are the interfaces that an op of the dialect implements: the dialect's, without what the op lacks, and
// its own.
func (f *File) InterfacesOf(op *Op) []string {
	var names []string
	for _, name := range f.Implements {
		if !slices.Contains(op.Lacks, name) {
			names = append(names, name)
		}
	}
	return append(names, op.Implements...)
}
