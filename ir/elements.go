package ir

// This file holds the attributes with many elements: dense, dense arrays, sparse, resources. Large ones are views of the
// bytes they came from, and their text is decoded only when somebody asks.

import (
	"bytes"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

// DenseElementsAttr is `dense<…> : type`. Its data are the elements in row-major order, little endian, each in the
// number of bytes that [DenseElementBytes] says; i1 too takes a byte here. A splat holds one element.
type DenseElementsAttr struct {
	AttributeBase
	// Type is a vector or ranked tensor type of static shape.
	Type  ShapedType
	Splat bool
	data  blob
}

// DenseStringElementsAttr is `dense<["a", "b"]> : tensor<2x!d.string>`. A splat holds one string.
type DenseStringElementsAttr struct {
	AttributeBase
	Type    ShapedType
	Splat   bool
	Strings []string
}

// DenseArrayAttr is `array<i32: 1, 2>`; Data holds the elements little endian, an i1 in a byte of its own.
type DenseArrayAttr struct {
	AttributeBase
	// Element is i1, i8, i16, i32, i64, f32 or f64 (or any integer or float type of whole bytes).
	Element Type
	Data    []byte
}

// SparseElementsAttr is `sparse<indices, values> : type`.
type SparseElementsAttr struct {
	AttributeBase
	Type            ShapedType
	Indices, Values Attribute
}

// DenseResourceElementsAttr is `dense_resource<key> : type`. The bytes are found in the module's resources under the key.
type DenseResourceElementsAttr struct {
	AttributeBase
	Type ShapedType
	Key  string
}

// AttributeType returns the shaped type.
func (a *DenseElementsAttr) AttributeType() Type { return a.Type }

// AttributeType returns the shaped type.
func (a *DenseStringElementsAttr) AttributeType() Type { return a.Type }

// AttributeType returns the shaped type.
func (a *SparseElementsAttr) AttributeType() Type { return a.Type }

// AttributeType returns the shaped type.
func (a *DenseResourceElementsAttr) AttributeType() Type { return a.Type }

// blob is bytes, or the hex text of bytes that nobody has asked for yet.
type blob struct {
	raw []byte
	hex []byte
}

func (b *blob) len() int {
	if b.raw == nil {
		return len(b.hex) / 2
	}
	return len(b.raw)
}

// slice returns bytes [from, to), decoded.
func (b *blob) slice(from, to int) []byte {
	if b.raw != nil || len(b.hex) == 0 {
		return b.raw[from:to]
	}
	out := make([]byte, to-from)
	_, _ = hex.Decode(out, b.hex[2*from:2*to]) // the parser checked the digits
	return out
}

func (b *blob) equal(other *blob) bool {
	if b.len() != other.len() {
		return false
	}
	if b.raw != nil && other.raw != nil {
		return bytes.Equal(b.raw, other.raw)
	}
	if b.hex != nil && other.hex != nil && bytes.Equal(b.hex, other.hex) {
		return true
	}
	const step = 1 << 16
	for from := 0; from < b.len(); from += step {
		to := min(from+step, b.len())
		if !bytes.Equal(b.slice(from, to), other.slice(from, to)) {
			return false
		}
	}
	return true
}

// blobTable uniques large constants without reading them whole: they are told apart by their length and a few samples,
// and compared only where those agree.
type blobTable struct {
	mu      sync.Mutex
	entries map[uint64][]*DenseElementsAttr
}

// wholeKeyLimit is the size in bytes up to which the whole content is the key of a dense attribute.
const wholeKeyLimit = 4096

// Dense returns `dense<…> : type` with these elements (see [DenseElementsAttr]); for a splat data is one element. The
// data must not change afterwards; it is not copied where it is large.
func (c *Context) Dense(t ShapedType, splat bool, data []byte) *DenseElementsAttr {
	return c.dense(t, splat, blob{raw: data})
}

// DenseHex is [Context.Dense] for data that stand as hex digits (an even number of valid ones, which the caller has checked)
// and are decoded when somebody asks.
func (c *Context) DenseHex(t ShapedType, splat bool, digits []byte) *DenseElementsAttr {
	return c.dense(t, splat, blob{hex: digits})
}

func (c *Context) dense(t ShapedType, splat bool, data blob) *DenseElementsAttr {
	if data.len() <= wholeKeyLimit {
		content := data.slice(0, data.len())
		var buf [256]byte
		return intern(c, append(newKey(buf[:], keyDense).Type(t).Bool(splat), content...), func() *DenseElementsAttr {
			return &DenseElementsAttr{c.newAttributeBase().overTypes(t), t, splat, blob{raw: bytes.Clone(content)}}
		})
	}
	key := newKey(make([]byte, 0, 1024), keyDense).Type(t).Bool(splat).Uint(uint64(data.len()))
	const samples = 12
	for i := range samples {
		from := (data.len() - 32) / (samples - 1) * i
		key = append(key, data.slice(from, from+32)...)
	}
	hash := maphash.Bytes(c.seed, key)
	c.blobs.mu.Lock()
	defer c.blobs.mu.Unlock()
	for _, other := range c.blobs.entries[hash] {
		if other.Type == t && other.Splat == splat && other.data.equal(&data) {
			return other
		}
	}
	if c.blobs.entries == nil {
		c.blobs.entries = map[uint64][]*DenseElementsAttr{}
	}
	made := &DenseElementsAttr{c.newAttributeBase().overTypes(t), t, splat, data}
	c.blobs.entries[hash] = append(c.blobs.entries[hash], made)
	return made
}

// Len returns the number of bytes of the data: of one element for a splat.
func (a *DenseElementsAttr) Len() int { return a.data.len() }

// Data returns the bytes of the elements, decoding hex text anew at every call. The slice is for reading.
func (a *DenseElementsAttr) Data() []byte { return a.data.slice(0, a.data.len()) }

// DataRange returns bytes [from, to) of the data.
func (a *DenseElementsAttr) DataRange(from, to int) []byte { return a.data.slice(from, to) }

// HexText returns the hex digits that the data were made from, or nil where they were made from bytes.
func (a *DenseElementsAttr) HexText() []byte { return a.data.hex }

// DenseElementBytes returns how many bytes an element of that type takes in a [DenseElementsAttr]: the width in bits
// rounded up to bytes, 8 for index, twice that for complex types; 0 for a type that dense attributes can't have.
func DenseElementBytes(t Type) int {
	switch t := t.(type) {
	case *IntegerType:
		return int(t.Width+7) / 8
	case *IndexType:
		return 8
	case *FloatType:
		return int(t.Width()+7) / 8
	case *ComplexType:
		return 2 * DenseElementBytes(t.Element)
	}
	return 0
}

// DenseStrings returns `dense<["…"]> : type`; a splat has one string.
func (c *Context) DenseStrings(t ShapedType, splat bool, strs []string) *DenseStringElementsAttr {
	key := newKey(make([]byte, 0, 256), keyDenseString).Type(t).Bool(splat)
	for _, s := range strs {
		key = key.Text(s)
	}
	return intern(c, key, func() *DenseStringElementsAttr {
		return &DenseStringElementsAttr{c.newAttributeBase().overTypes(t), t, splat, slices.Clone(strs)}
	})
}

// DenseArray returns `array<element: …>` with these little-endian bytes.
func (c *Context) DenseArray(element Type, data []byte) *DenseArrayAttr {
	var buf [256]byte
	return intern(c, append(newKey(buf[:], keyDenseArray).Type(element), data...), func() *DenseArrayAttr {
		return &DenseArrayAttr{c.newAttributeBase(), element, bytes.Clone(data)}
	})
}

// DenseI32Array returns `array<i32: …>`.
func (c *Context) DenseI32Array(values ...int32) *DenseArrayAttr {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = append(data, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return c.DenseArray(c.I32(), data)
}

// DenseI64Array returns `array<i64: …>`.
func (c *Context) DenseI64Array(values ...int64) *DenseArrayAttr {
	data := make([]byte, 0, 8*len(values))
	for _, v := range values {
		data = append(data, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
	}
	return c.DenseArray(c.I64(), data)
}

// Ints returns the elements of an integer array, sign-extended.
func (a *DenseArrayAttr) Ints() []int64 {
	size := DenseElementBytes(a.Element)
	if size == 0 {
		return nil
	}
	values := make([]int64, len(a.Data)/size)
	for i := range values {
		var v uint64
		for j := range min(size, 8) {
			v |= uint64(a.Data[i*size+j]) << (8 * j)
		}
		if size < 8 {
			shift := 64 - 8*uint(size)
			v = uint64(int64(v<<shift) >> shift)
		}
		values[i] = int64(v)
	}
	return values
}

// Sparse returns `sparse<indices, values> : type`.
func (c *Context) Sparse(t ShapedType, indices, values Attribute) *SparseElementsAttr {
	var buf [32]byte
	return intern(c, newKey(buf[:], keySparse).Type(t).Attribute(indices).Attribute(values), func() *SparseElementsAttr {
		return &SparseElementsAttr{c.newAttributeBase().overTypes(t), t, indices, values}
	})
}

// DenseResource returns `dense_resource<key> : type`.
func (c *Context) DenseResource(t ShapedType, key string) *DenseResourceElementsAttr {
	var buf [128]byte
	return intern(c, newKey(buf[:], keyDenseResource).Type(t).Text(key), func() *DenseResourceElementsAttr {
		return &DenseResourceElementsAttr{c.newAttributeBase().overTypes(t), t, strings.Clone(key)}
	})
}
