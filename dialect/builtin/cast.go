package builtin

// This file holds `unrealized_conversion_cast`, which stands between code of two type systems until both agree.

import "tpuir/ir"

// CastName is the full name of the operation.
const CastName = "builtin.unrealized_conversion_cast"

// NewCast makes a cast of values to types at the builder's place.
func NewCast(b *ir.Builder, loc ir.Location, values []*ir.Value, types ...ir.Type) *ir.Operation {
	return b.Build(CastName, loc, values, nil, types...)
}

var castDefinition = &ir.OpDefinition{
	Name:    CastName,
	Summary: "takes values of some types for values of others",
	Traits:  ir.Pure,
	Verify: func(op *ir.Operation) error {
		if err := op.VerifyStructure(ir.Structure{Operands: ir.Any, Results: ir.Any}); err != nil {
			return err
		}
		if op.NumResults() == 0 {
			return op.Errorf("expected at least one result for cast operation")
		}
		return nil
	},
	Parse: parseCast,
	Print: printCast,
	Fold:  foldCast,
}

func parseCast(p ir.OpAsmParser, state *ir.OperationState) error {
	at := p.Position()
	operands, err := p.OperandList()
	if err != nil {
		return err
	}
	var types []ir.Type
	if len(operands) > 0 {
		if err := p.Punctuation(":"); err != nil {
			return err
		}
		if types, err = ir.ParseTypes(p); err != nil {
			return err
		}
	}
	if !p.OptionalKeyword("to") {
		return p.Errorf("expected 'to'")
	}
	if state.Types, err = ir.ParseTypes(p); err != nil {
		return err
	}
	if state.Attributes, err = p.OptionalAttrDict(); err != nil {
		return err
	}
	state.Operands, err = p.ResolveAll(operands, types, at)
	return err
}

func printCast(p ir.OpAsmPrinter, op *ir.Operation) {
	if op.NumOperands() > 0 {
		p.Text(" ")
		p.Values(op.Operands())
		p.Text(" : ")
		p.Types(op.OperandTypes())
	}
	p.Text(" to ")
	p.Types(op.ResultTypes())
	p.AttrDict(op.Attributes())
}

// foldCast drops a cast to the types that the values have, and one that undoes the cast before it.
func foldCast(op *ir.Operation, _ []ir.Attribute) ([]ir.FoldResult, bool) {
	values := op.Operands()
	if !typesEqual(values, op.Results()) {
		if len(values) == 0 {
			return nil, false
		}
		source := values[0].DefiningOp()
		if source == nil || !source.Is(CastName) || source.NumResults() != len(values) {
			return nil, false
		}
		for i, v := range values {
			if v != source.Result(i) {
				return nil, false
			}
		}
		values = source.Operands()
		if !typesEqual(values, op.Results()) {
			return nil, false
		}
	}
	results := make([]ir.FoldResult, len(values))
	for i, v := range values {
		results[i].Value = v
	}
	return results, true
}

func typesEqual(a, b []*ir.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type() != b[i].Type() {
			return false
		}
	}
	return true
}
