// Package tpu is the hardware dialect: quantization, layer groups, memory layout and addresses. Every op is defined in
// tpu.ods; wrappers, structural verifiers and docs/dialects/tpu.md are generated from it. What is checked beyond the
// structure are the rules of dialect/shape that the definition names, or functions in a file named after the family.
package tpu

import (
	"tpuir/dialect/definition"
	"tpuir/ir"
)

//go:generate go run tpuir/internal/odsgen/cmd/odsgen -docs ../../docs/dialects tpu.ods

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect.IR()) }

// Definitions returns the definitions of all ops, sorted by name. They are for reading.
func Definitions() []*definition.Op { return dialect.Ops }
