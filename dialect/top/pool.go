// What the verifier checks of poolings.

package top

import "tpuir/dialect/shape"

func verifyAvgPool(op AvgPoolOp) error {
	ceil, _ := op.CeilMode()
	if pad, ok := op.AutoPad(); ok && pad != AutoPadModeNOTSET || op.IsAdaptive() || !op.Keepdims() {
		return nil // what the windows cover follows from more than these attributes
	}
	window := shape.Window{Kernel: op.KernelShape(), Strides: op.Strides(), Pads: op.Pads(), Ceil: ceil}
	return shape.Pool(op.Operation, op.Input(), op.Output(), &window)
}

func verifyMaxPool(op MaxPoolOp) error {
	ceil, _ := op.CeilMode()
	if pad, ok := op.AutoPad(); ok && pad != AutoPadModeNOTSET || op.IsAdaptive() || !op.Keepdims() {
		return nil // what the windows cover follows from more than these attributes
	}
	window := shape.Window{Kernel: op.KernelShape(), Strides: op.Strides(), Pads: op.Pads(), Ceil: ceil}
	return shape.Pool(op.Operation, op.Input(), op.Output(), &window)
}
