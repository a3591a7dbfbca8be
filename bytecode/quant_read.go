package bytecode

// This file decodes the types of the quant dialect, which has encodings of its own. They are turned into the text that they
// stand for, so that the dialect, where it is registered, checks them like any other.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tpuir/ir"
	"tpuir/parser"
)

const quantDialect = "quant"

// The quant dialect's encodings.
const (
	codeQuantAny = iota + 1
	codeQuantAnyExpressed
	codeQuantCalibrated
	codeQuantUniform
	codeQuantPerAxis
	codeQuantSubChannel
)

// quantType decodes a type of the quant dialect. It is nil after an error.
func (r *reader) quantType(c *cursor) ir.Type {
	var text string
	switch code := c.varint(); code {
	case codeQuantAny, codeQuantAnyExpressed:
		text = r.quantAny(c, code == codeQuantAnyExpressed)
	case codeQuantCalibrated:
		expressed := r.typ(c)
		low, high := quantNumber(c), quantNumber(c)
		if !c.failed() {
			text = fmt.Sprintf("!quant.calibrated<%s<%s:%s>>", expressed, low, high)
		}
	case codeQuantUniform:
		storage, expressed := r.quantTypes(c)
		scale := quantNumber(c)
		point := quantPoint(scale, c.signed())
		text = fmt.Sprintf("!quant.uniform<%s:%s, %s>", storage.text(c.signed(), c.signed()), expressed, point)
	case codeQuantPerAxis:
		text = r.quantPerAxis(c)
	case codeQuantSubChannel:
		text = r.quantSubChannel(c)
	default:
		c.fail("unknown quant type code: %d", code)
	}
	if c.failed() {
		return nil
	}
	t, err := parser.ParseType(r.context, text)
	if err != nil {
		c.fail("type '%s': %s", clip(text), textError(err))
		return nil
	}
	return t
}

// quantStorage is the start of a storage type's text: i or u and the width.
type quantStorage string

// text adds the range of values, which the dialect leaves out again where it is the width's.
func (s quantStorage) text(low, high int64) string { return fmt.Sprintf("%s<%d:%d>", s, low, high) }

func (r *reader) quantStorage(c *cursor) quantStorage {
	signed := c.varint()&1 != 0
	t, ok := r.typ(c).(*ir.IntegerType)
	if !ok {
		c.fail("expected an integer storage type")
		return ""
	}
	if signed {
		return quantStorage("i" + strconv.Itoa(int(t.Width)))
	}
	return quantStorage("u" + strconv.Itoa(int(t.Width)))
}

func (r *reader) quantTypes(c *cursor) (storage quantStorage, expressed string) {
	storage = r.quantStorage(c)
	if t := r.typ(c); t != nil {
		expressed = t.String()
	}
	return storage, expressed
}

func (r *reader) quantAny(c *cursor, withExpressed bool) string {
	storage, suffix := r.quantStorage(c), ""
	if withExpressed {
		if t := r.typ(c); t != nil {
			suffix = ":" + t.String()
		}
	}
	return "!quant.any<" + storage.text(c.signed(), c.signed()) + suffix + ">"
}

func (r *reader) quantPerAxis(c *cursor) string {
	storage, expressed := r.quantTypes(c)
	axis := c.varint()
	bounded := storage.text(c.signed(), c.signed())
	scales := make([]string, c.count("scales"))
	for i := range scales {
		scales[i] = quantNumber(c)
	}
	points := make([]string, c.count("zero points"))
	if len(points) != len(scales) {
		c.fail("%d zero points for %d scales", len(points), len(scales))
		return ""
	}
	for i := range points {
		points[i] = quantPoint(scales[i], c.signed())
	}
	return fmt.Sprintf("!quant.uniform<%s:%s:%d, {%s}>", bounded, expressed, axis, strings.Join(points, ", "))
}

func (r *reader) quantSubChannel(c *cursor) string {
	storage, expressed := r.quantTypes(c)
	bounded := storage.text(c.signed(), c.signed())
	dimensions := r.signedList(c)
	sizes := r.signedList(c)
	scales, scalesOK := r.attribute(c).(*ir.DenseElementsAttr)
	zeros, zerosOK := r.attribute(c).(*ir.DenseElementsAttr)
	if c.failed() {
		return ""
	}
	if len(sizes) != len(dimensions) || !scalesOK || !zerosOK {
		c.fail("invalid sub-channel quantized type")
		return ""
	}
	blocks := make([]string, len(sizes))
	for i := range blocks {
		blocks[i] = fmt.Sprintf("%d:%d", dimensions[i], sizes[i])
	}
	shape, _ := scales.Type.Dims()
	count, _ := ir.NumElements(shape)
	if zeroShape, _ := zeros.Type.Dims(); len(zeroShape) != len(shape) || len(shape) == 0 || count == 0 || count > 1<<20 {
		c.fail("invalid scales of a sub-channel quantized type")
		return ""
	}
	points := make([]string, count)
	for i := range points {
		points[i] = quantPoint(floatElement(scales, i), intElement(zeros, i))
	}
	for level := len(shape) - 1; level >= 0; level-- { // the innermost dimension first
		grouped := make([]string, 0, len(points))
		for size := int(shape[level]); len(points) > 0; points = points[size:] {
			grouped = append(grouped, "{"+strings.Join(points[:size], ", ")+"}")
		}
		points = grouped
	}
	return fmt.Sprintf("!quant.uniform<%s:%s:{%s}, %s>", bounded, expressed, strings.Join(blocks, ", "), points[0])
}

func (r *reader) signedList(c *cursor) []int64 {
	values := make([]int64, c.count("numbers"))
	for i := range values {
		values[i] = c.signed()
	}
	return values
}

// quantNumber reads a double as text that reads back to the same.
func quantNumber(c *cursor) string { return formatNumber(math.Float64frombits(c.bitsOf(64))) }

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'e', 17, 64) }

func quantPoint(scale string, zero int64) string {
	if zero == 0 {
		return scale
	}
	return scale + ":" + strconv.FormatInt(zero, 10)
}

// elementBits returns the bits of an element of at most 64 bits.
func elementBits(a *ir.DenseElementsAttr, i int) uint64 {
	size := ir.DenseElementBytes(a.Type.ElementType())
	if a.Splat {
		i = 0
	}
	if (i+1)*size > a.Len() {
		return 0
	}
	var v uint64
	for b, bits := range a.DataRange(i*size, (i+1)*size) {
		if b < 8 {
			v |= uint64(bits) << (8 * b)
		}
	}
	return v
}

func intElement(a *ir.DenseElementsAttr, i int) int64 {
	shift := 64 - 8*min(ir.DenseElementBytes(a.Type.ElementType()), 8)
	return int64(elementBits(a, i)<<shift) >> shift
}

// floatElement returns an element's text; one that is no f32 or f64 is written by its bits through the text of its type.
func floatElement(a *ir.DenseElementsAttr, i int) string {
	t, ok := a.Type.ElementType().(*ir.FloatType)
	bits := elementBits(a, i)
	switch {
	case ok && t.Kind == ir.F64:
		return formatNumber(math.Float64frombits(bits))
	case ok && t.Kind == ir.F32:
		return formatNumber(float64(math.Float32frombits(uint32(bits))))
	case ok:
		text, _ := ir.AppendFloat(nil, t.Kind, bits, 0)
		return string(text)
	}
	return "0.0"
}
