// Package top is the graph dialect: what a model means, nothing of a framework and nothing of a chip. Every op is defined
// in top.ods; wrappers, structural verifiers and docs/dialects/top.md are generated from it. What is checked beyond the
// structure are the rules of dialect/shape that the definition names, or functions in a file named after the family.
package top

import (
	"tpuir/dialect/definition"
	"tpuir/ir"
)

//go:generate go run tpuir/internal/odsgen/cmd/odsgen -docs ../../docs/dialects top.ods

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect.IR()) }

// Definitions returns the definitions of all ops, sorted by name. They are for reading.
func Definitions() []*definition.Op { return dialect.Ops }
