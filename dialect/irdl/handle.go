package irdl

// This file holds the dialect's own types and attributes: the handles that constraints are passed around by, and how
// often an operand or a result may stand.

import (
	"slices"

	"tpuir/ir"
)

// Handle is `!irdl.attribute`, a constraint on an attribute or a type, or `!irdl.region`, a constraint on a region.
type Handle struct {
	ir.TypeBase
	Name string
}

const (
	attributeHandle = "attribute"
	regionHandle    = "region"
)

func handle(c *ir.Context, name string) *Handle {
	return ir.InternType(c, "irdl.Handle", func(k ir.Key) ir.Key { return k.Text(name) },
		func(b ir.TypeBase) *Handle { return &Handle{b, name} })
}

// String returns the type as it prints.
func (t *Handle) String() string { return "!irdl." + t.Name }

// description says in an error which handle was asked for.
func (t *Handle) description() string {
	if t.Name == regionHandle {
		return "IRDL handle to a region definition"
	}
	return "IRDL handle to an `mlir::Attribute`"
}

func parseHandle(p ir.AsmParser) (ir.Type, error) {
	at := p.Position()
	word, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	if word != attributeHandle && word != regionHandle {
		return nil, p.ErrorAt(at, "unknown  type `%s` in dialect `irdl`", word)
	}
	return handle(p.Context(), word), nil
}

// Variadicity says how often an operand or a result stands.
type Variadicity uint8

// The three kinds: once; once or never; any number of times.
const (
	Single Variadicity = iota
	Optional
	Variadic
)

var variadicityNames = [...]string{"single", "optional", "variadic"}

// String returns the word that stands in text.
func (v Variadicity) String() string { return variadicityNames[v] }

// VariadicityAttr is `#irdl<variadicity single>`.
type VariadicityAttr struct {
	ir.AttributeBase
	Value Variadicity
}

// VariadicityArrayAttr is `#irdl<variadicity_array[single, optional]>`.
type VariadicityArrayAttr struct {
	ir.AttributeBase
	Values []Variadicity
}

func variadicityAttr(c *ir.Context, v Variadicity) *VariadicityAttr {
	return ir.InternAttribute(c, "irdl.VariadicityAttr", func(k ir.Key) ir.Key { return k.Uint(uint64(v)) },
		func(b ir.AttributeBase) *VariadicityAttr { return &VariadicityAttr{b, v} })
}

func variadicityArray(c *ir.Context, values []Variadicity) *VariadicityArrayAttr {
	return ir.InternAttribute(c, "irdl.VariadicityArrayAttr", func(k ir.Key) ir.Key {
		for _, v := range values {
			k = k.Uint(uint64(v))
		}
		return k
	}, func(b ir.AttributeBase) *VariadicityArrayAttr { return &VariadicityArrayAttr{b, slices.Clone(values)} })
}

// String returns the attribute as it prints.
func (a *VariadicityAttr) String() string { return "#irdl<variadicity " + a.Value.String() + ">" }

// String returns the attribute as it prints: MLIR writes a blank before every element.
func (a *VariadicityArrayAttr) String() string {
	text := "#irdl<variadicity_array["
	for i, v := range a.Values {
		if i > 0 {
			text += ", "
		}
		text += " " + v.String()
	}
	return text + "]>"
}

func parseVariadicityAttribute(p ir.AsmParser, _ ir.Type) (ir.Attribute, error) {
	at := p.Position()
	word, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	switch word {
	case "variadicity":
		v, err := parseVariadicity(p)
		if err != nil {
			return nil, err
		}
		return variadicityAttr(p.Context(), v), nil
	case "variadicity_array":
		if err := p.Punctuation("["); err != nil {
			return nil, err
		}
		var values []Variadicity
		err := p.CommaList("]", func() error {
			v, err := parseVariadicity(p)
			values = append(values, v)
			return err
		})
		if err != nil {
			return nil, err
		}
		return variadicityArray(p.Context(), values), nil
	}
	return nil, p.ErrorAt(at, "unknown attribute `%s` in dialect `irdl`", word)
}

func parseVariadicity(p ir.AsmParser) (Variadicity, error) {
	at := p.Position()
	word, err := p.KeywordOrString()
	if err != nil {
		return 0, err
	}
	i := slices.Index(variadicityNames[:], word)
	if i < 0 {
		return 0, p.ErrorAt(at, "expected ::mlir::irdl::Variadicity to be one of: single, optional, variadic")
	}
	return Variadicity(i), nil
}
