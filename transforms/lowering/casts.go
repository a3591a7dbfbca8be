package lowering

// This file holds the borders between types: casts of values, named after what they cast and the first that wants it.

import (
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// elementOf returns the element type of a tensor, nil of what is none.
func elementOf(v *ir.Value) ir.Type {
	if t, ok := v.Type().(ir.ShapedType); ok {
		return t.ElementType()
	}
	return nil
}

// withElement returns a tensor type with another element type.
func withElement(t, element ir.Type) ir.Type {
	switch t := t.(type) {
	case *ir.RankedTensorType:
		return t.Context().RankedTensorType(t.Shape, element, t.Encoding)
	case *ir.UnrankedTensorType:
		return t.Context().UnrankedTensorType(element)
	}
	return t
}

// is32BitInteger reports whether an element type is i32, of any signedness.
func is32BitInteger(t ir.Type) bool {
	i, ok := t.(*ir.IntegerType)
	return ok && i.Width == 32
}

// as returns a value in an element type for op: itself, a weight's converted copy, or a cast.
func (l *lowerer) as(op *ir.Operation, v *ir.Value, element ir.Type) *ir.Value {
	if isNone(v) || elementOf(v) == element {
		return v
	}
	if isWeight(v) {
		return l.roundWeight(v, element)
	}
	return l.cast(v, element, ir.LocationName(op.Loc())+"_"+element.String())
}

// inHalf is as with the type that most operations are computed in.
func (l *lowerer) inHalf(op *ir.Operation, v *ir.Value) *ir.Value { return l.as(op, v, l.half) }

// allInHalf brings several operands into the type that most operations are computed in.
func (l *lowerer) allInHalf(op *ir.Operation, values []*ir.Value) []*ir.Value {
	converted := make([]*ir.Value, len(values))
	for i, v := range values {
		converted[i] = l.inHalf(op, v)
	}
	return converted
}

// index returns a value as 32-bit integers for op.
func (l *lowerer) index(op *ir.Operation, v *ir.Value) *ir.Value {
	if isNone(v) || is32BitInteger(elementOf(v)) {
		return v
	}
	if isWeight(v) {
		return l.integerWeight(v, weightName(v)+"_int")
	}
	return l.cast(v, l.context.I32(), ir.LocationName(op.Loc())+"_si32")
}

// cast returns the cast of a value, made directly behind what computes it, for all who want it.
func (l *lowerer) cast(v *ir.Value, element ir.Type, suffix string) *ir.Value {
	key := conversion{v, element}
	if made := l.casts[key]; made != nil {
		return made
	}
	b := ir.NewBuilder(l.context)
	if source := v.DefiningOp(); source != nil {
		b.SetAfter(source)
	} else {
		b.SetToStart(v.Block())
	}
	made := tpu.NewCast(b, l.context.NameLoc(ir.ValueName(v)+suffix, nil), v, tpu.CastAttributes{}, withElement(v.Type(), element)).Output()
	l.casts[key] = made
	return made
}
