// What the verifier checks of ops that cut.

package top

import "tpuir/dialect/shape"

func verifySplit(op SplitOp) error {
	if n := int64(op.Operation.NumResults()); op.Num() != n {
		return op.Operation.Errorf("attribute 'num' is %d, but there are %d results", op.Num(), n)
	}
	return shape.Split(op.Operation, op.Input(), op.Axis(), op.Outputs())
}
