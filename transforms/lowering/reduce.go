package lowering

// This file lowers what works along an axis: the largest elements and running sums.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// lowerTopK sorts in f32. How many elements are wanted is read by the host, where a tensor says it.
func lowerTopK(l *lowerer, op *ir.Operation) error {
	t, _ := top.AsTopK(op)
	f32 := l.context.F32()
	count := l.hostCount(op, t.KT())
	input := l.as(op, t.Input(), f32)
	var buffers [4]*ir.Value
	for i := range buffers {
		buffers[i] = top.NewNone(l.at, l.context.UnknownLoc(), l.context.NoneType()).Output()
	}
	made := tpu.NewTopK(l.at, op.Loc(), input, count, buffers[0], buffers[1], buffers[2], buffers[3],
		tpu.TopKAttributes{Axis: t.Axis(), K: t.K()}, withElement(t.Values().Type(), f32), withElement(t.Indices().Type(), l.context.I32()))
	l.replace(op, made.Operation)
	return nil
}

// hostCount brings the number of elements that TopK is to return to the host.
func (l *lowerer) hostCount(op *ir.Operation, count *ir.Value) *ir.Value {
	if isNone(count) {
		return count
	}
	name := ir.ValueName(count)
	if cast, ok := tpu.AsCast(count.DefiningOp()); ok { // an input of integers
		name = ir.ValueName(cast.Input())
	}
	loc := l.context.NameLoc(name+"_"+ir.LocationName(op.Loc())+"_device2host", nil)
	b := l.at
	if source := count.DefiningOp(); source != nil {
		b = ir.BuilderAfter(source)
	}
	return tpu.NewDevice2Host(b, loc, count, count.Type()).Output()
}

// lowerCumSum sums in f32 in the modes of f16, whose range is soon left.
func lowerCumSum(l *lowerer, op *ir.Operation) error {
	s, _ := top.AsCumSum(op)
	element := l.half
	if element == l.context.F16() {
		element = l.context.F32()
	}
	made := tpu.NewCumSum(l.at, op.Loc(), l.as(op, s.Input(), element), l.as(op, s.Dim(), element), tpu.CumSumAttributes{Axis: s.Axis()},
		withElement(op.Result(0).Type(), element))
	l.replace(op, made.Operation)
	return nil
}
