package irdl

// This file holds the operations that list the constraints of a definition: parameters, operands, results, attributes
// and regions.

import (
	"slices"

	"tpuir/ir"
)

// listKind is what tells the lists of named constraints apart.
type listKind struct {
	name, summary string
	// one and many say in errors what is listed.
	one, many string
	handle    string
	parents   []string
	// variadic lists say how often each element stands.
	variadic bool
}

var listKinds = []*listKind{
	{ParametersName, "lists the parameters of a type or attribute", "parameter", "parameters", attributeHandle,
		[]string{AttributeName, TypeName}, false},
	{OperandsName, "lists the operands of an operation", "operand", "operands", attributeHandle, []string{OperationName}, true},
	{ResultsName, "lists the results of an operation", "result", "results", attributeHandle, []string{OperationName}, true},
	{RegionsName, "lists the regions of an operation", "region", "regions", regionHandle, []string{OperationName}, false},
}

func listOperations() []*ir.OpDefinition {
	all := []*ir.OpDefinition{attributesDefinition()}
	for _, kind := range listKinds {
		all = append(all, kind.definition())
	}
	return all
}

// definition defines `name(a: %0, b: optional %1) {…}`.
func (k *listKind) definition() *ir.OpDefinition {
	inherent := []string{namesKey}
	if k.variadic {
		inherent = append(inherent, variadicityKey)
	}
	return &ir.OpDefinition{Name: k.name, Summary: k.summary, UsesProperties: true, Inherent: inherent,
		Attributes: k.attributes(), Verify: k.verify, Parse: k.parse, Print: k.print}
}

func (k *listKind) attributes() []ir.AttributeConstraint {
	attributes := []ir.AttributeConstraint{stringArrayNamed(namesKey)}
	if k.variadic {
		attributes = append(attributes, ir.AttributeConstraint{Name: variadicityKey, Required: true,
			Accepts: ir.IsA[*VariadicityArrayAttr]})
	}
	return attributes
}

// stringArrayNamed demands an array of strings. The property can hold any array.
func stringArrayNamed(name string) ir.AttributeConstraint {
	return ir.AttributeConstraint{Name: name, Required: true, Accepts: isStringArray, Description: "string array attribute",
		Holds: ir.IsA[*ir.ArrayAttr]}
}

func (k *listKind) verify(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: -1}); err != nil {
		return err
	}
	if err := op.VerifyAttributes(op.Definition().Attributes); err != nil {
		return err
	}
	if err := verifyHandles(op, k.handle); err != nil {
		return err
	}
	if err := verifyParent(op, k.parents...); err != nil {
		return err
	}
	return k.verifyNames(op)
}

func (k *listKind) verifyNames(op *ir.Operation) error {
	names := stringArray(op, namesKey)
	if len(names) != op.NumOperands() {
		return op.Errorf("the number of %s and their names must be the same, but got %d and %d respectively",
			k.many, op.NumOperands(), len(names))
	}
	first := map[string]int{}
	for i, name := range names {
		if j, taken := first[name]; taken {
			return op.Errorf("name of %s #%d is a duplicate of the name of %s #%d", k.one, i, k.one, j)
		}
		first[name] = i
		if err := verifyName(op, k.one+" #"+itoa(i), name); err != nil {
			return err
		}
	}
	if array, ok := op.Attr(variadicityKey).(*VariadicityArrayAttr); k.variadic && ok && len(array.Values) != op.NumOperands() {
		return op.Errorf("the number of %s and their variadicities must be the same, but got %d and %d respectively",
			k.many, op.NumOperands(), len(array.Values))
	}
	return nil
}

func (k *listKind) parse(p ir.OpAsmParser, state *ir.OperationState) error {
	c := p.Context()
	if err := p.Punctuation("("); err != nil {
		return err
	}
	var names []ir.Attribute
	var operands []ir.UnresolvedOperand
	var variadicities []Variadicity
	err := p.CommaList(")", func() error {
		name, err := p.Keyword()
		if err != nil {
			return err
		}
		if err := p.Punctuation(":"); err != nil {
			return err
		}
		variadicity := Single
		for v, word := range variadicityNames {
			if k.variadic && p.OptionalKeyword(word) {
				variadicity = Variadicity(v)
				break
			}
		}
		operand, err := p.Operand()
		names, operands = append(names, c.StringAttr(name)), append(operands, operand)
		variadicities = append(variadicities, variadicity)
		return err
	})
	if err != nil {
		return err
	}
	properties := []ir.NamedAttribute{{Name: namesKey, Value: c.Array(names...)}}
	if k.variadic {
		properties = append(properties, ir.NamedAttribute{Name: variadicityKey, Value: variadicityArray(c, variadicities)})
	}
	if err := ownAttributes(p, state, "", properties...); err != nil {
		return err
	}
	return resolve(p, state, operands, k.handle)
}

func (k *listKind) print(p ir.OpAsmPrinter, op *ir.Operation) {
	names := stringArray(op, namesKey)
	array, _ := op.Attr(variadicityKey).(*VariadicityArrayAttr)
	p.Text("(")
	for i := range min(op.NumOperands(), len(names)) {
		if i > 0 {
			p.Text(", ")
		}
		p.Text(names[i] + ": ")
		if array != nil && i < len(array.Values) && array.Values[i] != Single {
			p.Text(array.Values[i].String() + " ")
		}
		p.Value(op.Operand(i))
	}
	p.Text(")")
	p.AttrDict(op.Attributes())
}

// attributesDefinition defines `irdl.attributes {"a" = %0} {…}`.
func attributesDefinition() *ir.OpDefinition {
	return &ir.OpDefinition{
		Name:           AttributesName,
		Summary:        "lists the attributes of an operation",
		UsesProperties: true,
		Inherent:       []string{valueNamesKey},
		Attributes:     []ir.AttributeConstraint{stringArrayNamed(valueNamesKey)},
		Verify:         verifyAttributes,
		Parse:          parseAttributes,
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			p.Text(" ")
			names := stringArray(op, valueNamesKey)
			names = names[:min(len(names), op.NumOperands())]
			for i, name := range names {
				if i == 0 {
					p.Text("{")
				} else {
					p.Text(", ")
				}
				p.Attribute(op.Context().StringAttr(name))
				p.Text(" = ")
				p.Value(op.Operand(i))
			}
			if len(names) > 0 {
				p.Text("}")
			}
			p.AttrDict(op.Attributes())
		},
	}
}

func verifyAttributes(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: -1}); err != nil {
		return err
	}
	if err := op.VerifyAttributes(op.Definition().Attributes); err != nil {
		return err
	}
	if err := verifyHandles(op, attributeHandle); err != nil {
		return err
	}
	if err := verifyParent(op, OperationName); err != nil {
		return err
	}
	if n := len(stringArray(op, valueNamesKey)); n != op.NumOperands() {
		return op.Errorf("the number of attribute names and their constraints must be the same but got %d and %d respectively",
			n, op.NumOperands())
	}
	return nil
}

func parseAttributes(p ir.OpAsmParser, state *ir.OperationState) error {
	var names []ir.Attribute
	var operands []ir.UnresolvedOperand
	for more := p.OptionalPunctuation("{"); more; {
		name, err := p.Attribute(nil)
		if err != nil {
			return err
		}
		if err := p.Punctuation("="); err != nil {
			return err
		}
		operand, err := p.Operand()
		if err != nil {
			return err
		}
		names, operands = append(names, name), append(operands, operand)
		if more = p.OptionalPunctuation(","); !more {
			if err := p.Punctuation("}"); err != nil {
				return err
			}
		}
	}
	err := ownAttributes(p, state, "", ir.NamedAttribute{Name: valueNamesKey, Value: p.Context().Array(names...)})
	if err != nil {
		return err
	}
	return resolve(p, state, operands, attributeHandle)
}

// resolve finds the values behind the names of operands, all of one kind of handle.
func resolve(p ir.OpAsmParser, state *ir.OperationState, operands []ir.UnresolvedOperand, kind string) error {
	t := handle(p.Context(), kind)
	for _, o := range operands {
		v, err := p.Resolve(o, t)
		if err != nil {
			return err
		}
		state.Operands = append(state.Operands, v)
	}
	return nil
}

// verifyHandles checks the types of all operands.
func verifyHandles(op *ir.Operation, kind string) error {
	t := handle(op.Context(), kind)
	if i := slices.IndexFunc(op.OperandTypes(), func(o ir.Type) bool { return o != ir.Type(t) }); i >= 0 {
		return op.Errorf("operand #%d must be variadic of %s, but got '%s'", i, t.description(), op.Operand(i).Type())
	}
	return nil
}
