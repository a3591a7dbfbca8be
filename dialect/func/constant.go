package funcdialect

// This file holds functions as values.

import "tpuir/ir"

var constantConstraints = []ir.AttributeConstraint{
	{Name: constantAttribute, Required: true, Accepts: isFlatSymbol, Description: "flat symbol reference attribute"},
}

var constantDefinition = &ir.OpDefinition{
	Name:           ConstantName,
	Summary:        "a function as a value",
	Traits:         ir.Pure | ir.ConstantLike,
	UsesProperties: true,
	Inherent:       []string{constantAttribute},
	Attributes:     constantConstraints,
	ResultNames:    func(op *ir.Operation, name func(*ir.Value, string)) { name(op.Result(0), "f") },
	Verify: func(op *ir.Operation) error {
		if err := op.VerifyStructure(ir.Structure{Results: 1}); err != nil {
			return err
		}
		return op.VerifyAttributes(constantConstraints)
	},
	VerifySymbolUses: func(op *ir.Operation, tables *ir.SymbolTables) error {
		ref := op.Attr(constantAttribute).(*ir.SymbolRefAttr)
		f, ok := AsFunc(tables.Resolve(op, ref))
		if !ok {
			return op.Errorf("reference to undefined function '%s'", ref.Root)
		}
		if op.Result(0).Type() != ir.Type(f.Type()) {
			return op.Errorf("reference to function with mismatched type")
		}
		return nil
	},
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
		d, err := p.OwnAttrDict("")
		if err != nil {
			return err
		}
		callee, err := parseCallee(p)
		if err != nil {
			return err
		}
		state.Attributes = d.WithDefault(constantAttribute, callee)
		if err := p.Punctuation(":"); err != nil {
			return err
		}
		t, err := p.Type()
		state.Types = []ir.Type{t}
		return err
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.AttrDict(op.AllAttributes(), constantAttribute)
		p.Text(" ")
		p.AttributeWithoutType(op.Attr(constantAttribute))
		p.Text(" : ")
		p.Type(op.Result(0).Type())
	},
	Fold: func(op *ir.Operation, _ []ir.Attribute) ([]ir.FoldResult, bool) {
		return []ir.FoldResult{{Attribute: op.Attr(constantAttribute)}}, true
	},
}

var callIndirectDefinition = &ir.OpDefinition{
	Name:           CallIndirectName,
	Summary:        "calls a function that is a value",
	UsesProperties: true,
	Inherent:       []string{argumentAttributes, resultAttributes},
	Attributes:     []ir.AttributeConstraint{dictionaryArray(argumentAttributes), dictionaryArray(resultAttributes)},
	Verify:         verifyCallIndirect,
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
		callee, err := p.Operand()
		if err != nil {
			return err
		}
		operands, at, d, err := parseCallOperands(p)
		if err != nil {
			return err
		}
		state.Attributes = d
		t, err := parseFunctionType(p)
		if err != nil {
			return err
		}
		state.Types = t.Results
		function, err := p.Resolve(callee, t)
		if err != nil {
			return err
		}
		values, err := p.ResolveAll(operands, t.Inputs, at)
		state.Operands = append([]*ir.Value{function}, values...)
		return err
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.Text(" ")
		p.Value(op.Operand(0))
		p.Text("(")
		p.Values(op.Operands()[1:])
		p.Text(")")
		p.AttrDict(op.AllAttributes())
		p.Text(" : ")
		p.Type(op.Operand(0).Type())
	},
}

func verifyCallIndirect(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: -1, Results: -1}); err != nil {
		return err
	}
	if op.NumOperands() == 0 {
		return op.Errorf("expected 1 or more operands, but found 0")
	}
	t, ok := op.Operand(0).Type().(*ir.FunctionType)
	if !ok {
		return op.Errorf("operand #0 must be function type, but got '%s'", op.Operand(0).Type())
	}
	if !sameTypes(t.Inputs, op.OperandTypes()[1:]) {
		return op.Errorf("failed to verify that callee input types match argument types")
	}
	if !sameTypes(t.Results, op.ResultTypes()) {
		return op.Errorf("failed to verify that callee result types match result types")
	}
	return nil
}

func sameTypes(a, b []ir.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
