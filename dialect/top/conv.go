// What the verifier checks of convolutions.

package top

import "tpuir/dialect/shape"

func verifyConv(op ConvOp) error {
	if pad, ok := op.AutoPad(); ok && pad != AutoPadModeNOTSET || op.Inserts() != nil {
		return nil // what the windows cover follows from more than these attributes
	}
	window := shape.Window{Kernel: op.KernelShape(), Strides: op.Strides(), Pads: op.Pads(), Dilations: op.Dilations()}
	return shape.Conv(op.Operation, op.Input(), op.Filter(), op.Bias(), op.Output(), &window, op.Group())
}
