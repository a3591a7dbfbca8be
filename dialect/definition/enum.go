// The dialects' own attributes: enums, spelled #tpu<round_mode HalfUp>, and structs, spelled #tpu.lg<out_addr = 0, …>.

package definition

import (
	"slices"
	"strconv"
	"strings"

	"tpuir/ir"
)

// Enum is a kind of enum attribute.
type Enum struct {
	Namespace, Name, Mnemonic string
	// Cases are the names of the values; a value is the index of its name.
	Cases []string
}

// EnumAttr is a value of an Enum.
type EnumAttr struct {
	ir.AttributeBase
	Enum  *Enum
	Value int32
	text  string
}

// String returns the attribute as it prints.
func (a *EnumAttr) String() string { return a.text }

// AppendText writes the attribute.
func (a *EnumAttr) AppendText(dst []byte, _ *ir.TextWriter) []byte { return append(dst, a.text...) }

// Case returns the name of the value.
func (a *EnumAttr) Case() string { return a.Enum.Cases[a.Value] }

func (e *Enum) spelling(name string) string {
	return "#" + e.Namespace + "<" + e.Mnemonic + " " + name + ">"
}

// Attr returns the attribute of a value, which must be the index of a case.
func (e *Enum) Attr(c *ir.Context, value int32) *EnumAttr {
	key := func(k ir.Key) ir.Key { return k.Text(e.Namespace).Text(e.Mnemonic).Uint(uint64(value)) }
	return ir.InternAttribute(c, "definition.EnumAttr", key, func(base ir.AttributeBase) *EnumAttr {
		return &EnumAttr{AttributeBase: base, Enum: e, Value: value, text: e.spelling(e.Cases[value])}
	})
}

// Find returns the value that has that name.
func (e *Enum) Find(name string) (int32, bool) {
	i := slices.Index(e.Cases, name)
	return int32(i), i >= 0
}

// Spell returns the name of a value, or its number where it has none.
func (e *Enum) Spell(value int32) string {
	if value < 0 || int(value) >= len(e.Cases) {
		return e.Name + "(" + strconv.Itoa(int(value)) + ")"
	}
	return e.Cases[value]
}

// parseAttribute reads an attribute of the dialect behind `#namespace.` or `#namespace<`.
func (d *Dialect) parseAttribute(p ir.AsmParser, _ ir.Type) (ir.Attribute, error) {
	at := p.Position()
	mnemonic, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	for _, enum := range d.Enums {
		if enum.Mnemonic == mnemonic {
			return enum.parse(p)
		}
	}
	for _, s := range d.Structs {
		if s.Mnemonic == mnemonic {
			return s.parse(p)
		}
	}
	return nil, p.ErrorAt(at, "unknown attribute `%s` in dialect `%s`", mnemonic, d.Namespace)
}

func (e *Enum) parse(p ir.AsmParser) (ir.Attribute, error) {
	at := p.Position()
	name, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	value, ok := e.Find(name)
	if !ok {
		return nil, p.ErrorAt(at, "expected %s to be one of: %s", e.Name, strings.Join(e.Cases, ", "))
	}
	return e.Attr(p.Context(), value), nil
}

// Struct is a kind of struct attribute.
type Struct struct {
	Namespace, Name, Mnemonic string
	Fields                    []Field // as they print
}

// Field is a member of a Struct: a Bool, I32, I64 or I64Array.
type Field struct {
	Name string
	Kind Kind
}

// FieldValue is the value of a field; List counts for arrays, Int for all others.
type FieldValue struct {
	Int  int64
	List []int64
}

// BoolField is the value of a Bool field.
func BoolField(v bool) FieldValue {
	if v {
		return FieldValue{Int: 1}
	}
	return FieldValue{}
}

// StructAttr is a value of a Struct, with a FieldValue for each of its fields.
type StructAttr struct {
	ir.AttributeBase
	Struct *Struct
	Values []FieldValue
	text   string
}

// String returns the attribute as it prints.
func (a *StructAttr) String() string { return a.text }

// AppendText writes the attribute.
func (a *StructAttr) AppendText(dst []byte, _ *ir.TextWriter) []byte { return append(dst, a.text...) }

// Attr returns the attribute with these values, one for each field in declared order.
func (s *Struct) Attr(c *ir.Context, values []FieldValue) *StructAttr {
	key := func(k ir.Key) ir.Key {
		k = k.Text(s.Namespace).Text(s.Mnemonic)
		for i := range values {
			k = k.Uint(uint64(values[i].Int)).Uint(uint64(len(values[i].List)))
			for _, v := range values[i].List {
				k = k.Uint(uint64(v))
			}
		}
		return k
	}
	return ir.InternAttribute(c, "definition.StructAttr", key, func(base ir.AttributeBase) *StructAttr {
		kept := slices.Clone(values)
		for i := range kept {
			kept[i].List = slices.Clone(kept[i].List)
		}
		return &StructAttr{AttributeBase: base, Struct: s, Values: kept, text: s.spelling(kept)}
	})
}

func (s *Struct) spelling(values []FieldValue) string {
	text := []byte("#" + s.Namespace + "." + s.Mnemonic + "<")
	for i, field := range s.Fields {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(append(text, field.Name...), " = "...)
		switch field.Kind {
		case Bool:
			text = strconv.AppendBool(text, values[i].Int != 0)
		case I64Array:
			text = append(text, '[')
			for j, v := range values[i].List {
				if j > 0 {
					text = append(text, ", "...)
				}
				text = strconv.AppendInt(text, v, 10)
			}
			text = append(text, ']')
		default:
			text = strconv.AppendInt(text, values[i].Int, 10)
		}
	}
	return string(append(text, '>'))
}

// parse reads `<field = value, …>`: every field once, in any order.
func (s *Struct) parse(p ir.AsmParser) (ir.Attribute, error) {
	if err := p.Punctuation("<"); err != nil {
		return nil, err
	}
	values := make([]FieldValue, len(s.Fields))
	seen := make([]bool, len(s.Fields))
	for n := range s.Fields {
		if n > 0 {
			if err := p.Punctuation(","); err != nil {
				return nil, err
			}
		}
		at := p.Position()
		name, err := p.Keyword()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return nil, p.ErrorAt(at, "unknown field '%s' of #%s.%s", name, s.Namespace, s.Mnemonic)
		}
		if seen[i] {
			return nil, p.ErrorAt(at, "duplicate field '%s' of #%s.%s", name, s.Namespace, s.Mnemonic)
		}
		seen[i] = true
		if err := p.Punctuation("="); err != nil {
			return nil, err
		}
		if values[i], err = s.Fields[i].parse(p); err != nil {
			return nil, err
		}
	}
	if err := p.Punctuation(">"); err != nil {
		return nil, err
	}
	return s.Attr(p.Context(), values), nil
}

func (f *Field) parse(p ir.AsmParser) (value FieldValue, err error) {
	if f.Kind == I64Array {
		if err := p.Punctuation("["); err != nil {
			return value, err
		}
		err = p.CommaList("]", func() error {
			v, err := p.Integer()
			value.List = append(value.List, v)
			return err
		})
		return value, err
	}
	// An integer field reads true as 1, a bool reads any number: so does TPU-MLIR.
	switch at := p.Position(); {
	case p.OptionalKeyword("true"):
		value.Int = 1
	case p.OptionalKeyword("false"):
	default:
		if value.Int, err = p.Integer(); err != nil {
			return value, err
		}
		if f.Kind == I32 && value.Int != int64(int32(value.Int)) {
			return value, p.ErrorAt(at, "integer value too large")
		}
	}
	if f.Kind == Bool && value.Int != 0 {
		value.Int = 1
	}
	return value, nil
}
