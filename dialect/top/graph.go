// What the verifier checks of weights and inputs.

package top

import (
	"slices"

	"tpuir/dialect/shape"
	"tpuir/ir"
)

// verifyWeight asks for a static shape. Only the first dimension may be open: a sample head's constants hold as many rows as
// the batch has, which the stage split decides.
func verifyWeight(op WeightOp) error {
	t, ranked := op.Output().Type().(*ir.RankedTensorType)
	if !ranked || len(t.Shape) > 0 && slices.Contains(t.Shape[1:], ir.Dynamic) {
		return op.Operation.Errorf("a weight must have a static shape, but has type '%s'", op.Output().Type())
	}
	return nil
}

// verifyInput keeps floats floats (integers may become f32, as positions do), and asks for what preprocessing cannot do
// without.
func verifyInput(op InputOp) error {
	if _, isFloat := ir.ElementTypeOr(op.Input().Type()).(*ir.FloatType); isFloat {
		if err := shape.Float(op.Operation, op.Output(), "output"); err != nil {
			return err
		}
	}
	if !op.DoPreprocess() {
		return nil
	}
	for _, name := range []string{"pixel_format", "scale", "mean"} {
		if op.Operation.Attr(name) == nil {
			return op.Operation.Errorf("attribute 'do_preprocess' is true, but there is no attribute '%s'", name)
		}
	}
	return nil
}
