package ir

// This file writes the attributes with many elements.

import (
	"encoding/binary"
	"math/big"
	"strconv"
)

// appendElements writes an attribute with elements, without its type. ok is false for any other attribute.
func (w *TextWriter) appendElements(dst []byte, a Attribute) (out []byte, ok bool) {
	switch a := a.(type) {
	case *DenseElementsAttr:
		if w.elides(a) {
			return append(dst, elidedElements...), true
		}
		return append(w.appendDense(append(dst, "dense<"...), a, true), '>'), true
	case *DenseStringElementsAttr:
		if w.elides(a) {
			return append(dst, elidedElements...), true
		}
		dst = append(dst, "dense<"...)
		dst = appendNested(dst, a.Type, a.Splat, func(dst []byte, i int) []byte { return AppendQuoted(dst, a.Strings[i]) })
		return append(dst, '>'), true
	case *DenseArrayAttr:
		return w.appendDenseArray(dst, a), true
	case *SparseElementsAttr:
		return w.appendSparse(dst, a), true
	case *DenseResourceElementsAttr:
		if w.Resource != nil {
			w.Resource(a)
		}
		return append(AppendKeyword(append(dst, "dense_resource<"...), a.Key), '>'), true
	}
	return dst, false
}

const elidedElements = "dense_resource<__elided__>"

// elides reports whether a constant is too large to be written.
func (w *TextWriter) elides(a Attribute) bool {
	var t ShapedType
	switch a := a.(type) {
	case *DenseElementsAttr:
		if a.Splat {
			return false
		}
		t = a.Type
	case *DenseStringElementsAttr:
		if a.Splat {
			return false
		}
		t = a.Type
	default:
		return false
	}
	n, _ := elementCount(t)
	return n > w.ElideElementsLargerThan
}

func elementCount(t ShapedType) (int64, bool) {
	shape, ranked := t.Dims()
	if !ranked {
		return 0, false
	}
	return NumElements(shape)
}

// appendDense writes the elements, as one hex string where there are many and that is allowed.
func (w *TextWriter) appendDense(dst []byte, a *DenseElementsAttr, allowHex bool) []byte {
	if n, _ := elementCount(a.Type); allowHex && !a.Splat && w.HexElementsLargerThan >= 0 && n > w.HexElementsLargerThan {
		return w.appendHexElements(dst, a)
	}
	element := a.Type.ElementType()
	size := DenseElementBytes(element)
	data := a.Data()
	return appendNested(dst, a.Type, a.Splat, func(dst []byte, i int) []byte {
		if size == 0 {
			return appendElement(dst, element, nil)
		}
		return appendElement(dst, element, data[i*size:(i+1)*size])
	})
}

// appendNested writes elements in the brackets of a shape: those of a splat stand alone.
func appendNested(dst []byte, t ShapedType, splat bool, element func(dst []byte, i int) []byte) []byte {
	if splat {
		return element(dst, 0)
	}
	shape, _ := t.Dims()
	n, _ := NumElements(shape)
	if n == 0 {
		return dst
	}
	next := 0
	return appendLevel(dst, shape, &next, element)
}

func appendLevel(dst []byte, shape []int64, next *int, element func(dst []byte, i int) []byte) []byte {
	if len(shape) == 0 {
		dst = element(dst, *next)
		*next++
		return dst
	}
	dst = append(dst, '[')
	for i := range shape[0] {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendLevel(dst, shape[1:], next, element)
	}
	return append(dst, ']')
}

// appendElement writes one element from its little-endian bytes.
func appendElement(dst []byte, t Type, data []byte) []byte {
	switch t := t.(type) {
	case *IntegerType:
		return appendIntegerElement(dst, t, data)
	case *IndexType:
		return strconv.AppendInt(dst, int64(binary.LittleEndian.Uint64(data)), 10)
	case *FloatType:
		low, high := floatBits(data)
		dst, _ = AppendFloat(dst, t.Kind, low, high)
		return dst
	case *ComplexType:
		half := len(data) / 2
		dst = appendElement(append(dst, '('), t.Element, data[:half])
		return append(appendElement(append(dst, ','), t.Element, data[half:]), ')')
	}
	return dst
}

func floatBits(data []byte) (low, high uint64) {
	for i, b := range data {
		if i < 8 {
			low |= uint64(b) << (8 * i)
		} else {
			high |= uint64(b) << (8 * (i - 8))
		}
	}
	return low, high
}

func appendIntegerElement(dst []byte, t *IntegerType, data []byte) []byte {
	if t.Width == 0 {
		return append(dst, '0')
	}
	if t.Width == 1 {
		return strconv.AppendBool(dst, data[0]&1 != 0)
	}
	if t.Width > 64 {
		return appendWideInteger(dst, t, data)
	}
	low, _ := floatBits(data)
	shift := 64 - t.Width
	if t.Signedness == Unsigned {
		return strconv.AppendUint(dst, low<<shift>>shift, 10)
	}
	return strconv.AppendInt(dst, int64(low<<shift)>>shift, 10)
}

func appendWideInteger(dst []byte, t *IntegerType, data []byte) []byte {
	bigEndian := make([]byte, len(data))
	for i, b := range data {
		bigEndian[len(data)-1-i] = b
	}
	value := new(big.Int).SetBytes(bigEndian)
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	value.Mod(value, modulus)
	if t.Signedness != Unsigned && value.Bit(int(t.Width-1)) == 1 {
		value.Sub(value, modulus)
	}
	return value.Append(dst, 10)
}

// appendHexElements writes `"0x…"`: the bytes of the elements, those of type i1 packed eight to a byte.
func (w *TextWriter) appendHexElements(dst []byte, a *DenseElementsAttr) []byte {
	dst = append(dst, `"0x`...)
	if t, ok := a.Type.ElementType().(*IntegerType); ok && t.Width == 1 {
		dst = AppendHex(dst, packBits(a.Data()))
	} else if digits := a.HexText(); digits != nil {
		dst = w.appendDigits(dst, digits)
	} else {
		dst = AppendHex(dst, a.Data())
	}
	return append(dst, '"')
}

func packBits(elements []byte) []byte {
	packed := make([]byte, (len(elements)+7)/8)
	for i, e := range elements {
		packed[i/8] |= e & 1 << (i % 8)
	}
	return packed
}

// AppendHex writes bytes as upper-case hex digits.
func AppendHex(dst, data []byte) []byte {
	for _, b := range data {
		dst = append(dst, upperHex[b>>4], upperHex[b&15])
	}
	return dst
}

// appendDigits writes hex digits in pieces that may be flushed.
func (w *TextWriter) appendDigits(dst, digits []byte) []byte {
	const piece = 256 << 10
	for w.Flush != nil && len(digits) > piece {
		if anyLower(digits[:piece]) {
			dst = w.Flush(appendUpper(dst, digits[:piece]))
		} else { // as mlir-opt and this project write them: they need not be copied
			dst = w.Through(dst, digits[:piece])
		}
		digits = digits[piece:]
	}
	return appendUpper(dst, digits)
}

// anyLower reports whether there is a lower-case letter among hex digits: a byte with the bits 5 and 6.
func anyLower(digits []byte) bool {
	var found uint64
	for ; len(digits) >= 32; digits = digits[32:] {
		a, b := binary.LittleEndian.Uint64(digits), binary.LittleEndian.Uint64(digits[8:])
		c, d := binary.LittleEndian.Uint64(digits[16:]), binary.LittleEndian.Uint64(digits[24:])
		found |= a&(a<<1) | b&(b<<1) | c&(c<<1) | d&(d<<1)
	}
	for _, c := range digits {
		found |= uint64(c & (c << 1))
	}
	return found&0x4040404040404040 != 0
}

// AppendBlob writes a resource as text has it: see [Resource.AppendHex].
func (w *TextWriter) AppendBlob(dst []byte, r *Resource) []byte {
	dst = r.appendAlignment(dst)
	if r.data.raw == nil {
		return w.appendDigits(dst, r.data.hex)
	}
	return AppendHex(dst, r.data.raw)
}

func appendUpper(dst, digits []byte) []byte {
	start := len(dst)
	dst = append(dst, digits...)
	out := dst[start:]
	for ; len(out) >= 8; out = out[8:] { // a letter has bit 6; without bit 5 it is a capital
		x := binary.LittleEndian.Uint64(out)
		binary.LittleEndian.PutUint64(out, x&^(x&0x4040404040404040>>1))
	}
	for i, c := range out {
		out[i] = c &^ (c & 0x40 >> 1)
	}
	return dst
}

func (w *TextWriter) appendDenseArray(dst []byte, a *DenseArrayAttr) []byte {
	dst = w.AppendType(append(dst, "array<"...), a.Element)
	size := DenseElementBytes(a.Element)
	if size > 0 && len(a.Data) > 0 {
		dst = append(dst, ": "...)
		for i := 0; i+size <= len(a.Data); i += size {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendElement(dst, a.Element, a.Data[i:i+size])
		}
	}
	return append(dst, '>')
}

func (w *TextWriter) appendSparse(dst []byte, a *SparseElementsAttr) []byte {
	if w.elides(a.Indices) || w.elides(a.Values) {
		return append(dst, elidedElements...)
	}
	dst = append(dst, "sparse<"...)
	if indices, ok := a.Indices.(*DenseElementsAttr); ok {
		if n, _ := elementCount(indices.Type); n > 0 {
			dst = append(w.appendDense(dst, indices, false), ", "...)
			switch values := a.Values.(type) {
			case *DenseElementsAttr:
				dst = w.appendDense(dst, values, true)
			case *DenseStringElementsAttr:
				dst = appendNested(dst, values.Type, values.Splat,
					func(dst []byte, i int) []byte { return AppendQuoted(dst, values.Strings[i]) })
			}
		}
	}
	return append(dst, '>')
}
