// Package cf is the dialect of branches between the blocks of a region: cf.br, cf.cond_br, cf.switch, and cf.assert.
package cf

import "tpuir/ir"

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

// The full names of the operations.
const (
	AssertName     = "cf.assert"
	BranchName     = "cf.br"
	CondBranchName = "cf.cond_br"
	SwitchName     = "cf.switch"
)

var dialect = &ir.Dialect{
	Namespace: "cf",
	Operation: func(name string) *ir.OpDefinition {
		switch name {
		case AssertName:
			return assertDefinition
		case BranchName:
			return branchDefinition
		case CondBranchName:
			return condBranchDefinition
		case SwitchName:
			return switchDefinition
		}
		return nil
	},
	OperationNames: func() []string { return []string{AssertName, BranchName, CondBranchName, SwitchName} },
}

const messageAttribute = "msg"

var assertAttributes = []ir.AttributeConstraint{
	{Name: messageAttribute, Required: true, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"},
}

var assertDefinition = &ir.OpDefinition{
	Name:           AssertName,
	Summary:        "ends the program with a message where a condition does not hold",
	UsesProperties: true,
	Inherent:       []string{messageAttribute},
	Attributes:     assertAttributes,
	Verify: func(op *ir.Operation) error {
		if err := op.VerifyStructure(ir.Structure{Operands: 1}); err != nil {
			return err
		}
		if err := op.VerifyAttributes(assertAttributes); err != nil {
			return err
		}
		return verifyCondition(op)
	},
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
		condition, err := p.Operand()
		if err != nil {
			return err
		}
		if err := p.Punctuation(","); err != nil {
			return err
		}
		at := p.Position()
		message, err := p.Attribute(p.Context().NoneType())
		if err != nil {
			return err
		}
		if !ir.IsA[*ir.StringAttr](message) {
			return p.ErrorAt(at, "invalid kind of attribute specified")
		}
		d, err := p.OwnAttrDict("")
		if err != nil {
			return err
		}
		state.Attributes = d.WithDefault(messageAttribute, message)
		value, err := p.Resolve(condition, p.Context().I1())
		state.Operands = []*ir.Value{value}
		return err
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.Text(" ")
		p.Value(op.Operand(0))
		p.Text(", ")
		p.AttributeWithoutType(op.Attr(messageAttribute))
		p.AttrDict(op.AllAttributes(), messageAttribute)
	},
}

func verifyCondition(op *ir.Operation) error {
	if t := op.Operand(0).Type(); t != ir.Type(op.Context().I1()) {
		return op.Errorf("operand #0 must be 1-bit signless integer, but got '%s'", t)
	}
	return nil
}
