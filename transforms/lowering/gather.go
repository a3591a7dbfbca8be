package lowering

// This file lowers what picks and places elements by index: the indices are integers in Tpu IR.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func lowerGather(l *lowerer, op *ir.Operation) error {
	g, _ := top.AsGather(op)
	made := tpu.NewGather(l.at, op.Loc(), l.inHalf(op, g.Input()), l.index(op, g.Indices()), l.none(), tpu.GatherAttributes{},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerGatherElements(l *lowerer, op *ir.Operation) error {
	g, _ := top.AsGatherElements(op)
	none := l.none()
	made := tpu.NewGatherElements(l.at, op.Loc(), l.inHalf(op, g.Input()), l.index(op, g.Indices()), none, none,
		tpu.GatherElementsAttributes{}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerScatterElements(l *lowerer, op *ir.Operation) error {
	s, _ := top.AsScatterElements(op)
	none := l.none()
	made := tpu.NewScatterElements(l.at, op.Loc(), l.inHalf(op, s.Input()), l.index(op, s.Indices()), l.inHalf(op, s.Updates()), none, none,
		tpu.ScatterElementsAttributes{Axis: s.Axis()}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}

func lowerScatterND(l *lowerer, op *ir.Operation) error {
	s, _ := top.AsScatterND(op)
	data := l.inHalf(op, s.InputData())
	indices := s.Indices()
	if l.mode == F32 && isWeight(indices) {
		indices = l.integerWeight(indices, ir.LocationName(op.Loc())+"_indices_int32") // so TPU-MLIR has it, in this mode only
	}
	made := tpu.NewScatterND(l.at, op.Loc(), data, l.index(op, indices), l.inHalf(op, s.Updates()), l.none(),
		tpu.ScatterNDAttributes{}, withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation)
	return nil
}
