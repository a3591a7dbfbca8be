// Attribute kinds: what an attribute must be, what it is when it is absent, and how defaults enter an op.

package definition

import (
	"slices"
	"strings"

	"tpuir/ir"
)

// Kind is the kind of an attribute.
type Kind uint8

// The kinds. Enum, structs and strings with cases say more in [Attribute].
const (
	Bool Kind = iota
	I32
	I64
	SI32
	UI32
	F32
	F64
	String
	I32Array
	I64Array
	F64Array
	DictArray
	Dictionary
	AffineMap
	EnumCase
	StructValue
)

var kindTexts = [...]string{
	Bool: "bool attribute", I32: "32-bit signless integer attribute", I64: "64-bit signless integer attribute",
	SI32: "32-bit signed integer attribute", UI32: "32-bit unsigned integer attribute", F32: "32-bit float attribute",
	F64: "64-bit float attribute", String: "string attribute", I32Array: "32-bit integer array attribute",
	I64Array: "64-bit integer array attribute", F64Array: "64-bit float array attribute",
	DictArray: "Array of dictionary attributes", Dictionary: "dictionary of named attribute values",
	AffineMap: "AffineMap attribute",
}

// Attribute is an inherent attribute of an op.
type Attribute struct {
	Name string
	Kind Kind
	// Optional says that it may be absent; an attribute that is neither optional nor has a default is required.
	Optional bool
	Default  Default
	// Cases are the values that a string may have, nil for any.
	Cases  []string
	Enum   *Enum
	Struct *Struct
}

// Default is the value that an absent attribute gets when its op is made. Kind tells which field counts; Set is false
// where there is no default.
type Default struct {
	Set    bool
	Int    int64 // of bools and enums, too
	Float  float64
	Text   string
	Ints   []int64
	Floats []float64
}

// Constraint is what the attribute must be, in MLIR's words.
func (a *Attribute) Constraint() string {
	switch {
	case a.Cases != nil:
		return "string attribute whose value is " + strings.Join(a.Cases, ", or ")
	case a.Enum != nil:
		return "attribute " + a.Enum.spelling("CASE")
	case a.Struct != nil:
		return "attribute #" + a.Struct.Namespace + "." + a.Struct.Mnemonic + "<...>"
	}
	return kindTexts[a.Kind]
}

// Accepts reports whether the value is of the attribute's kind.
func (a *Attribute) Accepts(value ir.Attribute) bool {
	switch v := value.(type) {
	case *ir.IntegerAttr:
		return a.acceptsInteger(v)
	case *ir.FloatAttr:
		return a.Kind == F64 && v.Type.Kind == ir.F64 || a.Kind == F32 && v.Type.Kind == ir.F32
	case *ir.StringAttr:
		return a.Kind == String && (a.Cases == nil || slices.Contains(a.Cases, v.Value))
	case *ir.ArrayAttr:
		return a.acceptsArray(v)
	case *EnumAttr:
		return a.Kind == EnumCase && v.Enum == a.Enum
	case *StructAttr:
		return a.Kind == StructValue && v.Struct == a.Struct
	case *ir.DictionaryAttr:
		return a.Kind == Dictionary
	case *ir.AffineMapAttr:
		return a.Kind == AffineMap
	}
	return false
}

func (a *Attribute) acceptsInteger(v *ir.IntegerAttr) bool {
	t, ok := v.Type.(*ir.IntegerType)
	if !ok {
		return false
	}
	switch a.Kind {
	case Bool:
		return t.IsSignless(1)
	case I64:
		return t.IsSignless(64)
	case I32:
		return t.IsSignless(32)
	case SI32:
		return t.Width == 32 && t.Signedness == ir.Signed
	case UI32:
		return t.Width == 32 && t.Signedness == ir.Unsigned
	}
	return false
}

func (a *Attribute) acceptsArray(v *ir.ArrayAttr) bool {
	element := Attribute{}
	switch a.Kind {
	case I64Array:
		element.Kind = I64
	case I32Array:
		element.Kind = I32
	case F64Array:
		element.Kind = F64
	case DictArray:
		element.Kind = Dictionary
	default:
		return false
	}
	for _, e := range v.Elements {
		if !element.Accepts(e) {
			return false
		}
	}
	return true
}

// defaultValue makes the default; the context uniques it, so that it is the same object each time.
func (a *Attribute) defaultValue(c *ir.Context) ir.Attribute {
	d := &a.Default
	switch a.Kind {
	case Bool:
		return c.Bool(d.Int != 0)
	case I32, I64, SI32, UI32:
		return integer(c, a.Kind, d.Int)
	case F32, F64:
		return float(c, a.Kind, d.Float)
	case String:
		return c.StringAttr(d.Text)
	case I64Array:
		return c.I64Array(d.Ints...)
	case F64Array:
		return floatArray(c, d.Floats)
	case EnumCase:
		return a.Enum.Attr(c, int32(d.Int))
	}
	return nil // odsgen refuses defaults of other kinds
}

// fillDefaults adds the absent defaults. Both sides are sorted by name, so one walk over both does.
func (o *Op) fillDefaults(attributes *ir.DictionaryAttr) *ir.DictionaryAttr {
	given := attributes.Entries
	missing, at := 0, 0
	for i := range o.Attributes {
		if a := &o.Attributes[i]; seek(given, &at, a.Name) == nil && a.Default.Set {
			missing++
		}
	}
	if missing == 0 {
		return attributes
	}
	context := attributes.Context()
	entries := append(make([]ir.NamedAttribute, 0, len(given)+missing), given...)
	at = 0
	for i := range o.Attributes {
		if a := &o.Attributes[i]; seek(given, &at, a.Name) == nil && a.Default.Set {
			entries = append(entries, ir.NamedAttribute{Name: a.Name, Value: a.defaultValue(context)})
		}
	}
	return context.Dictionary(entries...)
}

// seek returns the value under a name in sorted entries, or nil, and leaves at behind it. Names must be sought in order.
func seek(entries []ir.NamedAttribute, at *int, name string) ir.Attribute {
	for i := *at; i < len(entries); i++ {
		e := &entries[i]
		if e.Name == name { // asked first: it is nearly always so, and cheaper to tell than the order
			*at = i + 1
			return e.Value
		}
		if e.Name > name {
			*at = i
			return nil
		}
	}
	*at = len(entries)
	return nil
}
