// The structural verifier: counts, type constraints, attributes, regions and the traits that are about structure, in the
// order and the words of MLIR.

package definition

import (
	"strings"

	"tpuir/ir"
)

func (o *Op) verify(op *ir.Operation) error {
	if err := o.verifyStructure(op); err != nil {
		return err
	}
	if o.Rule != nil {
		if err := o.Rule(op); err != nil {
			return err
		}
	}
	if o.Verify != nil {
		return o.Verify(op)
	}
	return nil
}

func (o *Op) verifyStructure(op *ir.Operation) error {
	if err := o.verifyCounts(op); err != nil {
		return err
	}
	if err := o.verifyAttributes(op); err != nil {
		return err
	}
	if err := o.verifyOperands(op); err != nil {
		return err
	}
	if err := o.verifyResults(op); err != nil {
		return err
	}
	if err := o.verifyRegions(op); err != nil {
		return err
	}
	return o.verifyProperties(op)
}

// fixed counts the groups of exactly one value, and the groups of open size.
func fixed(values []Value) (single, open int) {
	for i := range values {
		if values[i].Count == One {
			single++
		} else {
			open++
		}
	}
	return single, open
}

func (o *Op) verifyCounts(op *ir.Operation) error {
	if err := o.verifyRegionCount(op); err != nil {
		return err
	}
	single, open := fixed(o.Results)
	switch found := op.NumResults(); {
	case open > 0 && found < single:
		return op.Errorf("expected %d or more results", single)
	case open > 0 || found == single:
	case single == 0:
		return op.Errorf("requires zero results")
	case single == 1:
		return op.Errorf("requires one result")
	default:
		return op.Errorf("expected %d results", single)
	}
	single, open = fixed(o.Operands)
	switch found := op.NumOperands(); {
	case open > 0 && found < single:
		return op.Errorf("expected %d or more operands, but found %d", single, found)
	case open > 0 || found == single:
	case single == 0:
		return op.Errorf("requires zero operands")
	case single == 1:
		return op.Errorf("requires a single operand")
	default:
		return op.Errorf("expected %d operands, but found %d", single, found)
	}
	return nil
}

func (o *Op) verifyRegionCount(op *ir.Operation) error {
	if len(o.Regions) > 0 && o.Regions[len(o.Regions)-1].Count == Many {
		if op.NumRegions() < len(o.Regions)-1 {
			return op.Errorf("expected %d or more regions", len(o.Regions)-1)
		}
		return nil
	}
	if op.NumRegions() == len(o.Regions) {
		return nil
	}
	switch len(o.Regions) {
	case 0:
		return op.Errorf("requires zero regions")
	case 1:
		return op.Errorf("requires one region")
	}
	return op.Errorf("expected %d regions", len(o.Regions))
}

func (o *Op) verifyAttributes(op *ir.Operation) error {
	var missing, wrong *Attribute
	given, at := op.Attributes().Entries, 0
	for i := range o.Attributes {
		a := &o.Attributes[i]
		switch value := seek(given, &at, a.Name); {
		case value == nil && !a.Optional && !a.Default.Set && missing == nil:
			missing = a
		case value != nil && wrong == nil && !a.Accepts(value):
			wrong = a
		}
	}
	if missing != nil {
		return op.Errorf("requires attribute '%s'", missing.Name)
	}
	if wrong != nil {
		return op.Errorf("attribute '%s' failed to satisfy constraint: %s", wrong.Name, wrong.Constraint())
	}
	return nil
}

func (o *Op) verifyOperands(op *ir.Operation) error {
	return verifyGroups(op, o.Operands, op.NumOperands(), "operand", func(i int) ir.Type { return op.Operand(i).Type() })
}

func (o *Op) verifyResults(op *ir.Operation) error {
	return verifyGroups(op, o.Results, op.NumResults(), "result", func(i int) ir.Type { return op.Result(i).Type() })
}

func verifyGroups(op *ir.Operation, groups []Value, total int, what string, typeOf func(int) ir.Type) error {
	single, open := fixed(groups)
	size, at := 0, 0
	if open > 0 {
		if (total-single)%open != 0 {
			return op.Errorf("the %d %ss of its groups of equal size cannot be shared out over %d groups", total-single, what, open)
		}
		size = (total - single) / open
	}
	for i := range groups {
		n := size
		switch groups[i].Count {
		case One:
			n = 1
		case ZeroOrOne:
			if n > 1 {
				return op.Errorf("%s group starting at #%d requires 0 or 1 element, but found %d", what, at, n)
			}
		}
		for ; n > 0; n-- {
			if t := typeOf(at); !groups[i].Constraint.Accepts(t) {
				return op.Errorf("%s #%d must be %s, but got '%s'", what, at, groups[i].Constraint, t)
			}
			at++
		}
	}
	return nil
}

func (o *Op) verifyRegions(op *ir.Operation) error {
	for i := range op.NumRegions() {
		region := &o.Regions[min(i, len(o.Regions)-1)]
		if !op.Region(i).HasOneBlock() {
			return op.Errorf("region #%d ('%s') failed to verify constraint: region with 1 blocks", i, region.Name)
		}
	}
	return nil
}

func (o *Op) verifyProperties(op *ir.Operation) error {
	if o.Parents != nil && !o.mayStandIn(op.Parent()) {
		if len(o.Parents) == 1 {
			return op.Errorf("expects parent op '%s'", o.Parents[0])
		}
		return op.Errorf("expects parent op to be one of '%s'", strings.Join(o.Parents, ", "))
	}
	if o.Traits&ir.SameOperandsAndResultType != 0 && !oneType(op) {
		return op.Errorf("requires the same type for all operands and results")
	}
	if o.Properties&InOutSameShape != 0 && !sameShape(op.Operand(0).Type(), op.Result(0).Type()) {
		return op.PlainErrorf("expected input and output with same shape, but got '%s' and '%s'", op.Operand(0).Type(), op.Result(0).Type())
	}
	return nil
}

func (o *Op) mayStandIn(parent *ir.Operation) bool {
	for _, name := range o.Parents {
		if parent != nil && parent.Is(name) {
			return true
		}
	}
	return false
}

func oneType(op *ir.Operation) bool {
	types := append(op.OperandTypes(), op.ResultTypes()...)
	for _, t := range types {
		if t != types[0] {
			return false
		}
	}
	return true
}

// sameShape compares dimension by dimension; an unknown dimension equals only another unknown one.
func sameShape(a, b ir.Type) bool {
	left, ok := a.(*ir.RankedTensorType)
	right, also := b.(*ir.RankedTensorType)
	if !ok || !also {
		return true
	}
	if len(left.Shape) != len(right.Shape) {
		return false
	}
	for i := range left.Shape {
		if left.Shape[i] != right.Shape[i] {
			return false
		}
	}
	return true
}
