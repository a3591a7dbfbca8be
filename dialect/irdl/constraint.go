package irdl

// This file holds the operations that make constraints: on attributes and types, and on regions.

import (
	"strconv"

	"tpuir/ir"
)

func itoa(i int) string { return strconv.Itoa(i) }

func constraintOperations() []*ir.OpDefinition {
	return []*ir.OpDefinition{
		{
			Name: IsName, Summary: "accepts one attribute or type", Traits: ir.Pure, UsesProperties: true,
			Inherent: []string{expectedKey},
			Attributes: []ir.AttributeConstraint{{Name: expectedKey, Required: true,
				Accepts: func(ir.Attribute) bool { return true }, Description: "any attribute"}},
			Verify: verifyConstraint(0),
			Parse:  parseIs,
			Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
				p.Text(" ")
				p.Attribute(op.Attr(expectedKey))
				p.Text(" ")
				p.AttrDict(op.Attributes())
			},
		},
		baseDefinition(),
		parametricDefinition(),
		{
			Name: AnyName, Summary: "accepts every attribute and type",
			Verify: verifyConstraint(0),
			Parse: func(p ir.OpAsmParser, state *ir.OperationState) (err error) {
				return finishConstraint(p, state)
			},
			Print: func(p ir.OpAsmPrinter, op *ir.Operation) { p.AttrDict(op.Attributes()) },
		},
		combination(AnyOfName, "accepts what one of its constraints accepts"),
		combination(AllOfName, "accepts what all of its constraints accept"),
		{
			Name: CPredName, Summary: "accepts what a C++ predicate accepts, which is not asked", UsesProperties: true,
			Inherent: []string{predicateKey},
			Attributes: []ir.AttributeConstraint{
				{Name: predicateKey, Required: true, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"}},
			Verify: func(op *ir.Operation) error { return verifyHandleResult(op, 0, attributeHandle) },
			Parse:  parseCPred,
			Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
				p.Text(" ")
				p.AttributeWithoutType(op.Attr(predicateKey))
				p.Text(" ")
				p.AttrDict(op.Attributes())
			},
		},
		regionDefinition(),
	}
}

// verifyConstraint checks an operation with a handle as its result. A negative number of operands stands for any.
func verifyConstraint(operands int) func(*ir.Operation) error {
	return func(op *ir.Operation) error {
		if err := verifyHandleResult(op, operands, attributeHandle); err != nil {
			return err
		}
		return verifyParent(op, TypeName, AttributeName, OperationName)
	}
}

func verifyHandleResult(op *ir.Operation, operands int, kind string) error {
	if err := op.VerifyStructure(ir.Structure{Operands: operands, Results: 1}); err != nil {
		return err
	}
	if err := op.VerifyAttributes(op.Definition().Attributes); err != nil {
		return err
	}
	if err := verifyHandles(op, attributeHandle); err != nil {
		return err
	}
	if t := handle(op.Context(), kind); op.Result(0).Type() != ir.Type(t) {
		return op.Errorf("result #0 must be %s, but got '%s'", t.description(), op.Result(0).Type())
	}
	return nil
}

// finishConstraint reads the attributes at the end and sets the result's type.
func finishConstraint(p ir.OpAsmParser, state *ir.OperationState, properties ...ir.NamedAttribute) (err error) {
	state.Types = []ir.Type{handle(p.Context(), attributeHandle)}
	return ownAttributes(p, state, "", properties...)
}

// ownAttributes reads the operation's attributes, which go before the properties that its form has given.
func ownAttributes(p ir.OpAsmParser, state *ir.OperationState, keyword string, properties ...ir.NamedAttribute) (err error) {
	if state.Attributes, err = p.OwnAttrDict(keyword); err != nil {
		return err
	}
	for _, e := range properties {
		state.Attributes = state.Attributes.WithDefault(e.Name, e.Value)
	}
	return nil
}

func parseIs(p ir.OpAsmParser, state *ir.OperationState) error {
	expected, err := p.Attribute(nil)
	if err != nil {
		return err
	}
	return finishConstraint(p, state, ir.NamedAttribute{Name: expectedKey, Value: expected})
}

func parseCPred(p ir.OpAsmParser, state *ir.OperationState) error {
	at := p.Position()
	predicate, err := p.Attribute(p.Context().NoneType())
	if err != nil {
		return err
	}
	if !ir.IsA[*ir.StringAttr](predicate) {
		return p.ErrorAt(at, "invalid kind of attribute specified")
	}
	return finishConstraint(p, state, ir.NamedAttribute{Name: predicateKey, Value: predicate})
}

// combination defines `name(%0, %1) {…}`.
func combination(name, summary string) *ir.OpDefinition {
	return &ir.OpDefinition{
		Name: name, Summary: summary,
		Verify: func(op *ir.Operation) error {
			if err := verifyHandleResult(op, -1, attributeHandle); err != nil {
				return err
			}
			if err := verifyParent(op, TypeName, AttributeName, OperationName); err != nil {
				return err
			}
			if op.NumOperands() == 0 {
				return op.Errorf("expected 1 or more operands, but found 0")
			}
			return nil
		},
		Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
			if err := p.Punctuation("("); err != nil {
				return err
			}
			if err := parseHandles(p, state, ")"); err != nil {
				return err
			}
			return finishConstraint(p, state)
		},
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			p.Text("(")
			p.Values(op.Operands())
			p.Text(") ")
			p.AttrDict(op.Attributes())
		},
	}
}

// parseHandles reads operands up to the closing bracket.
func parseHandles(p ir.OpAsmParser, state *ir.OperationState, closing string) error {
	operands, err := p.OperandList()
	if err != nil {
		return err
	}
	if err := p.Punctuation(closing); err != nil {
		return err
	}
	return resolve(p, state, operands, attributeHandle)
}

// parametricDefinition defines `irdl.parametric @d::@t<%0> {…}`.
func parametricDefinition() *ir.OpDefinition {
	return &ir.OpDefinition{
		Name: ParametricName, Summary: "accepts a type or attribute whose parameters its constraints accept", Traits: ir.Pure,
		UsesProperties: true, Inherent: []string{baseTypeKey},
		Attributes: []ir.AttributeConstraint{{Name: baseTypeKey, Required: true,
			Accepts: ir.IsA[*ir.SymbolRefAttr], Description: "symbol reference attribute"}},
		Verify:           verifyConstraint(-1),
		VerifySymbolUses: verifyReference(baseTypeKey),
		Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
			at := p.Position()
			base, err := p.Attribute(nil)
			if err != nil {
				return err
			}
			if !ir.IsA[*ir.SymbolRefAttr](base) {
				return p.ErrorAt(at, "invalid kind of attribute specified")
			}
			if err := p.Punctuation("<"); err != nil {
				return err
			}
			if err := parseHandles(p, state, ">"); err != nil {
				return err
			}
			return finishConstraint(p, state, ir.NamedAttribute{Name: baseTypeKey, Value: base})
		},
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			p.Text(" ")
			p.Attribute(op.Attr(baseTypeKey))
			p.Text("<")
			p.Values(op.Operands())
			p.Text("> ")
			p.AttrDict(op.Attributes())
		},
	}
}

// verifyReference checks that the symbol in an attribute, where it is there, is a type or attribute definition.
func verifyReference(key string) func(*ir.Operation, *ir.SymbolTables) error {
	return func(op *ir.Operation, tables *ir.SymbolTables) error {
		ref, ok := op.Attr(key).(*ir.SymbolRefAttr)
		if !ok {
			return nil
		}
		switch found := lookup(op, tables, ref); {
		case found == nil:
			return op.Errorf("symbol '%s' not found", ref)
		case !found.Is(TypeName) && !found.Is(AttributeName):
			return op.Errorf("symbol '%s' does not refer to a type or attribute definition (refers to '%s')", ref, found.Name())
		}
		return nil
	}
}

// lookup finds a symbol as seen from beside the dialect that the operation is in.
func lookup(op *ir.Operation, tables *ir.SymbolTables, ref *ir.SymbolRefAttr) *ir.Operation {
	for op != nil && !op.Is(DialectName) {
		op = op.Parent()
	}
	if op == nil || op.Parent() == nil {
		return nil
	}
	return tables.Resolve(op.Parent(), ref)
}
