// Package arith is what rewrites of branches need of MLIR's dialect of arithmetic: arith.constant and arith.select. The
// dialect's other operations are taken in the generic form, unchecked.
package arith

import "tpuir/ir"

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

// The full names of the operations.
const (
	ConstantName = "arith.constant"
	SelectName   = "arith.select"
)

var dialect = &ir.Dialect{
	Namespace: "arith",
	Operation: func(name string) *ir.OpDefinition {
		switch name {
		case ConstantName:
			return constantDefinition
		case SelectName:
			return selectDefinition
		}
		return nil
	},
	OperationNames:          func() []string { return []string{ConstantName, SelectName} },
	AllowsUnknownOperations: true,
	MaterializeConstant: func(b *ir.Builder, value ir.Attribute, t ir.Type, loc ir.Location) *ir.Operation {
		if typed, ok := value.(ir.TypedAttribute); !ok || typed.AttributeType() != t || !isValue(value) {
			return nil
		}
		return NewConstant(b, loc, value.(ir.TypedAttribute))
	},
}

// NewConstant makes an arith.constant at the builder's place.
func NewConstant(b *ir.Builder, loc ir.Location, value ir.TypedAttribute) *ir.Operation {
	return b.Build(ConstantName, loc, nil, b.Context().Dictionary(ir.NamedAttribute{Name: valueAttribute, Value: value}), value.AttributeType())
}

// NewSelect makes an arith.select at the builder's place: one value where the condition holds, else the other.
func NewSelect(b *ir.Builder, loc ir.Location, condition, one, other *ir.Value) *ir.Operation {
	return b.Build(SelectName, loc, []*ir.Value{condition, one, other}, nil, one.Type())
}
