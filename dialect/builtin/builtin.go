// Package builtin is the dialect of what every file has: modules, and casts between types that nobody has lowered yet.
package builtin

import "tpuir/ir"

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

var dialect = &ir.Dialect{
	Namespace: "builtin",
	Operation: func(name string) *ir.OpDefinition {
		switch name {
		case ModuleName:
			return moduleDefinition
		case CastName:
			return castDefinition
		}
		return nil
	},
	OperationNames: func() []string { return []string{ModuleName, CastName} },
}
