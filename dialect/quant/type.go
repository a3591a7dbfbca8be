package quant

// This file holds the quantized types and their text.

import (
	"math"
	"slices"
	"strconv"

	"tpuir/ir"
)

// Storage is how quantized values are kept: in integers of a width, in a range of them.
type Storage struct {
	Width    uint32
	Unsigned bool
	Min, Max int64
}

// NewStorage returns the storage with the whole range of a width.
func NewStorage(width uint32, unsigned bool) Storage {
	if unsigned {
		return Storage{width, unsigned, 0, 1<<width - 1}
	}
	return Storage{width, unsigned, -1 << (width - 1), 1<<(width-1) - 1}
}

// Type returns the storage's integer type: signless, as in MLIR, signed or not.
func (s Storage) Type(c *ir.Context) *ir.IntegerType { return c.IntegerType(s.Width, ir.Signless) }

// Point is a scale and a zero point: a stored q stands for (q - Zero) * Scale.
type Point struct {
	Scale float64
	Zero  int64
}

// Block is a quantized dimension and how many elements along it share a scale.
type Block struct{ Dimension, Size int64 }

// AnyType is `!quant.any<i8<-8:7>:f32>`: only the storage is known. Expressed may be nil.
type AnyType struct {
	ir.TypeBase
	Storage   Storage
	Expressed ir.Type
}

// UniformType is `!quant.uniform<i8:f32, 0.1:3>`: one scale for a whole tensor. Where Axis is not negative, it is
// `!quant.uniform<i8:f32:1, {0.1,0.2:3}>`: one for every index of that dimension.
type UniformType struct {
	ir.TypeBase
	Storage   Storage
	Expressed ir.Type
	Axis      int64
	Points    []Point
}

// SubChannelType is `!quant.uniform<i8:f32:{0:1, 1:2}, {{2.0:10, 3.0:20}, {4.0:30, 5.0:40}}>`: one scale a block of the
// tensor. Points are in row-major order of the Shape of blocks.
type SubChannelType struct {
	ir.TypeBase
	Storage   Storage
	Expressed ir.Type
	Blocks    []Block
	Shape     []int64
	Points    []Point
}

// CalibratedType is `!quant.calibrated<f32<-1.5:2.5>>`: the range of values that was observed.
type CalibratedType struct {
	ir.TypeBase
	Expressed ir.Type
	Min, Max  float64
}

// Any returns `!quant.any<storage:expressed>`; expressed may be nil.
func Any(c *ir.Context, s Storage, expressed ir.Type) *AnyType {
	return ir.InternType(c, "quant.AnyType", func(k ir.Key) ir.Key { return s.key(k).Type(expressed) },
		func(b ir.TypeBase) *AnyType { return &AnyType{b, s, expressed} })
}

// Uniform returns the type with one scale.
func Uniform(c *ir.Context, s Storage, expressed ir.Type, p Point) *UniformType {
	return PerAxis(c, s, expressed, -1, p)
}

// PerAxis returns the type with a scale for every index of a dimension.
func PerAxis(c *ir.Context, s Storage, expressed ir.Type, axis int64, points ...Point) *UniformType {
	return ir.InternType(c, "quant.UniformType", func(k ir.Key) ir.Key {
		return pointsKey(s.key(k).Type(expressed).Uint(uint64(axis)), points)
	}, func(b ir.TypeBase) *UniformType { return &UniformType{b, s, expressed, axis, slices.Clone(points)} })
}

// SubChannel returns the type with a scale for every block.
func SubChannel(c *ir.Context, s Storage, expressed ir.Type, blocks []Block, shape []int64, points []Point) *SubChannelType {
	return ir.InternType(c, "quant.SubChannelType", func(k ir.Key) ir.Key {
		k = s.key(k).Type(expressed).Uint(uint64(len(blocks)))
		for _, b := range blocks {
			k = k.Uint(uint64(b.Dimension)).Uint(uint64(b.Size))
		}
		k = k.Uint(uint64(len(shape)))
		for _, n := range shape {
			k = k.Uint(uint64(n))
		}
		return pointsKey(k, points)
	}, func(b ir.TypeBase) *SubChannelType {
		return &SubChannelType{b, s, expressed, slices.Clone(blocks), slices.Clone(shape), slices.Clone(points)}
	})
}

// Calibrated returns `!quant.calibrated<expressed<low:high>>`.
func Calibrated(c *ir.Context, expressed ir.Type, low, high float64) *CalibratedType {
	return ir.InternType(c, "quant.CalibratedType", func(k ir.Key) ir.Key {
		return k.Type(expressed).Uint(math.Float64bits(low)).Uint(math.Float64bits(high))
	}, func(b ir.TypeBase) *CalibratedType { return &CalibratedType{b, expressed, low, high} })
}

func (s Storage) key(k ir.Key) ir.Key {
	return k.Uint(uint64(s.Width)).Bool(s.Unsigned).Uint(uint64(s.Min)).Uint(uint64(s.Max))
}

func pointsKey(k ir.Key, points []Point) ir.Key {
	for _, p := range points {
		k = k.Uint(math.Float64bits(p.Scale)).Uint(uint64(p.Zero))
	}
	return k
}

// append writes `i8` or `u8`, and the range where it is not that of the width.
func (s Storage) append(dst []byte) []byte {
	letter := byte('i')
	if s.Unsigned {
		letter = 'u'
	}
	dst = strconv.AppendUint(append(dst, letter), uint64(s.Width), 10)
	if whole := NewStorage(s.Width, s.Unsigned); s != whole {
		dst = strconv.AppendInt(append(dst, '<'), s.Min, 10)
		dst = append(strconv.AppendInt(append(dst, ':'), s.Max, 10), '>')
	}
	return dst
}

func appendNumber(dst []byte, v float64) []byte {
	dst, _ = ir.AppendFloat(dst, ir.F64, math.Float64bits(v), 0)
	return dst
}

func (p Point) append(dst []byte) []byte {
	dst = appendNumber(dst, p.Scale)
	if p.Zero != 0 {
		dst = strconv.AppendInt(append(dst, ':'), p.Zero, 10)
	}
	return dst
}

// AppendText writes the type.
func (t *AnyType) AppendText(dst []byte, w *ir.TextWriter) []byte {
	dst = t.Storage.append(append(dst, "!quant.any<"...))
	if t.Expressed != nil {
		dst = w.AppendType(append(dst, ':'), t.Expressed)
	}
	return append(dst, '>')
}

// AppendText writes the type.
func (t *UniformType) AppendText(dst []byte, w *ir.TextWriter) []byte {
	dst = t.Storage.append(append(dst, "!quant.uniform<"...))
	dst = w.AppendType(append(dst, ':'), t.Expressed)
	if t.Axis < 0 {
		return append(t.Points[0].append(append(dst, ", "...)), '>')
	}
	dst = strconv.AppendInt(append(dst, ':'), t.Axis, 10)
	dst = append(dst, ", {"...)
	for i, p := range t.Points {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.append(dst)
	}
	return append(dst, "}>"...)
}

// AppendText writes the type.
func (t *SubChannelType) AppendText(dst []byte, w *ir.TextWriter) []byte {
	dst = t.Storage.append(append(dst, "!quant.uniform<"...))
	dst = append(w.AppendType(append(dst, ':'), t.Expressed), ":{"...)
	for i, b := range t.Blocks {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(append(strconv.AppendInt(dst, b.Dimension, 10), ':'), b.Size, 10)
	}
	dst = append(dst, "}, "...)
	next := 0
	return append(t.appendLevel(dst, t.Shape, &next), '>')
}

func (t *SubChannelType) appendLevel(dst []byte, shape []int64, next *int) []byte {
	if len(shape) == 0 {
		*next++
		return t.Points[*next-1].append(dst)
	}
	dst = append(dst, '{')
	for i := range shape[0] {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = t.appendLevel(dst, shape[1:], next)
	}
	return append(dst, '}')
}

// AppendText writes the type.
func (t *CalibratedType) AppendText(dst []byte, w *ir.TextWriter) []byte {
	dst = append(w.AppendType(append(dst, "!quant.calibrated<"...), t.Expressed), '<')
	dst = append(appendNumber(dst, t.Min), ':')
	return append(appendNumber(dst, t.Max), ">>"...)
}

// String returns the type's text.
func (t *AnyType) String() string { return string(t.AppendText(nil, ir.NewTextWriter())) }

// String returns the type's text.
func (t *UniformType) String() string { return string(t.AppendText(nil, ir.NewTextWriter())) }

// String returns the type's text.
func (t *SubChannelType) String() string { return string(t.AppendText(nil, ir.NewTextWriter())) }

// String returns the type's text.
func (t *CalibratedType) String() string { return string(t.AppendText(nil, ir.NewTextWriter())) }
