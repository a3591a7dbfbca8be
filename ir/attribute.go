package ir

// This file holds the builtin attributes that are neither elements (elements.go) nor locations (location.go) nor affine
// (affine.go). An attribute is immutable; its exported fields are for reading.

import (
	"math/big"
	"slices"
	"sort"
	"strings"
)

// Attribute is a uniqued attribute: two equal attributes of a context are ==. The implementations are the builtin
// attributes and the attributes of dialects, made with [InternAttribute].
type Attribute interface {
	Context() *Context
	ID() uint32
	Depth() int
	// String returns the attribute as MLIR prints it, without aliases.
	String() string
	isAttribute()
}

// TypedAttribute is an attribute that has a type.
type TypedAttribute interface {
	Attribute
	AttributeType() Type
}

// UnitAttr is `unit`; its presence is its meaning.
type UnitAttr struct{ AttributeBase }

// IntegerAttr is `5 : i64`, `true`, or an index.
type IntegerAttr struct {
	AttributeBase
	// Type is an integer type or index.
	Type  Type
	value int64
	wide  *big.Int // for types wider than 64 bits, else nil
}

// FloatAttr is `1.5 : f32`: a type and the bits of a value in that type's format.
type FloatAttr struct {
	AttributeBase
	Type *FloatType
	// Low holds the low 64 bits of the encoding, High the others (f80 and f128).
	Low, High uint64
}

// StringAttr is `"text"`. Type is `none` where no type is written.
type StringAttr struct {
	AttributeBase
	Value string
	Type  Type
}

// ArrayAttr is `[a, b]`.
type ArrayAttr struct {
	AttributeBase
	Elements []Attribute
}

// NamedAttribute is one entry of a dictionary.
type NamedAttribute struct {
	Name  string
	Value Attribute
}

// DictionaryAttr is `{a = 1, b}`: entries sorted by name, no name twice.
type DictionaryAttr struct {
	AttributeBase
	Entries []NamedAttribute
}

// TypeAttr is a type that stands as an attribute.
type TypeAttr struct {
	AttributeBase
	Value Type
}

// SymbolRefAttr is `@root::@nested…`.
type SymbolRefAttr struct {
	AttributeBase
	Root   string
	Nested []string
}

// StridedLayoutAttr is `strided<[1, ?], offset: ?>`; Dynamic stands for `?`.
type StridedLayoutAttr struct {
	AttributeBase
	Offset  int64
	Strides []int64
}

// DistinctAttr is `distinct[id]<referenced>`. It is equal to itself alone. ID() is unique as with any attribute.
type DistinctAttr struct {
	AttributeBase
	Referenced Attribute
}

// AttributeType returns the type.
func (a *IntegerAttr) AttributeType() Type { return a.Type }

// AttributeType returns the type.
func (a *FloatAttr) AttributeType() Type { return a.Type }

// AttributeType returns the type, `none` where none is written.
func (a *StringAttr) AttributeType() Type { return a.Type }

// Unit returns `unit`.
func (c *Context) Unit() *UnitAttr { return c.unit }

// Bool returns `true` or `false`.
func (c *Context) Bool(v bool) *IntegerAttr {
	if v {
		return c.boolean[1]
	}
	return c.boolean[0]
}

// Int returns an integer attribute of an integer type up to 64 bits, or of index. The value is wrapped to the width.
func (c *Context) Int(t Type, value int64) *IntegerAttr {
	if integer, ok := t.(*IntegerType); ok {
		switch {
		case integer.Width > 64:
			return c.BigInt(integer, big.NewInt(value))
		case integer.IsSignless(1):
			return c.boolean[value&1]
		case integer.Width == 0:
			value = 0
		case integer.Signedness == Unsigned:
			value = int64(uint64(value) << (64 - integer.Width) >> (64 - integer.Width))
		default:
			value = value << (64 - integer.Width) >> (64 - integer.Width)
		}
	}
	var buf [32]byte
	return intern(c, newKey(buf[:], keyIntegerAttr).Type(t).Uint(uint64(value)), func() *IntegerAttr {
		return &IntegerAttr{AttributeBase: c.newAttributeBase(), Type: t, value: value}
	})
}

// I64Attr returns `value : i64`.
func (c *Context) I64Attr(value int64) *IntegerAttr { return c.Int(c.I64(), value) }

// BigInt returns an integer attribute of any width; the value is wrapped to it.
func (c *Context) BigInt(t *IntegerType, value *big.Int) *IntegerAttr {
	if t.Width <= 64 {
		low := new(big.Int).And(value, new(big.Int).SetUint64(^uint64(0)))
		return c.Int(t, int64(low.Uint64()))
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	wrapped := new(big.Int).Mod(value, modulus)
	if t.Signedness != Unsigned && wrapped.Bit(int(t.Width-1)) == 1 {
		wrapped.Sub(wrapped, modulus)
	}
	key := newKey(make([]byte, 0, 64), keyWideIntegerAttr).Type(t).Bool(wrapped.Sign() < 0).Text(string(wrapped.Bytes()))
	return intern(c, key, func() *IntegerAttr {
		return &IntegerAttr{AttributeBase: c.newAttributeBase(), Type: t, wide: wrapped}
	})
}

// Int returns the value: sign-extended for signless, signed and index types (but 0 or 1 for i1), zero-extended bits for
// unsigned ones. Of a wider type it is the low 64 bits.
func (a *IntegerAttr) Int() int64 {
	if a.wide != nil {
		return int64(new(big.Int).And(a.wide, new(big.Int).SetUint64(^uint64(0))).Uint64())
	}
	return a.value
}

// Bool reports whether the value is not zero.
func (a *IntegerAttr) Bool() bool { return a.value != 0 || a.wide != nil && a.wide.Sign() != 0 }

// IsBool reports whether the attribute prints as `true` or `false`.
func (a *IntegerAttr) IsBool() bool {
	t, ok := a.Type.(*IntegerType)
	return ok && t.IsSignless(1)
}

// Big returns the value as it prints.
func (a *IntegerAttr) Big() *big.Int {
	if a.wide != nil {
		return new(big.Int).Set(a.wide)
	}
	if t, ok := a.Type.(*IntegerType); ok && t.Signedness == Unsigned {
		return new(big.Int).SetUint64(uint64(a.value))
	}
	return big.NewInt(a.value)
}

// FloatBits returns the float attribute with these bits of the type's format; high is used by f80 and f128 only.
func (c *Context) FloatBits(t *FloatType, low, high uint64) *FloatAttr {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyFloatAttr).Type(t).Uint(low).Uint(high), func() *FloatAttr {
		return &FloatAttr{AttributeBase: c.newAttributeBase(), Type: t, Low: low, High: high}
	})
}

// StringAttr returns the attribute `"value"`.
func (c *Context) StringAttr(value string) *StringAttr { return c.TypedString(value, c.none) }

// TypedString returns the attribute `"value" : type`.
func (c *Context) TypedString(value string, t Type) *StringAttr {
	var buf [128]byte
	return intern(c, newKey(buf[:], keyString).Type(t).Text(value), func() *StringAttr {
		return &StringAttr{AttributeBase: c.newAttributeBase().overTypes(t), Value: strings.Clone(value), Type: t}
	})
}

// Array returns `[elements…]`.
func (c *Context) Array(elements ...Attribute) *ArrayAttr {
	var buf [256]byte
	key := newKey(buf[:], keyArray)
	for _, e := range elements {
		key = key.Attribute(e)
	}
	return intern(c, key, func() *ArrayAttr {
		return &ArrayAttr{AttributeBase: c.newAttributeBase().OverAttributes(elements...), Elements: slices.Clone(elements)}
	})
}

// I64Array returns an array of i64 attributes.
func (c *Context) I64Array(values ...int64) *ArrayAttr {
	elements := make([]Attribute, len(values))
	for i, v := range values {
		elements[i] = c.I64Attr(v)
	}
	return c.Array(elements...)
}

// Dictionary returns the dictionary of these entries, in any order. Of two entries with one name the later counts.
func (c *Context) Dictionary(entries ...NamedAttribute) *DictionaryAttr {
	if len(entries) == 0 {
		return c.empty
	}
	if !slices.IsSortedFunc(entries, compareNames) || hasDoubles(entries) {
		sorted := slices.Clone(entries)
		slices.SortStableFunc(sorted, compareNames)
		entries = sorted[:0]
		for i, e := range sorted {
			if i+1 == len(sorted) || sorted[i+1].Name != e.Name {
				entries = append(entries, e)
			}
		}
	}
	return c.sortedDictionary(entries)
}

func compareNames(a, b NamedAttribute) int { return strings.Compare(a.Name, b.Name) }

func hasDoubles(sorted []NamedAttribute) bool {
	for i := 1; i < len(sorted); i++ {
		if sorted[i-1].Name == sorted[i].Name {
			return true
		}
	}
	return false
}

func (c *Context) sortedDictionary(entries []NamedAttribute) *DictionaryAttr {
	if len(entries) == 0 {
		return c.empty
	}
	var buf [512]byte
	key := newKey(buf[:], keyDictionary)
	for _, e := range entries {
		key = key.Attribute(e.Value).Text(e.Name)
	}
	return intern(c, key, func() *DictionaryAttr {
		return &DictionaryAttr{AttributeBase: c.newAttributeBase().overEntries(entries), Entries: slices.Clone(entries)}
	})
}

// Get returns the value under a name, or nil.
func (d *DictionaryAttr) Get(name string) Attribute {
	if len(d.Entries) <= 8 {
		for i := range d.Entries {
			if d.Entries[i].Name == name {
				return d.Entries[i].Value
			}
		}
		return nil
	}
	if i, ok := d.find(name); ok {
		return d.Entries[i].Value
	}
	return nil
}

func (d *DictionaryAttr) find(name string) (int, bool) {
	return sort.Find(len(d.Entries), func(i int) int { return strings.Compare(name, d.Entries[i].Name) })
}

// With returns the dictionary with one entry added or replaced.
func (d *DictionaryAttr) With(name string, value Attribute) *DictionaryAttr {
	i, found := d.find(name)
	if found && d.Entries[i].Value == value {
		return d
	}
	entries := make([]NamedAttribute, 0, len(d.Entries)+1)
	entries = append(append(entries, d.Entries[:i]...), NamedAttribute{name, value})
	if found {
		i++
	}
	return d.context.sortedDictionary(append(entries, d.Entries[i:]...))
}

// WithDefault returns the dictionary with an entry added, unless it has one of that name.
func (d *DictionaryAttr) WithDefault(name string, value Attribute) *DictionaryAttr {
	if d.Get(name) != nil {
		return d
	}
	return d.With(name, value)
}

// Without returns the dictionary with an entry removed.
func (d *DictionaryAttr) Without(name string) *DictionaryAttr {
	i, found := d.find(name)
	if !found {
		return d
	}
	return d.context.sortedDictionary(slices.Delete(slices.Clone(d.Entries), i, i+1))
}

// TypeAttr returns a type as an attribute.
func (c *Context) TypeAttr(t Type) *TypeAttr {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyTypeAttr).Type(t), func() *TypeAttr {
		return &TypeAttr{AttributeBase: c.newAttributeBase().overTypes(t), Value: t}
	})
}

// SymbolRef returns `@root::@nested…`.
func (c *Context) SymbolRef(root string, nested ...string) *SymbolRefAttr {
	var buf [128]byte
	key := newKey(buf[:], keySymbolRef).Text(root)
	for _, n := range nested {
		key = key.Text(n)
	}
	return intern(c, key, func() *SymbolRefAttr {
		return &SymbolRefAttr{AttributeBase: c.newAttributeBase(), Root: strings.Clone(root), Nested: slices.Clone(nested)}
	})
}

// Leaf returns the last name of the path.
func (a *SymbolRefAttr) Leaf() string {
	if len(a.Nested) == 0 {
		return a.Root
	}
	return a.Nested[len(a.Nested)-1]
}

// StridedLayout returns `strided<[strides…], offset: offset>`.
func (c *Context) StridedLayout(offset int64, strides []int64) *StridedLayoutAttr {
	var buf [128]byte
	return intern(c, newKey(buf[:], keyStrided).Uint(uint64(offset)).shape(strides), func() *StridedLayoutAttr {
		return &StridedLayoutAttr{AttributeBase: c.newAttributeBase(), Offset: offset, Strides: slices.Clone(strides)}
	})
}

// NewDistinct makes a distinct attribute, different from every other.
func (c *Context) NewDistinct(referenced Attribute) *DistinctAttr {
	return &DistinctAttr{AttributeBase: c.newAttributeBase().OverAttributes(referenced), Referenced: referenced}
}
