package ir

// This file holds the builtin types. A type is immutable; its exported fields are for reading.

import (
	"math"
	"slices"
)

// Type is a uniqued type: two equal types of a context are ==. The implementations are the builtin types of this file
// and the types of dialects, made with [InternType].
type Type interface {
	Context() *Context
	ID() uint32
	Depth() int
	// String returns the type as MLIR prints it, without aliases.
	String() string
	isType()
}

// Dynamic is the size of a dimension that is not known: `?` in text.
const Dynamic = math.MinInt64

// Signedness says how the bits of an integer type are meant.
type Signedness uint8

// The three kinds of integer types: i8, si8, ui8.
const (
	Signless Signedness = iota
	Signed
	Unsigned
)

// MaxIntegerWidth is the widest integer type, in bits, that MLIR takes.
const MaxIntegerWidth = 1<<24 - 1

// IntegerType is `i32`, `si4`, `ui8` and so on.
type IntegerType struct {
	TypeBase
	Width      uint32
	Signedness Signedness
}

// IsSignless reports whether the type is signless and of that width.
func (t *IntegerType) IsSignless(width uint32) bool {
	return t.Signedness == Signless && t.Width == width
}

// IndexType is `index`.
type IndexType struct{ TypeBase }

// NoneType is `none`.
type NoneType struct{ TypeBase }

// FloatKind is one of MLIR's floating point formats.
type FloatKind uint8

// The formats, by the name that text uses.
const (
	F4E2M1FN FloatKind = iota
	F6E2M3FN
	F6E3M2FN
	F8E5M2
	F8E4M3
	F8E4M3FN
	F8E5M2FNUZ
	F8E4M3FNUZ
	F8E4M3B11FNUZ
	F8E3M4
	F8E8M0FNU
	BF16
	F16
	TF32
	F32
	F64
	F80
	F128
	floatKindCount
)

var floatNames = [floatKindCount]string{"f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E5M2", "f8E4M3", "f8E4M3FN",
	"f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4", "f8E8M0FNU", "bf16", "f16", "tf32", "f32", "f64", "f80", "f128"}

var floatWidths = [floatKindCount]uint32{4, 6, 6, 8, 8, 8, 8, 8, 8, 8, 8, 16, 16, 19, 32, 64, 80, 128}

// FloatType is `f32`, `bf16` and so on.
type FloatType struct {
	TypeBase
	Kind FloatKind
}

// Name returns the type's keyword.
func (t *FloatType) Name() string { return floatNames[t.Kind] }

// Width returns the number of bits: 19 for tf32.
func (t *FloatType) Width() uint32 { return floatWidths[t.Kind] }

// ComplexType is `complex<f32>`.
type ComplexType struct {
	TypeBase
	Element Type
}

// TupleType is `tuple<i32, f32>`.
type TupleType struct {
	TypeBase
	Types []Type
}

// FunctionType is `(i32) -> f32`.
type FunctionType struct {
	TypeBase
	Inputs, Results []Type
}

// VectorType is `vector<4x[8]xf32>`. Scalable is nil where no dimension is scalable.
type VectorType struct {
	TypeBase
	Shape    []int64
	Scalable []bool
	Element  Type
}

// RankedTensorType is `tensor<4x?xf32, encoding>`. Encoding is nil where there is none.
type RankedTensorType struct {
	TypeBase
	Shape    []int64
	Element  Type
	Encoding Attribute
}

// UnrankedTensorType is `tensor<*xf32>`.
type UnrankedTensorType struct {
	TypeBase
	Element Type
}

// MemRefType is `memref<4x?xf32, layout, space>`. Layout is nil for the identity, MemorySpace is nil for the default.
type MemRefType struct {
	TypeBase
	Shape       []int64
	Element     Type
	Layout      Attribute
	MemorySpace Attribute
}

// UnrankedMemRefType is `memref<*xf32, space>`.
type UnrankedMemRefType struct {
	TypeBase
	Element     Type
	MemorySpace Attribute
}

// ShapedType is a type with an element type: vector, tensor or memref.
type ShapedType interface {
	Type
	// ElementType returns the type of one element.
	ElementType() Type
	// Dims returns the sizes, or nil and false where the rank is not known. The slice is for reading.
	Dims() (shape []int64, ranked bool)
}

// ElementType returns the type of one element.
func (t *VectorType) ElementType() Type { return t.Element }

// ElementType returns the type of one element.
func (t *RankedTensorType) ElementType() Type { return t.Element }

// ElementType returns the type of one element.
func (t *UnrankedTensorType) ElementType() Type { return t.Element }

// ElementType returns the type of one element.
func (t *MemRefType) ElementType() Type { return t.Element }

// ElementType returns the type of one element.
func (t *UnrankedMemRefType) ElementType() Type { return t.Element }

// Dims returns the shape.
func (t *VectorType) Dims() ([]int64, bool) { return t.Shape, true }

// Dims returns the shape.
func (t *RankedTensorType) Dims() ([]int64, bool) { return t.Shape, true }

// Dims reports that the rank is unknown.
func (t *UnrankedTensorType) Dims() ([]int64, bool) { return nil, false }

// Dims returns the shape.
func (t *MemRefType) Dims() ([]int64, bool) { return t.Shape, true }

// Dims reports that the rank is unknown.
func (t *UnrankedMemRefType) Dims() ([]int64, bool) { return nil, false }

// HasStaticShape reports whether the type is shaped, ranked and without `?`.
func HasStaticShape(t Type) bool {
	shaped, ok := t.(ShapedType)
	if !ok {
		return false
	}
	shape, ranked := shaped.Dims()
	return ranked && !slices.Contains(shape, Dynamic)
}

// NumElements returns the product of the sizes of a static shape; ok is false where a size is dynamic or the product
// does not fit.
func NumElements(shape []int64) (n int64, ok bool) {
	n = 1
	for _, size := range shape {
		if size == 0 {
			return 0, !slices.Contains(shape, Dynamic)
		}
	}
	for _, size := range shape {
		if size < 0 || n > math.MaxInt64/size {
			return 0, false
		}
		n *= size
	}
	return n, true
}

// ElementTypeOr returns the element type of a shaped type, and any other type as it is.
func ElementTypeOr(t Type) Type {
	if shaped, ok := t.(ShapedType); ok {
		return shaped.ElementType()
	}
	return t
}

// IntegerType returns the integer type of that width in bits, at most [MaxIntegerWidth].
func (c *Context) IntegerType(width uint32, signedness Signedness) *IntegerType {
	if width < uint32(len(c.integers[0])) {
		slot := &c.integers[signedness][width]
		if t := slot.Load(); t != nil {
			return t
		}
		slot.CompareAndSwap(nil, &IntegerType{TypeBase: c.newTypeBase(), Width: width, Signedness: signedness})
		return slot.Load()
	}
	var buf [32]byte
	key := newKey(buf[:], keyInteger).id(width).Uint(uint64(signedness))
	return intern(c, key, func() *IntegerType {
		return &IntegerType{TypeBase: c.newTypeBase(), Width: width, Signedness: signedness}
	})
}

// I1 returns `i1`.
func (c *Context) I1() *IntegerType { return c.IntegerType(1, Signless) }

// I32 returns `i32`.
func (c *Context) I32() *IntegerType { return c.IntegerType(32, Signless) }

// I64 returns `i64`.
func (c *Context) I64() *IntegerType { return c.IntegerType(64, Signless) }

// IndexType returns `index`.
func (c *Context) IndexType() *IndexType { return c.index }

// NoneType returns `none`.
func (c *Context) NoneType() *NoneType { return c.none }

// FloatType returns the type of a floating point format.
func (c *Context) FloatType(kind FloatKind) *FloatType { return c.floats[kind] }

// FloatTypeNamed returns the float type with that keyword, or nil.
func (c *Context) FloatTypeNamed(name string) *FloatType {
	for kind, text := range floatNames {
		if text == name {
			return c.floats[kind]
		}
	}
	return nil
}

// F16 returns `f16`.
func (c *Context) F16() *FloatType { return c.floats[F16] }

// BF16 returns `bf16`.
func (c *Context) BF16() *FloatType { return c.floats[BF16] }

// F32 returns `f32`.
func (c *Context) F32() *FloatType { return c.floats[F32] }

// F64 returns `f64`.
func (c *Context) F64() *FloatType { return c.floats[F64] }

// ComplexType returns `complex<element>`.
func (c *Context) ComplexType(element Type) *ComplexType {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyComplex).Type(element), func() *ComplexType {
		return &ComplexType{TypeBase: c.newTypeBase().overTypes(element), Element: element}
	})
}

// TupleType returns `tuple<types…>`.
func (c *Context) TupleType(types ...Type) *TupleType {
	var buf [128]byte
	return intern(c, newKey(buf[:], keyTuple).types(types), func() *TupleType {
		return &TupleType{TypeBase: c.newTypeBase().overTypes(types...), Types: slices.Clone(types)}
	})
}

// FunctionType returns `(inputs…) -> (results…)`.
func (c *Context) FunctionType(inputs, results []Type) *FunctionType {
	var buf [256]byte
	return intern(c, newKey(buf[:], keyFunction).types(inputs).types(results), func() *FunctionType {
		return &FunctionType{TypeBase: c.newTypeBase().overTypes(inputs...).overTypes(results...), Inputs: slices.Clone(inputs),
			Results: slices.Clone(results)}
	})
}

// VectorType returns `vector<shape x element>`; scalable is nil or as long as the shape.
func (c *Context) VectorType(shape []int64, scalable []bool, element Type) *VectorType {
	if !slices.Contains(scalable, true) {
		scalable = nil
	}
	var buf [128]byte
	key := newKey(buf[:], keyVector).Type(element).shape(shape)
	for _, s := range scalable {
		key = key.Bool(s)
	}
	return intern(c, key, func() *VectorType {
		return &VectorType{TypeBase: c.newTypeBase().overTypes(element), Shape: slices.Clone(shape), Scalable: slices.Clone(scalable),
			Element: element}
	})
}

// RankedTensorType returns `tensor<shape x element, encoding>`; encoding may be nil.
func (c *Context) RankedTensorType(shape []int64, element Type, encoding Attribute) *RankedTensorType {
	var buf [128]byte
	return intern(c, newKey(buf[:], keyRankedTensor).Type(element).Attribute(encoding).shape(shape), func() *RankedTensorType {
		return &RankedTensorType{TypeBase: c.newTypeBase().overTypes(element).OverAttributes(encoding), Shape: slices.Clone(shape),
			Element: element, Encoding: encoding}
	})
}

// UnrankedTensorType returns `tensor<*x element>`.
func (c *Context) UnrankedTensorType(element Type) *UnrankedTensorType {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyUnrankedTensor).Type(element), func() *UnrankedTensorType {
		return &UnrankedTensorType{TypeBase: c.newTypeBase().overTypes(element), Element: element}
	})
}

// MemRefType returns `memref<shape x element, layout, space>`; layout and space may be nil.
func (c *Context) MemRefType(shape []int64, element Type, layout, space Attribute) *MemRefType {
	var buf [128]byte
	key := newKey(buf[:], keyMemRef).Type(element).Attribute(layout).Attribute(space).shape(shape)
	return intern(c, key, func() *MemRefType {
		return &MemRefType{TypeBase: c.newTypeBase().overTypes(element).OverAttributes(layout, space), Shape: slices.Clone(shape),
			Element: element, Layout: layout, MemorySpace: space}
	})
}

// UnrankedMemRefType returns `memref<*x element, space>`; space may be nil.
func (c *Context) UnrankedMemRefType(element Type, space Attribute) *UnrankedMemRefType {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyUnrankedMemRef).Type(element).Attribute(space), func() *UnrankedMemRefType {
		return &UnrankedMemRefType{TypeBase: c.newTypeBase().overTypes(element).OverAttributes(space), Element: element, MemorySpace: space}
	})
}

func (k Key) types(types []Type) Key {
	k = k.id(uint32(len(types)))
	for _, t := range types {
		k = k.Type(t)
	}
	return k
}

func (k Key) shape(shape []int64) Key {
	k = k.id(uint32(len(shape)))
	for _, size := range shape {
		k = k.Uint(uint64(size))
	}
	return k
}
