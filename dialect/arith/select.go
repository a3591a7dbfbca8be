package arith

// This file holds arith.select.

import (
	"slices"

	"tpuir/ir"
)

var selectDefinition = &ir.OpDefinition{
	Name:    SelectName,
	Summary: "one of two values, as a condition says",
	Traits:  ir.Pure,
	Verify:  verifySelect,
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
		at := p.Position()
		operands, err := p.OperandList()
		if err != nil {
			return err
		}
		if len(operands) != 3 {
			return p.ErrorAt(at, "expected 3 operands")
		}
		if state.Attributes, err = p.OptionalAttrDict(); err != nil {
			return err
		}
		if err := p.Punctuation(":"); err != nil {
			return err
		}
		condition, result := ir.Type(p.Context().I1()), ir.Type(nil)
		if result, err = p.Type(); err != nil {
			return err
		}
		if p.OptionalPunctuation(",") {
			condition = result
			if result, err = p.Type(); err != nil {
				return err
			}
		}
		state.Types = []ir.Type{result}
		state.Operands, err = p.ResolveAll(operands, []ir.Type{condition, result, result}, at)
		return err
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.Text(" ")
		p.Values(op.Operands())
		p.AttrDict(op.AllAttributes())
		p.Text(" : ")
		if t := op.Operand(0).Type(); t != ir.Type(p.Context().I1()) {
			p.Type(t)
			p.Text(", ")
		}
		p.Type(op.Result(0).Type())
	},
	Fold: foldSelect,
}

func verifySelect(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: 3, Results: 1}); err != nil {
		return err
	}
	condition, t := op.Operand(0).Type(), op.Result(0).Type()
	boolean := ir.Type(op.Context().I1())
	if _, isMemRef := condition.(*ir.MemRefType); isMemRef || ir.ElementTypeOr(condition) != boolean {
		return op.Errorf("operand #0 must be bool-like, but got '%s'", condition)
	}
	if op.Operand(1).Type() != t || op.Operand(2).Type() != t {
		return op.Errorf("failed to verify that all of {true_value, false_value, result} have same type")
	}
	if condition != boolean && !haveSameShape(condition, t) {
		return op.Errorf("failed to verify that condition is signless i1 or has matching shape")
	}
	return nil
}

func haveSameShape(a, b ir.Type) bool {
	one, ok := a.(ir.ShapedType)
	other, both := b.(ir.ShapedType)
	if !ok || !both {
		return false
	}
	shape, ranked := one.Dims()
	otherShape, otherRanked := other.Dims()
	return ranked == otherRanked && slices.Equal(shape, otherShape)
}

// foldSelect knows the value where both are the same, where the condition is known, and where they are the condition.
func foldSelect(op *ir.Operation, operands []ir.Attribute) ([]ir.FoldResult, bool) {
	condition, one, other := op.Operand(0), op.Operand(1), op.Operand(2)
	use := func(v *ir.Value) ([]ir.FoldResult, bool) { return []ir.FoldResult{{Value: v}}, true }
	if one == other {
		return use(one)
	}
	if known, ok := operands[0].(*ir.IntegerAttr); ok {
		if known.Big().Sign() != 0 {
			return use(one)
		}
		return use(other)
	}
	if boolean := op.Context(); one.Type() == ir.Type(boolean.I1()) && operands[1] == ir.Attribute(boolean.Bool(true)) &&
		operands[2] == ir.Attribute(boolean.Bool(false)) {
		return use(condition)
	}
	return nil, false
}
