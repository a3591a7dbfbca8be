// What the verifier checks of matrix products.

package top

import "tpuir/dialect/shape"

func verifyMatMul(op MatMulOp) error {
	return shape.MatMul(op.Operation, &shape.Matrices{
		Left: op.Input(), Right: op.Right(), Bias: op.Bias(), Output: op.Output(),
		LeftTranspose: op.LeftTranspose(), RightTranspose: op.RightTranspose(), OutputTranspose: op.OutputTranspose(),
		HdimIsBatch: op.HdimIsBatch(), Packed: op.DqType() != DqTypeNONE, KeepDims: op.KeepDims(),
	})
}

func verifyA16MatMul(op A16MatMulOp) error {
	return shape.PackedMatMul(op.Operation, &shape.PackedMatrices{
		Input: op.Input(), Weight: op.Weight(), Scale: op.Scale(), ZeroPoint: op.Zp(), Bias: op.Bias(), Output: op.Output(),
		Transposed: op.RightTranspose(), Bits: op.WeightBits(), GroupSize: op.QGroupSize(),
	})
}

func verifyFp8MatMul(op Fp8MatMulOp) error {
	return shape.MatMul(op.Operation, &shape.Matrices{
		Left: op.Input(), Right: op.Weight(), Bias: op.Bias(), Output: op.Output(), RightTranspose: op.WeightTranspose(),
		Packed: true, KeepDims: true,
	})
}
