package arith

// This file holds arith.constant.

import "tpuir/ir"

const valueAttribute = "value"

var constantAttributes = []ir.AttributeConstraint{
	{Name: valueAttribute, Required: true, Accepts: ir.IsA[ir.TypedAttribute], Description: "TypedAttr instance"},
}

var constantDefinition = &ir.OpDefinition{
	Name:           ConstantName,
	Summary:        "a number, or a tensor or vector of numbers",
	Traits:         ir.Pure | ir.ConstantLike,
	UsesProperties: true,
	Inherent:       []string{valueAttribute},
	Attributes:     constantAttributes,
	ResultNames:    nameConstant,
	Verify:         verifyConstant,
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
		d, err := p.OwnAttrDict("")
		if err != nil {
			return err
		}
		at := p.Position()
		value, err := p.Attribute(nil)
		if err != nil {
			return err
		}
		typed, ok := value.(ir.TypedAttribute)
		if !ok {
			return p.ErrorAt(at, "invalid kind of attribute specified")
		}
		state.Attributes = d.With(valueAttribute, value)
		state.Types = []ir.Type{typed.AttributeType()}
		return nil
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.AttrDict(op.AllAttributes(), valueAttribute)
		p.Text(" ")
		p.Attribute(op.Attr(valueAttribute))
	},
	Fold: func(op *ir.Operation, _ []ir.Attribute) ([]ir.FoldResult, bool) {
		return []ir.FoldResult{{Attribute: op.Attr(valueAttribute)}}, true
	},
}

// nameConstant calls a truth value by its name, an integer c5_i32, all else cst.
func nameConstant(op *ir.Operation, name func(*ir.Value, string)) {
	value, ok := op.Attr(valueAttribute).(*ir.IntegerAttr)
	if !ok {
		name(op.Result(0), "cst")
		return
	}
	t, isInteger := op.Result(0).Type().(*ir.IntegerType)
	switch {
	case !isInteger:
		name(op.Result(0), "c"+value.Big().String())
	case t.Width == 1 && value.Big().Sign() == 0:
		name(op.Result(0), "false")
	case t.Width == 1:
		name(op.Result(0), "true")
	default:
		name(op.Result(0), "c"+value.Big().String()+"_"+t.String())
	}
}

func verifyConstant(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Results: 1}); err != nil {
		return err
	}
	if err := op.VerifyAttributes(constantAttributes); err != nil {
		return err
	}
	value, t := op.Attr(valueAttribute).(ir.TypedAttribute), op.Result(0).Type()
	if value.AttributeType() != t {
		return op.Errorf("failed to verify that all of {value, result} have same type")
	}
	if integer, ok := t.(*ir.IntegerType); ok && integer.Signedness != ir.Signless {
		return op.Errorf("integer return type must be signless")
	}
	if !isValue(value) {
		return op.Errorf("value must be an integer, float, or elements attribute")
	}
	if vector, ok := t.(*ir.VectorType); ok && vector.Scalable != nil {
		if dense, ok := value.(*ir.DenseElementsAttr); !ok || !dense.Splat {
			return op.Errorf("intializing scalable vectors with elements attribute is not supported unless it's a vector splat")
		}
	}
	return nil
}

// isValue reports whether an attribute is a number or elements.
func isValue(a ir.Attribute) bool {
	switch a.(type) {
	case *ir.IntegerAttr, *ir.FloatAttr, *ir.DenseElementsAttr, *ir.DenseStringElementsAttr, *ir.SparseElementsAttr,
		*ir.DenseResourceElementsAttr:
		return true
	}
	return false
}
