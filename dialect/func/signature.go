package funcdialect

// This file reads and writes func.func's custom form.

import (
	"slices"

	"tpuir/ir"
)

func parseFunc(p ir.OpAsmParser, state *ir.OperationState) error {
	c, start := p.Context(), state.Position
	var entries []ir.NamedAttribute
	set := func(name string, value ir.Attribute) {
		entries = append(entries, ir.NamedAttribute{Name: name, Value: value})
	}
	for _, visibility := range []string{publicVisibility, "private", "nested"} {
		if p.OptionalKeyword(visibility) {
			set(ir.SymbolVisibilityAttribute, c.StringAttr(visibility))
			break
		}
	}
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	set(ir.SymbolNameAttribute, c.StringAttr(name))
	arguments, err := parseArguments(p)
	if err != nil {
		return err
	}
	results, err := parseResults(p)
	if err != nil {
		return err
	}
	set(typeAttribute, c.TypeAttr(c.FunctionType(argumentTypes(arguments), argumentTypes(results))))
	if a := attributeArray(c, arguments); a != nil {
		set(argumentAttributes, a)
	}
	if a := attributeArray(c, results); a != nil {
		set(resultAttributes, a)
	}
	written, err := parseFuncAttributes(p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.ContainsFunc(written, func(w ir.NamedAttribute) bool { return w.Name == e.Name }) {
			return p.ErrorAt(start, "attribute '%s' occurs more than once in the attribute list", e.Name)
		}
	}
	state.Attributes = c.Dictionary(append(entries, written...)...)
	return parseBody(p, arguments)
}

// parseFuncAttributes reads `attributes {…}`.
func parseFuncAttributes(p ir.OpAsmParser) ([]ir.NamedAttribute, error) {
	at := p.Position()
	d, err := p.AttrDictWithKeyword()
	if err != nil || d == nil {
		return nil, err
	}
	for _, name := range []string{ir.SymbolVisibilityAttribute, ir.SymbolNameAttribute, typeAttribute} {
		if d.Get(name) != nil {
			return nil, p.ErrorAt(at, "'%s' is an inferred attribute and should not be specified in the explicit attribute "+
				"dictionary", name)
		}
	}
	return d.Entries, nil
}

func parseBody(p ir.OpAsmParser, arguments []ir.ParsedArgument) error {
	if len(arguments) > 0 && arguments[0].Operand.Name == "" {
		arguments = nil
	}
	at := p.Position()
	found, err := p.OptionalRegion(arguments)
	if err != nil {
		return err
	}
	if !found {
		p.EmptyRegion()
	} else if p.RegionEmpty() {
		return p.ErrorAt(at, "expected non-empty function body")
	}
	return nil
}

// parseArguments reads `(%a: T {…} loc(…), …)`, or types without names.
func parseArguments(p ir.OpAsmParser) ([]ir.ParsedArgument, error) {
	if err := p.Punctuation("("); err != nil {
		return nil, err
	}
	var arguments []ir.ParsedArgument
	err := p.CommaList(")", func() error {
		at := p.Position()
		argument, named, err := p.OptionalArgument(true, true)
		if err != nil {
			return err
		}
		if len(arguments) > 0 {
			if before := arguments[len(arguments)-1].Operand.Name != ""; before != named {
				if named {
					return p.ErrorAt(at, "expected type instead of SSA identifier")
				}
				return p.ErrorAt(at, "expected SSA identifier")
			}
		}
		if !named {
			if argument, err = parseTypeWithAttributes(p); err != nil {
				return err
			}
			if _, _, err = p.OptionalLoc(); err != nil {
				return err
			}
		}
		arguments = append(arguments, argument)
		return nil
	})
	return arguments, err
}

func parseTypeWithAttributes(p ir.OpAsmParser) (a ir.ParsedArgument, err error) {
	if a.Type, err = p.Type(); err != nil {
		return a, err
	}
	a.Attributes, err = p.OptionalAttrDict()
	return a, err
}

// parseResults reads `-> T` or `-> (T {…}, …)`, or nothing.
func parseResults(p ir.OpAsmParser) ([]ir.ParsedArgument, error) {
	if !p.OptionalPunctuation("->") {
		return nil, nil
	}
	if !p.OptionalPunctuation("(") {
		t, err := p.Type()
		return []ir.ParsedArgument{{Type: t}}, err
	}
	var results []ir.ParsedArgument
	err := p.CommaList(")", func() error {
		result, err := parseTypeWithAttributes(p)
		results = append(results, result)
		return err
	})
	return results, err
}

func argumentTypes(arguments []ir.ParsedArgument) []ir.Type {
	types := make([]ir.Type, len(arguments))
	for i := range arguments {
		types[i] = arguments[i].Type
	}
	return types
}

// attributeArray returns the dictionaries of arguments or results, nil where all are empty.
func attributeArray(c *ir.Context, arguments []ir.ParsedArgument) ir.Attribute {
	dictionaries := make([]ir.Attribute, len(arguments))
	found := false
	for i := range arguments {
		d := arguments[i].Attributes
		if d == nil {
			d = c.Dictionary()
		}
		found = found || len(d.Entries) > 0
		dictionaries[i] = d
	}
	if !found {
		return nil
	}
	return c.Array(dictionaries...)
}

func printFunc(p ir.OpAsmPrinter, op *ir.Operation) {
	f := Func{op}
	p.Text(" ")
	if visibility, ok := op.StringAttribute(ir.SymbolVisibilityAttribute); ok {
		p.Text(visibility)
		p.Text(" ")
	}
	p.SymbolName(f.Name())
	f.printArguments(p)
	f.printResults(p)
	p.AttrDictWithKeyword(op.AllAttributes(), ir.SymbolNameAttribute, ir.SymbolVisibilityAttribute, typeAttribute,
		argumentAttributes, resultAttributes)
	if !f.IsDeclaration() {
		p.Text(" ")
		p.Region(op.Region(0), false, true)
	}
}

// valueAttributes returns the dictionary of the i-th argument or result, nil where there is none.
func (f Func) valueAttributes(name string, i int) *ir.DictionaryAttr {
	array, ok := f.Attr(name).(*ir.ArrayAttr)
	if !ok || i >= len(array.Elements) {
		return nil
	}
	d, _ := array.Elements[i].(*ir.DictionaryAttr)
	return d
}

func (f Func) printArguments(p ir.OpAsmPrinter) {
	p.Text("(")
	for i, t := range f.Type().Inputs {
		if i > 0 {
			p.Text(", ")
		}
		d := f.valueAttributes(argumentAttributes, i)
		if !f.IsDeclaration() {
			p.Argument(f.Entry().Argument(i), d, false)
			continue
		}
		p.Type(t)
		if d != nil {
			p.AttrDict(d)
		}
	}
	p.Text(")")
}

func (f Func) printResults(p ir.OpAsmPrinter) {
	results := f.Type().Results
	if len(results) == 0 {
		return
	}
	p.Text(" -> ")
	_, isFunction := results[0].(*ir.FunctionType)
	d := f.valueAttributes(resultAttributes, 0)
	if len(results) == 1 && !isFunction && (d == nil || len(d.Entries) == 0) {
		p.Type(results[0])
		return
	}
	p.Text("(")
	for i, t := range results {
		if i > 0 {
			p.Text(", ")
		}
		p.Type(t)
		if d := f.valueAttributes(resultAttributes, i); d != nil {
			p.AttrDict(d)
		}
	}
	p.Text(")")
}
