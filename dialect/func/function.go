package funcdialect

// This file holds func.func: what it is made of and what is checked. Its text is in signature.go.

import (
	"strings"

	"tpuir/ir"
)

// The names of the inherent attributes of func.func.
const (
	typeAttribute      = "function_type"
	argumentAttributes = "arg_attrs"
	resultAttributes   = "res_attrs"
	noInlineAttribute  = "no_inline"
	calleeAttribute    = "callee"
	constantAttribute  = "value"
	publicVisibility   = "public"
)

// Func is a func.func operation.
type Func struct{ *ir.Operation }

// NewFunc makes a function in no block and without a body. It is public.
func NewFunc(c *ir.Context, loc ir.Location, name string, t *ir.FunctionType) Func {
	return Func{ir.NewOperation(&ir.OperationState{Name: c.OperationName(FuncName), Loc: loc, Regions: 1, Attributes: c.Dictionary(
		ir.NamedAttribute{Name: ir.SymbolNameAttribute, Value: c.StringAttr(name)},
		ir.NamedAttribute{Name: typeAttribute, Value: c.TypeAttr(t)},
	)})}
}

// AsFunc returns the operation as a function, if it is one.
func AsFunc(op *ir.Operation) (Func, bool) {
	if op == nil || !op.Is(FuncName) {
		return Func{}, false
	}
	return Func{op}, true
}

// Name returns the function's name.
func (f Func) Name() string { return ir.SymbolName(f.Operation) }

// SetName changes the function's name; calls keep the old one.
func (f Func) SetName(name string) {
	f.SetAttr(ir.SymbolNameAttribute, f.Context().StringAttr(name))
}

// Type returns the function's type, nil where the operation has none, which does not verify.
func (f Func) Type() *ir.FunctionType {
	attribute, ok := f.Attr(typeAttribute).(*ir.TypeAttr)
	if !ok {
		return nil
	}
	t, _ := attribute.Value.(*ir.FunctionType)
	return t
}

// SetType changes the function's type, not that of the entry block's arguments.
func (f Func) SetType(t *ir.FunctionType) { f.SetAttr(typeAttribute, f.Context().TypeAttr(t)) }

// IsDeclaration reports whether the function has no body.
func (f Func) IsDeclaration() bool { return f.Region(0).Empty() }

// Entry returns the first block of the body, nil for a declaration.
func (f Func) Entry() *ir.Block { return f.Region(0).First() }

// Args returns the arguments of the entry block.
func (f Func) Args() []*ir.Value {
	if f.IsDeclaration() {
		return nil
	}
	return f.Entry().Arguments()
}

// AddEntryBlock makes the first block of the body, with arguments of the function's type at unknown locations.
func (f Func) AddEntryBlock() *ir.Block {
	b := &ir.Block{}
	for _, t := range f.Type().Inputs {
		b.AddArgument(t, f.Context().UnknownLoc())
	}
	f.Region(0).InsertBefore(b, f.Region(0).First())
	return b
}

// Return returns the first func.return of the body, nil where there is none.
func (f Func) Return() *ir.Operation {
	for b := range f.Region(0).Blocks() {
		if last := b.Last(); last != nil && last.Is(ReturnName) {
			return last
		}
	}
	return nil
}

var funcDefinition = &ir.OpDefinition{
	Name:    FuncName,
	Summary: "a function",
	Traits:  ir.IsolatedFromAbove | ir.Symbol | ir.AffineScope | ir.Callable,
	Inherent: []string{ir.SymbolNameAttribute, typeAttribute, ir.SymbolVisibilityAttribute, argumentAttributes, resultAttributes,
		noInlineAttribute},
	UsesProperties: true,
	DefaultDialect: "func",
	Attributes:     funcConstraints,
	Verify: func(op *ir.Operation) error {
		if err := op.VerifyStructure(ir.Structure{Regions: 1}); err != nil {
			return err
		}
		return op.VerifyAttributes(funcConstraints)
	},
	VerifyInterfaces: verifyFunc,
	Parse:            parseFunc,
	Print:            printFunc,
}

var funcConstraints = []ir.AttributeConstraint{
	dictionaryArray(argumentAttributes),
	{Name: typeAttribute, Required: true, Accepts: isFunctionType, Description: "type attribute of function type",
		Holds: ir.IsA[*ir.TypeAttr]},
	{Name: noInlineAttribute, Accepts: ir.IsA[*ir.UnitAttr], Description: "unit attribute"},
	dictionaryArray(resultAttributes),
	{Name: ir.SymbolNameAttribute, Required: true, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"},
	{Name: ir.SymbolVisibilityAttribute, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"},
}

// dictionaryArray is the constraint of an attribute that has a dictionary for each argument or result.
func dictionaryArray(name string) ir.AttributeConstraint {
	return ir.AttributeConstraint{Name: name, Accepts: isDictionaryArray, Description: "Array of dictionary attributes",
		Holds: ir.IsA[*ir.ArrayAttr]}
}

func isFunctionType(a ir.Attribute) bool {
	t, ok := a.(*ir.TypeAttr)
	if !ok {
		return false
	}
	_, ok = t.Value.(*ir.FunctionType)
	return ok
}

func isDictionaryArray(a ir.Attribute) bool {
	array, ok := a.(*ir.ArrayAttr)
	if !ok {
		return false
	}
	for _, e := range array.Elements {
		if !ir.IsA[*ir.DictionaryAttr](e) {
			return false
		}
	}
	return true
}

func verifyFunc(op *ir.Operation) error {
	f := Func{op}
	if err := verifyValueAttributes(op, argumentAttributes, "argument", len(f.Type().Inputs)); err != nil {
		return err
	}
	if err := verifyValueAttributes(op, resultAttributes, "result", len(f.Type().Results)); err != nil {
		return err
	}
	return f.verifyEntry()
}

// verifyValueAttributes checks the dictionaries of the arguments or of the results.
func verifyValueAttributes(op *ir.Operation, name, kind string, want int) error {
	array, ok := op.Attr(name).(*ir.ArrayAttr)
	if !ok {
		return nil
	}
	if len(array.Elements) != want {
		return op.Errorf("expects %s attribute array to have the same number of elements as the number of function %ss, "+
			"got %d, but expected %d", kind, kind, len(array.Elements), want)
	}
	for _, d := range array.Elements {
		for _, e := range d.(*ir.DictionaryAttr).Entries {
			if !strings.Contains(e.Name, ".") {
				return op.Errorf("%ss may only have dialect attributes", kind)
			}
		}
	}
	return nil
}

func (f Func) verifyEntry() error {
	if f.IsDeclaration() {
		return nil
	}
	inputs := f.Type().Inputs
	arguments := f.Entry().Arguments()
	if len(arguments) != len(inputs) {
		return f.Errorf("entry block must have %d arguments to match function signature", len(inputs))
	}
	for i, t := range inputs {
		if arguments[i].Type() != t {
			return f.Errorf("type of entry block argument #%d('%s') must match the type of the corresponding argument in "+
				"function signature('%s')", i, arguments[i].Type(), t)
		}
	}
	return nil
}
