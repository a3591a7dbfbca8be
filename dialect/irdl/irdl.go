// Package irdl is MLIR's dialect for defining dialects, `irdl.dialect @cmath { … }`, and the loader that makes what such
// text defines known to a context, so that operations, types and attributes of a user's own dialect are verified without
// any Go being written.
package irdl

import (
	"slices"
	"strings"

	"tpuir/ir"
)

// Names of the operations.
const (
	DialectName    = "irdl.dialect"
	TypeName       = "irdl.type"
	AttributeName  = "irdl.attribute"
	OperationName  = "irdl.operation"
	ParametersName = "irdl.parameters"
	OperandsName   = "irdl.operands"
	ResultsName    = "irdl.results"
	AttributesName = "irdl.attributes"
	RegionsName    = "irdl.regions"
	RegionName     = "irdl.region"
	IsName         = "irdl.is"
	BaseName       = "irdl.base"
	ParametricName = "irdl.parametric"
	AnyName        = "irdl.any"
	AnyOfName      = "irdl.any_of"
	AllOfName      = "irdl.all_of"
	CPredName      = "irdl.c_pred"
)

// Names of the inherent attributes.
const (
	symbolKey      = ir.SymbolNameAttribute
	namesKey       = "names"
	variadicityKey = "variadicity"
	valueNamesKey  = "attributeValueNames"
	blocksKey      = "numberOfBlocks"
	constrainedKey = "constrainedArguments"
	expectedKey    = "expected"
	baseRefKey     = "base_ref"
	baseNameKey    = "base_name"
	baseTypeKey    = "base_type"
	predicateKey   = "pred"
)

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

var dialect = &ir.Dialect{
	Namespace:      "irdl",
	Operation:      func(name string) *ir.OpDefinition { return find(operations(), name) },
	OperationNames: func() []string { return names(operations()) },
	Types:          []string{attributeHandle, regionHandle},
	ParseType:      parseHandle,
	ParseAttribute: parseVariadicityAttribute,
}

// operations returns the definitions of all operations.
func operations() []*ir.OpDefinition {
	return slices.Concat(symbolOperations(), listOperations(), constraintOperations())
}

func find(definitions []*ir.OpDefinition, name string) *ir.OpDefinition {
	for _, d := range definitions {
		if d.Name == name {
			return d
		}
	}
	return nil
}

func names(definitions []*ir.OpDefinition) []string {
	all := make([]string, len(definitions))
	for i, d := range definitions {
		all[i] = d.Name
	}
	slices.Sort(all)
	return all
}

// verifyParent checks that the operation stands directly in one of the kind.
func verifyParent(op *ir.Operation, kinds ...string) error {
	parent := op.Parent()
	if parent != nil && slices.Contains(kinds, parent.Name().String()) {
		return nil
	}
	if len(kinds) == 1 {
		return op.Errorf("expects parent op '%s'", kinds[0])
	}
	return op.Errorf("expects parent op to be one of '%s'", strings.Join(kinds, ", "))
}

// verifyName checks the name of something that is defined: lowercase letters, digits, single underscores between.
func verifyName(op *ir.Operation, what, name string) error {
	if name == "" {
		return op.PlainErrorf("name of %s is empty", what)
	}
	underscore := false
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' && !underscore && i > 0:
		case c == '_':
			return op.PlainErrorf("name of %s should not contain leading or double underscores", what)
		case 'A' <= c && c <= 'Z':
			return op.PlainErrorf("name of %s should not contain uppercase letters", what)
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			return op.PlainErrorf("name of %s must contain only lowercase letters, digits and underscores", what)
		}
		underscore = name[i] == '_'
	}
	return nil
}
