package interp

// This file holds the values that kernels work on.

import (
	"fmt"
	"math"
	"slices"

	"tpuir/ir"
	"tpuir/weight/float16"
)

// maxElements bounds the size of one value, so that a shape from a file never takes all memory: 2³⁰ elements are 4 GiB.
const maxElements = 1 << 30

// Kind is the element type of a Tensor, as far as values are concerned.
type Kind uint8

// The kinds. Every integer type of 64 bits or fewer is Integer: its values are exact in an int64.
const (
	None Kind = iota // no value: the operand or result is of type none
	F32
	BF16
	F16
	Integer
)

var kindNames = [...]string{"none", "f32", "bf16", "f16", "integer"}

// String returns the name of the kind in MLIR's words.
func (k Kind) String() string { return kindNames[k] }

// IsFloat reports whether values are in Floats.
func (k Kind) IsFloat() bool { return k >= F32 && k <= F16 }

// KindOf returns the kind of a tensor type's elements, and false for types that the evaluator does not know.
func KindOf(t ir.Type) (Kind, bool) {
	switch element := ir.ElementTypeOr(t).(type) {
	case *ir.NoneType:
		return None, true
	case *ir.FloatType:
		switch element.Kind {
		case ir.F32, ir.F64:
			return F32, true
		case ir.BF16:
			return BF16, true
		case ir.F16:
			return F16, true
		}
	case *ir.IntegerType:
		return Integer, element.Width <= 64
	case *ir.IndexType:
		return Integer, true
	}
	return None, false
}

// Tensor is a value in row-major order. Floats holds the elements of the floating-point kinds, already rounded to the
// kind; Integers those of Integer. The other slice is empty.
type Tensor struct {
	Kind     Kind
	Shape    []int64
	Floats   []float32
	Integers []int64
}

// NewFloats returns an f32 tensor over values, which are not copied.
func NewFloats(values []float32, shape ...int64) *Tensor {
	return &Tensor{Kind: F32, Shape: shape, Floats: values}
}

// NewIntegers returns an integer tensor over values, which are not copied.
func NewIntegers(values []int64, shape ...int64) *Tensor {
	return &Tensor{Kind: Integer, Shape: shape, Integers: values}
}

// Len returns the number of elements that the shape has.
func (t *Tensor) Len() int {
	n := 1
	for _, size := range t.Shape {
		n *= int(size)
	}
	return n
}

// Check returns an error where the shape is impossible or the values do not fill it.
func (t *Tensor) Check() error {
	n, err := countElements(t.Shape)
	if err != nil {
		return err
	}
	have := len(t.Floats)
	if t.Kind == Integer {
		have = len(t.Integers)
	}
	if have != n {
		return fmt.Errorf("%d %v elements do not fill shape %v", have, t.Kind, t.Shape)
	}
	return nil
}

// countElements multiplies the sizes of a shape and bounds the product.
func countElements(shape []int64) (int, error) {
	n := int64(1)
	for _, size := range shape {
		if size < 0 {
			return 0, fmt.Errorf("shape %v has a negative size", shape)
		}
		if size != 0 && n > maxElements/size {
			return 0, fmt.Errorf("shape %v has more than %d elements", shape, maxElements)
		}
		n *= size
	}
	return int(n), nil
}

// At returns element i as a float64, whatever the kind.
func (t *Tensor) At(i int) float64 {
	if t.Kind == Integer {
		return float64(t.Integers[i])
	}
	return float64(t.Floats[i])
}

// Clone returns a copy that shares nothing.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{Kind: t.Kind, Shape: slices.Clone(t.Shape), Floats: slices.Clone(t.Floats), Integers: slices.Clone(t.Integers)}
}

// CopyFrom makes t a copy of other, in t's own memory where that is large enough.
func (t *Tensor) CopyFrom(other *Tensor) {
	t.Kind = other.Kind
	t.Shape = append(t.Shape[:0], other.Shape...)
	t.Floats = append(t.Floats[:0], other.Floats...)
	t.Integers = append(t.Integers[:0], other.Integers...)
}

// AsFloats returns the elements as float32, those of an Integer tensor converted into a new slice.
func (t *Tensor) AsFloats() []float32 {
	if t.Kind != Integer {
		return t.Floats
	}
	values := make([]float32, len(t.Integers))
	for i, v := range t.Integers {
		values[i] = float32(v)
	}
	return values
}

// round rounds floating-point elements to the tensor's kind.
func (t *Tensor) round() { roundTo(t.Kind, t.Floats) }

// roundTo rounds values to a kind, in place.
func roundTo(k Kind, values []float32) {
	switch k {
	case BF16:
		roundBF16(values)
	case F16:
		float16.Float16.RoundSlice(values)
	}
}

// convert writes the elements of src to t, which has as many, in t's kind. A fraction is cut off where t is Integer.
func (t *Tensor) convert(src *Tensor) {
	switch {
	case t.Kind == Integer && src.Kind == Integer:
		copy(t.Integers, src.Integers)
	case t.Kind == Integer:
		for i, v := range src.Floats {
			t.Integers[i] = truncate(v)
		}
	case src.Kind == Integer:
		for i, v := range src.Integers {
			t.Floats[i] = float32(v)
		}
		t.round()
	default:
		copy(t.Floats, src.Floats)
		if t.Kind != src.Kind {
			t.round()
		}
	}
}

// truncate cuts off the fraction; values beyond an int64 saturate and NaN is 0.
func truncate(v float32) int64 {
	switch {
	case v != v:
		return 0
	case v >= 0x1p63:
		return math.MaxInt64
	case v < -0x1p63:
		return math.MinInt64
	}
	return int64(v)
}

// same reports whether two shapes are equal.
func same(a, b []int64) bool { return slices.Equal(a, b) }

// product multiplies sizes that were checked before.
func product(sizes []int64) int {
	n := 1
	for _, size := range sizes {
		n *= int(size)
	}
	return n
}
