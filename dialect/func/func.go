// Package funcdialect is the dialect of functions: func.func, func.return, func.call, func.constant, func.call_indirect.
package funcdialect

import "tpuir/ir"

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

// The full names of the operations.
const (
	FuncName         = "func.func"
	ReturnName       = "func.return"
	CallName         = "func.call"
	ConstantName     = "func.constant"
	CallIndirectName = "func.call_indirect"
)

// definitions is sorted by name.
var definitions = []*ir.OpDefinition{callDefinition, callIndirectDefinition, constantDefinition, funcDefinition, returnDefinition}

var dialect = &ir.Dialect{
	Namespace: "func",
	Operation: func(name string) *ir.OpDefinition {
		for _, d := range definitions {
			if d.Name == name {
				return d
			}
		}
		return nil
	},
	OperationNames: func() []string {
		names := make([]string, len(definitions))
		for i, d := range definitions {
			names[i] = d.Name
		}
		return names
	},
	MaterializeConstant: func(b *ir.Builder, value ir.Attribute, t ir.Type, loc ir.Location) *ir.Operation {
		callee, ok := value.(*ir.SymbolRefAttr)
		if _, isFunction := t.(*ir.FunctionType); !ok || !isFunction {
			return nil
		}
		return b.Build(ConstantName, loc, nil, b.Context().Dictionary(ir.NamedAttribute{Name: "value", Value: callee}), t)
	},
}
