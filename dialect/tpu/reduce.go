// What the verifier checks of reductions and orderings.

package tpu

import "tpuir/dialect/shape"

func verifyReduce(op ReduceOp) error {
	return shape.Reduce(op.Operation, op.Input(), op.Output(), op.Axes(), op.Keepdims())
}

func verifyTopK(op TopKOp) error {
	return shape.TopK(op.Operation, op.Input(), op.Values(), op.Indices(), op.Axis(), op.K())
}

func verifyArg(op ArgOp) error {
	return shape.Arg(op.Operation, op.Input(), op.Indices(), op.Values(), op.Axis(), op.Keepdims())
}

func verifyCumSum(op CumSumOp) error {
	return shape.AlongAxis(op.Operation, op.Input(), op.Output(), op.Axis())
}

func verifySort(op SortOp) error {
	return shape.First(
		shape.AlongAxis(op.Operation, op.Input(), op.Values(), op.Axis()),
		shape.SameShape(op.Operation, op.Input(), op.Indices()),
	)
}
