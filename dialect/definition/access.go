// What the generated wrappers are made of: reading and writing attributes by kind, and finding the members of operand
// and result groups.

package definition

import (
	"math"

	"tpuir/ir"
)

func integer(c *ir.Context, kind Kind, value int64) *ir.IntegerAttr {
	switch kind {
	case I32:
		return c.Int(c.I32(), value)
	case SI32:
		return c.Int(c.IntegerType(32, ir.Signed), value)
	case UI32:
		return c.Int(c.IntegerType(32, ir.Unsigned), value)
	}
	return c.I64Attr(value)
}

func float(c *ir.Context, kind Kind, value float64) *ir.FloatAttr {
	if kind == F32 {
		return c.FloatBits(c.F32(), uint64(math.Float32bits(float32(value))), 0)
	}
	return c.FloatBits(c.F64(), math.Float64bits(value), 0)
}

func floatArray(c *ir.Context, values []float64) *ir.ArrayAttr {
	elements := make([]ir.Attribute, len(values))
	for i, v := range values {
		elements[i] = float(c, F64, v)
	}
	return c.Array(elements...)
}

func int32Array(c *ir.Context, values []int64) *ir.ArrayAttr {
	elements := make([]ir.Attribute, len(values))
	for i, v := range values {
		elements[i] = integer(c, I32, v)
	}
	return c.Array(elements...)
}

// GetBool reads a bool attribute; absent is what stands for one that is not there.
func GetBool(op *ir.Operation, name string, absent bool) bool {
	if a, ok := op.Attr(name).(*ir.IntegerAttr); ok {
		return a.Bool()
	}
	return absent
}

// GetInt reads an integer attribute of any width.
func GetInt(op *ir.Operation, name string, absent int64) int64 {
	if a, ok := op.Attr(name).(*ir.IntegerAttr); ok {
		return a.Int()
	}
	return absent
}

// GetFloat reads an f32 or f64 attribute.
func GetFloat(op *ir.Operation, name string, absent float64) float64 {
	if a, ok := op.Attr(name).(*ir.FloatAttr); ok {
		return floatValue(a)
	}
	return absent
}

// GetString reads a string attribute.
func GetString(op *ir.Operation, name string, absent string) string {
	if a, ok := op.Attr(name).(*ir.StringAttr); ok {
		return a.Value
	}
	return absent
}

// GetInts reads an array of integers, nil where it is absent.
func GetInts(op *ir.Operation, name string) []int64 {
	a, ok := op.Attr(name).(*ir.ArrayAttr)
	if !ok {
		return nil
	}
	values := make([]int64, 0, len(a.Elements))
	for _, e := range a.Elements {
		if e, ok := e.(*ir.IntegerAttr); ok {
			values = append(values, e.Int())
		}
	}
	return values
}

// GetFloats reads an array of floats, nil where it is absent.
func GetFloats(op *ir.Operation, name string) []float64 {
	a, ok := op.Attr(name).(*ir.ArrayAttr)
	if !ok {
		return nil
	}
	values := make([]float64, 0, len(a.Elements))
	for _, e := range a.Elements {
		if e, ok := e.(*ir.FloatAttr); ok {
			values = append(values, floatValue(e))
		}
	}
	return values
}

// GetArray reads an array of any attributes, nil where it is absent.
func GetArray(op *ir.Operation, name string) []ir.Attribute {
	if a, ok := op.Attr(name).(*ir.ArrayAttr); ok {
		return a.Elements
	}
	return nil
}

// GetEnum reads the value of an enum attribute.
func GetEnum(op *ir.Operation, name string, absent int32) int32 {
	if a, ok := op.Attr(name).(*EnumAttr); ok {
		return a.Value
	}
	return absent
}

// Has reports whether the op has an attribute of that name.
func Has(op *ir.Operation, name string) bool { return op.Attr(name) != nil }

func floatValue(a *ir.FloatAttr) float64 {
	if a.Type.Kind == ir.F32 {
		return float64(math.Float32frombits(uint32(a.Low)))
	}
	return math.Float64frombits(a.Low)
}

// SetBool sets a bool attribute.
func SetBool(op *ir.Operation, name string, value bool) { op.SetAttr(name, op.Context().Bool(value)) }

// SetInt sets an integer attribute of kind I32, I64, SI32 or UI32.
func SetInt(op *ir.Operation, name string, kind Kind, value int64) {
	op.SetAttr(name, integer(op.Context(), kind, value))
}

// SetFloat sets an attribute of kind F32 or F64.
func SetFloat(op *ir.Operation, name string, kind Kind, value float64) {
	op.SetAttr(name, float(op.Context(), kind, value))
}

// SetString sets a string attribute.
func SetString(op *ir.Operation, name, value string) {
	op.SetAttr(name, op.Context().StringAttr(value))
}

// SetInts sets an array of kind I32Array or I64Array.
func SetInts(op *ir.Operation, name string, kind Kind, values []int64) {
	if kind == I32Array {
		op.SetAttr(name, int32Array(op.Context(), values))
		return
	}
	op.SetAttr(name, op.Context().I64Array(values...))
}

// SetFloats sets an array of f64.
func SetFloats(op *ir.Operation, name string, values []float64) {
	op.SetAttr(name, floatArray(op.Context(), values))
}

// SetArray sets an array of any attributes.
func SetArray(op *ir.Operation, name string, values []ir.Attribute) {
	op.SetAttr(name, op.Context().Array(values...))
}

// Group returns the members of an operand group of open size: those from the given place on, without the last behind.
func Group(op *ir.Operation, from, behind int) []*ir.Value {
	values := make([]*ir.Value, 0, max(op.NumOperands()-from-behind, 0))
	for i := from; i < op.NumOperands()-behind; i++ {
		values = append(values, op.Operand(i))
	}
	return values
}

// EqualGroup returns the members of the number-th of several operand groups that share one size; singles is the number
// of operands outside the groups, of which before stand in front of this one.
func EqualGroup(op *ir.Operation, number, groups, before, singles int) []*ir.Value {
	size := (op.NumOperands() - singles) / groups
	from := before + number*size
	return Group(op, from, op.NumOperands()-from-size)
}

// OptionalOperand returns the operand at a place, or nil where the group is empty; behind operands follow the group.
func OptionalOperand(op *ir.Operation, at, behind int) *ir.Value {
	if op.NumOperands()-behind <= at {
		return nil
	}
	return op.Operand(at)
}

// ResultGroup returns the members of a result group of open size.
func ResultGroup(op *ir.Operation, from, behind int) []*ir.Value {
	values := make([]*ir.Value, 0, max(op.NumResults()-from-behind, 0))
	for i := from; i < op.NumResults()-behind; i++ {
		values = append(values, op.Result(i))
	}
	return values
}

// Present is the list of an operand that may be nil.
func Present(v *ir.Value) []*ir.Value {
	if v == nil {
		return nil
	}
	return []*ir.Value{v}
}

// IsNone reports whether the value stands for an absent operand.
func IsNone(v *ir.Value) bool {
	_, none := v.Type().(*ir.NoneType)
	return none
}

// Entries collects the attributes of a new op. The methods that take pointers leave out what is nil.
type Entries struct {
	context *ir.Context
	list    []ir.NamedAttribute
}

// NewEntries returns an empty collection with room for n attributes.
func NewEntries(c *ir.Context, n int) *Entries {
	return &Entries{context: c, list: make([]ir.NamedAttribute, 0, n)}
}

// Dictionary returns what was collected.
func (e *Entries) Dictionary() *ir.DictionaryAttr { return e.context.Dictionary(e.list...) }

func (e *Entries) add(name string, value ir.Attribute) {
	e.list = append(e.list, ir.NamedAttribute{Name: name, Value: value})
}

// Bool adds a bool.
func (e *Entries) Bool(name string, value *bool) {
	if value != nil {
		e.add(name, e.context.Bool(*value))
	}
}

// Int adds an integer of a kind.
func (e *Entries) Int(name string, kind Kind, value *int64) {
	if value != nil {
		e.add(name, integer(e.context, kind, *value))
	}
}

// Float adds a float of a kind.
func (e *Entries) Float(name string, kind Kind, value *float64) {
	if value != nil {
		e.add(name, float(e.context, kind, *value))
	}
}

// String adds a string.
func (e *Entries) String(name string, value *string) {
	if value != nil {
		e.add(name, e.context.StringAttr(*value))
	}
}

// Ints adds an array of integers of a kind; nil is left out where the attribute is not required.
func (e *Entries) Ints(name string, kind Kind, values []int64, required bool) {
	switch {
	case values == nil && !required:
	case kind == I32Array:
		e.add(name, int32Array(e.context, values))
	default:
		e.add(name, e.context.I64Array(values...))
	}
}

// Floats adds an array of f64; nil is left out where the attribute is not required.
func (e *Entries) Floats(name string, values []float64, required bool) {
	if values != nil || required {
		e.add(name, floatArray(e.context, values))
	}
}

// Array adds an array of attributes.
func (e *Entries) Array(name string, values []ir.Attribute) { e.add(name, e.context.Array(values...)) }

// Enum adds the value of an enum.
func (e *Entries) Enum(name string, enum *Enum, value int32) {
	e.add(name, enum.Attr(e.context, value))
}

// Attribute adds any attribute that is not nil.
func (e *Entries) Attribute(name string, value ir.Attribute) {
	if value != nil {
		e.add(name, value)
	}
}
