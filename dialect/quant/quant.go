// Package quant is the dialect of quantized element types, `!quant.uniform<i8:f32, 0.1:3>` and its kin, and of the casts
// between them and the types that they stand for.
package quant

import "tpuir/ir"

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

var dialect = &ir.Dialect{
	Namespace: "quant",
	Types:     []string{"any", "calibrated", "uniform"},
	ParseType: parseType,
	Operation: func(name string) *ir.OpDefinition {
		for _, d := range casts {
			if d.Name == name {
				return d
			}
		}
		return nil
	},
	OperationNames: func() []string {
		names := make([]string, len(casts))
		for i, d := range casts {
			names[i] = d.Name
		}
		return names
	},
}
