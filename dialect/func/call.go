package funcdialect

// This file holds the operations that leave and enter functions.

import "tpuir/ir"

// NewReturn makes a func.return at the builder's place.
func NewReturn(b *ir.Builder, loc ir.Location, values []*ir.Value) *ir.Operation {
	return b.Build(ReturnName, loc, values, nil)
}

// NewCall makes a func.call at the builder's place; the results have the types of the callee's.
func NewCall(b *ir.Builder, loc ir.Location, callee Func, values []*ir.Value) *ir.Operation {
	return NewCallOf(b, loc, b.Context().SymbolRef(callee.Name()), values, callee.Type().Results...)
}

// NewCallOf makes a func.call of the function with a name at the builder's place.
func NewCallOf(b *ir.Builder, loc ir.Location, callee *ir.SymbolRefAttr, values []*ir.Value, results ...ir.Type) *ir.Operation {
	attributes := b.Context().Dictionary(ir.NamedAttribute{Name: calleeAttribute, Value: callee})
	return b.Build(CallName, loc, values, attributes, results...)
}

// CalleeReference returns the reference that a func.call has to what it calls, nil for any other operation.
func CalleeReference(call *ir.Operation) *ir.SymbolRefAttr {
	if !call.Is(CallName) {
		return nil
	}
	ref, _ := call.Attr(calleeAttribute).(*ir.SymbolRefAttr)
	return ref
}

// Callee returns the function that a func.call calls, nil where there is none.
func Callee(call *ir.Operation, tables *ir.SymbolTables) (Func, bool) {
	ref := CalleeReference(call)
	if ref == nil {
		return Func{}, false
	}
	return AsFunc(tables.Resolve(call, ref))
}

var returnDefinition = &ir.OpDefinition{
	Name:    ReturnName,
	Summary: "ends a function and gives its results",
	Traits:  ir.Terminator | ir.Pure | ir.ReturnLike,
	Verify:  verifyReturn,
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) (err error) {
		if state.Attributes, err = p.OptionalAttrDict(); err != nil {
			return err
		}
		at := p.Position()
		operands, err := p.OperandList()
		if err != nil || len(operands) == 0 {
			return err
		}
		if err := p.Punctuation(":"); err != nil {
			return err
		}
		types, err := ir.ParseTypes(p)
		if err != nil {
			return err
		}
		state.Operands, err = p.ResolveAll(operands, types, at)
		return err
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.AttrDict(op.Attributes())
		if op.NumOperands() > 0 {
			p.Text(" ")
			p.Values(op.Operands())
			p.Text(" : ")
			p.Types(op.OperandTypes())
		}
	},
}

func verifyReturn(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: -1}); err != nil {
		return err
	}
	f, ok := AsFunc(op.Parent())
	if !ok {
		return op.Errorf("expects parent op 'func.func'")
	}
	t := f.Type()
	if t == nil {
		return nil // the function itself does not verify
	}
	if op.NumOperands() != len(t.Results) {
		return op.Errorf("has %d operands, but enclosing function (@%s) returns %d", op.NumOperands(), f.Name(), len(t.Results))
	}
	for i, want := range t.Results {
		if got := op.Operand(i).Type(); got != want {
			return op.PlainErrorf("type of return operand %d ('%s') doesn't match function result type ('%s') in function @%s",
				i, got, want, f.Name())
		}
	}
	return nil
}

var callDefinition = &ir.OpDefinition{
	Name:             CallName,
	Summary:          "calls a function by name",
	Traits:           ir.Call,
	UsesProperties:   true,
	Inherent:         []string{calleeAttribute, noInlineAttribute, argumentAttributes, resultAttributes},
	Attributes:       callConstraints,
	Verify:           verifyCall,
	VerifySymbolUses: verifyCallee,
	Parse:            parseCall,
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.Text(" ")
		p.AttributeWithoutType(op.Attr(calleeAttribute))
		p.Text("(")
		p.Values(op.Operands())
		p.Text(")")
		p.AttrDict(op.AllAttributes(), calleeAttribute)
		p.Text(" : ")
		printFunctional(p, op.OperandTypes(), op.ResultTypes())
	},
}

var callConstraints = []ir.AttributeConstraint{
	dictionaryArray(argumentAttributes),
	{Name: calleeAttribute, Required: true, Accepts: isFlatSymbol, Description: "flat symbol reference attribute"},
	{Name: noInlineAttribute, Accepts: ir.IsA[*ir.UnitAttr], Description: "unit attribute"},
	dictionaryArray(resultAttributes),
}

func isFlatSymbol(a ir.Attribute) bool {
	ref, ok := a.(*ir.SymbolRefAttr)
	return ok && len(ref.Nested) == 0
}

func verifyCall(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: -1, Results: -1}); err != nil {
		return err
	}
	return op.VerifyAttributes(callConstraints)
}

func verifyCallee(op *ir.Operation, tables *ir.SymbolTables) error {
	f, ok := Callee(op, tables)
	if !ok || f.Type() == nil {
		return op.Errorf("'%s' does not reference a valid function", op.Attr(calleeAttribute).(*ir.SymbolRefAttr).Root)
	}
	t := f.Type()
	if len(t.Inputs) != op.NumOperands() {
		return op.Errorf("incorrect number of operands for callee")
	}
	for i, want := range t.Inputs {
		if got := op.Operand(i).Type(); got != want {
			return op.Errorf("operand type mismatch: expected operand type '%s', but provided '%s' for operand number %d", want, got, i)
		}
	}
	if len(t.Results) != op.NumResults() {
		return op.Errorf("incorrect number of results for callee")
	}
	for i, want := range t.Results {
		if got := op.Result(i).Type(); got != want {
			return op.Errorf("result type mismatch at index %d", i).
				Note(op.Loc(), "      op result types: %s", quotedTypes(op.ResultTypes())).
				Note(op.Loc(), "function result types: %s", quotedTypes(t.Results))
		}
	}
	return nil
}

func quotedTypes(types []ir.Type) string {
	text := ""
	for i, t := range types {
		if i > 0 {
			text += ", "
		}
		text += "'" + t.String() + "'"
	}
	return text
}

func parseCall(p ir.OpAsmParser, state *ir.OperationState) error {
	callee, err := parseCallee(p)
	if err != nil {
		return err
	}
	operands, at, d, err := parseCallOperands(p)
	if err != nil {
		return err
	}
	state.Attributes = d.WithDefault(calleeAttribute, callee)
	t, err := parseFunctionType(p)
	if err != nil {
		return err
	}
	state.Types = t.Results
	state.Operands, err = p.ResolveAll(operands, t.Inputs, at)
	return err
}

// parseCallee reads any attribute, so that what stands in place of a name, an alias say, is named for what it is.
func parseCallee(p ir.OpAsmParser) (ir.Attribute, error) {
	at := p.Position()
	callee, err := p.Attribute(p.Context().NoneType())
	if err == nil && !isFlatSymbol(callee) {
		err = p.ErrorAt(at, "invalid kind of attribute specified")
	}
	return callee, err
}

// parseCallOperands reads `(%a, %b) {…} :`.
func parseCallOperands(p ir.OpAsmParser) (operands []ir.UnresolvedOperand, at ir.Position, d *ir.DictionaryAttr, err error) {
	if err = p.Punctuation("("); err != nil {
		return nil, at, nil, err
	}
	at = p.Position()
	if operands, err = p.OperandList(); err != nil {
		return nil, at, nil, err
	}
	if err = p.Punctuation(")"); err != nil {
		return nil, at, nil, err
	}
	if d, err = p.OwnAttrDict(""); err != nil {
		return nil, at, nil, err
	}
	return operands, at, d, p.Punctuation(":")
}

func parseFunctionType(p ir.OpAsmParser) (*ir.FunctionType, error) {
	at := p.Position()
	t, err := p.Type()
	if err != nil {
		return nil, err
	}
	if f, ok := t.(*ir.FunctionType); ok {
		return f, nil
	}
	return nil, p.ErrorAt(at, "invalid kind of type specified: expected builtin.function, but found '%s'", t)
}

func printFunctional(p ir.OpAsmPrinter, inputs, results []ir.Type) {
	p.Text("(")
	p.Types(inputs)
	p.Text(") -> ")
	if len(results) == 1 {
		if _, isFunction := results[0].(*ir.FunctionType); !isFunction {
			p.Type(results[0])
			return
		}
	}
	p.Text("(")
	p.Types(results)
	p.Text(")")
}
