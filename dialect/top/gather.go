// What the verifier checks of reading and writing at indices.

package top

import "tpuir/dialect/shape"

func verifyGather(op GatherOp) error {
	return shape.Gather(op.Operation, op.Input(), op.Indices(), op.Output(), op.Axis(), op.Keepdims())
}

func verifyA16Gather(op A16GatherOp) error {
	return shape.PackedGather(op.Operation, op.Weight(), op.Indices(), op.Scale(), op.Zp(), op.Output(), op.WeightBits(), op.QGroupSize())
}

func verifyGatherElements(op GatherElementsOp) error {
	return shape.GatherElements(op.Operation, op.Input(), op.Indices(), op.Output(), op.Axis())
}

func verifyGatherND(op GatherNDOp) error {
	return shape.GatherND(op.Operation, op.Input(), op.Indices(), op.Output(), op.BatchDims())
}

func verifyScatterElements(op ScatterElementsOp) error {
	return shape.ScatterElements(op.Operation, op.Input(), op.Indices(), op.Updates(), op.Output(), op.Axis())
}

func verifyScatterND(op ScatterNDOp) error {
	return shape.ScatterND(op.Operation, op.InputData(), op.Indices(), op.Updates(), op.Output())
}
