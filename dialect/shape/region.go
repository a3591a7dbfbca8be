// Rules of regions that yield values.

package shape

import "tpuir/ir"

// Yielded returns the terminator of a region's block if it is the Yield of op's dialect, else nil.
func Yielded(op *ir.Operation, region *ir.Region) *ir.Operation {
	block := region.First()
	if block == nil || block.Last() == nil || !block.Last().Is(op.Name().Namespace()+".Yield") {
		return nil
	}
	return block.Last()
}

// Yields checks that a region yields as many values as there are results, with their shapes and element types. A missing
// terminator is reported by the structural verifier.
func Yields(op *ir.Operation, region *ir.Region, what string, results []*ir.Value) error {
	end := Yielded(op, region)
	if end == nil {
		return nil
	}
	if end.NumOperands() != len(results) {
		return op.Errorf("%s yields %d values, but there are %d results", what, end.NumOperands(), len(results))
	}
	for i, result := range results {
		inner := end.Operand(i)
		have, ok := Of(inner)
		want, also := Of(result)
		if ok && also && !AllAgree(have, want) {
			return op.Errorf("%s yields shape %s for result #%d of shape %s", what, Text(have), i, Text(want))
		}
		if err := MovedElement(op, inner, result); err != nil {
			return op.Errorf("%s yields type '%s' for result #%d of type '%s'", what, inner.Type(), i, result.Type())
		}
	}
	return nil
}
