package irdl

// This file holds the operations that define something under a name: a dialect and what it consists of.

import (
	"slices"
	"strings"

	"tpuir/ir"
)

func symbolOperations() []*ir.OpDefinition {
	return []*ir.OpDefinition{
		symbolOperation(DialectName, "defines a dialect", ir.IsolatedFromAbove|ir.SymbolTable, verifyDialect, nil),
		symbolOperation(TypeName, "defines a type", ir.NoRegionArguments, verifyMember("type"), []string{ParametersName}),
		symbolOperation(AttributeName, "defines an attribute", ir.NoRegionArguments, verifyMember("attribute"),
			[]string{ParametersName}),
		symbolOperation(OperationName, "defines an operation", ir.NoRegionArguments, verifyMember("operation"),
			[]string{OperandsName, ResultsName, AttributesName, RegionsName}),
	}
}

// symbolOperation defines `name @symbol attributes {…} {…}`. Of the operations named in once, a body holds one at most.
func symbolOperation(name, summary string, traits ir.Traits, verify func(*ir.Operation) error, once []string) *ir.OpDefinition {
	return &ir.OpDefinition{
		Name:           name,
		Summary:        summary,
		Traits:         traits | ir.Symbol | ir.NoTerminator,
		UsesProperties: true,
		Inherent:       []string{symbolKey},
		Attributes: []ir.AttributeConstraint{
			{Name: symbolKey, Required: true, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"}},
		Parse: parseSymbolOperation,
		Print: printSymbolOperation,
		Verify: func(op *ir.Operation) error {
			if err := verifySymbolStructure(op); err != nil {
				return err
			}
			return verify(op)
		},
		VerifyRegions: func(op *ir.Operation) error {
			if err := verifyOnce(op, once); err != nil {
				return err
			}
			return verifyDistinctNames(op)
		},
	}
}

func verifySymbolStructure(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Regions: 1}); err != nil {
		return err
	}
	if err := op.VerifyAttributes(op.Definition().Attributes); err != nil {
		return err
	}
	if !op.Region(0).HasOneBlock() {
		return op.Errorf("region #0 ('body') failed to verify constraint: region with 1 blocks")
	}
	return nil
}

func verifyDialect(op *ir.Operation) error {
	name := ir.SymbolName(op)
	if !ir.IsBareIdentifier(name) || strings.Contains(name, ".") {
		return op.Errorf("invalid dialect name")
	}
	return verifyName(op, "dialect", name)
}

func verifyMember(what string) func(*ir.Operation) error {
	return func(op *ir.Operation) error {
		if err := verifyParent(op, DialectName); err != nil {
			return err
		}
		return verifyName(op, what, ir.SymbolName(op))
	}
}

// verifyOnce checks that no operation of the names stands in the body twice.
func verifyOnce(op *ir.Operation, once []string) error {
	seen := make([]bool, len(once))
	for child := range op.Region(0).First().Operations() {
		i := slices.Index(once, child.Name().String())
		if i < 0 {
			continue
		}
		if seen[i] {
			return op.PlainErrorf("failed to verify AtMostOneChildOf trait: the operation contains at least two operations of type %s",
				once[i])
		}
		seen[i] = true
	}
	return nil
}

// verifyDistinctNames checks that no name stands for two of an operation's operands, results and regions.
func verifyDistinctNames(op *ir.Operation) error {
	kinds := map[string]string{OperandsName: "operands", ResultsName: "results", RegionsName: "regions"}
	first := map[string]string{}
	for child := range op.Region(0).First().Operations() {
		kind, ok := kinds[child.Name().String()]
		if !ok || !op.Is(OperationName) {
			continue
		}
		for _, name := range stringArray(child, namesKey) {
			if other, taken := first[name]; taken {
				return op.Errorf("contains a value named '%s' for both its %s and %s", name, other, kind)
			}
			first[name] = kind
		}
	}
	return nil
}

func parseSymbolOperation(p ir.OpAsmParser, state *ir.OperationState) error {
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	err = ownAttributes(p, state, "attributes", ir.NamedAttribute{Name: symbolKey, Value: p.Context().StringAttr(name)})
	if err != nil {
		return err
	}
	found, err := p.OptionalRegion(nil)
	if err != nil {
		return err
	}
	if !found {
		p.EmptyRegion()
	}
	if p.RegionEmpty() {
		p.EnsureEntryBlock()
	}
	return nil
}

func printSymbolOperation(p ir.OpAsmPrinter, op *ir.Operation) {
	p.Text(" ")
	p.SymbolName(ir.SymbolName(op))
	p.AttrDictWithKeyword(op.Attributes())
	p.Text(" ") // stands before an empty body, too
	if !op.Region(0).First().Empty() {
		p.Region(op.Region(0), true, true)
	}
}

// stringArray returns the strings of an array attribute.
func stringArray(op *ir.Operation, name string) []string {
	array, _ := op.Attr(name).(*ir.ArrayAttr)
	if array == nil {
		return nil
	}
	all := make([]string, 0, len(array.Elements))
	for _, e := range array.Elements {
		if s, ok := e.(*ir.StringAttr); ok {
			all = append(all, s.Value)
		}
	}
	return all
}

func isStringArray(a ir.Attribute) bool {
	array, ok := a.(*ir.ArrayAttr)
	return ok && !slices.ContainsFunc(array.Elements, func(e ir.Attribute) bool { return !ir.IsA[*ir.StringAttr](e) })
}
