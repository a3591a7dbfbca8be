package irdl

// This file holds the operation `irdl.region`.

import "tpuir/ir"

// regionDefinition defines `irdl.region(%0, %1) with size 3 {…}`; without brackets the arguments are not constrained.
func regionDefinition() *ir.OpDefinition {
	return &ir.OpDefinition{
		Name: RegionName, Summary: "constrains a region", UsesProperties: true,
		Inherent: []string{blocksKey, constrainedKey},
		Attributes: []ir.AttributeConstraint{
			{Name: constrainedKey, Accepts: ir.IsA[*ir.UnitAttr], Description: "unit attribute"},
			{Name: blocksKey, Description: "32-bit signless integer attribute", Holds: ir.IsA[*ir.IntegerAttr],
				Accepts: func(a ir.Attribute) bool {
					integer, ok := a.(*ir.IntegerAttr)
					return ok && integer.Type == ir.Type(a.Context().I32())
				}},
		},
		Verify: verifyRegion,
		Parse:  parseRegion,
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			if op.Attr(constrainedKey) != nil {
				p.Text("(")
				p.Values(op.Operands())
				p.Text(")")
			}
			if a := op.Attr(blocksKey); a != nil {
				p.Text(" with size ")
				p.AttributeWithoutType(a)
			}
			p.AttrDict(op.Attributes())
		},
	}
}

func verifyRegion(op *ir.Operation) error {
	if err := verifyHandleResult(op, -1, regionHandle); err != nil {
		return err
	}
	if err := verifyParent(op, OperationName); err != nil {
		return err
	}
	if n, ok := op.IntAttribute(blocksKey); ok && n < 1 {
		return op.Errorf("the number of blocks is expected to be >= 1 but got %d", n)
	}
	return nil
}

func parseRegion(p ir.OpAsmParser, state *ir.OperationState) error {
	c := p.Context()
	var properties []ir.NamedAttribute
	if p.OptionalPunctuation("(") {
		if err := parseHandles(p, state, ")"); err != nil {
			return err
		}
		properties = append(properties, ir.NamedAttribute{Name: constrainedKey, Value: c.Unit()})
	}
	if p.OptionalKeyword("with") {
		if !p.OptionalKeyword("size") {
			return p.Errorf("expected 'size'")
		}
		at := p.Position()
		size, err := p.Attribute(c.I32())
		if err != nil {
			return err
		}
		if !ir.IsA[*ir.IntegerAttr](size) {
			return p.ErrorAt(at, "invalid kind of attribute specified")
		}
		properties = append(properties, ir.NamedAttribute{Name: blocksKey, Value: size})
	}
	if err := finishConstraint(p, state, properties...); err != nil {
		return err
	}
	state.Types = []ir.Type{handle(c, regionHandle)}
	return nil
}
