// What the verifier checks of softmax.

package tpu

import "tpuir/dialect/shape"

func verifySoftmax(op SoftmaxOp) error {
	return shape.AlongAxis(op.Operation, op.Input(), op.Output(), op.Axis())
}
