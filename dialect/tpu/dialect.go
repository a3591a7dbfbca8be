// Package tpu is the hardware dialect: quantization, layer groups, memory layout and addresses. Every op is defined in
// tpu.ods; wrappers, structural verifiers and docs/dialects/tpu.md are generated from it. What an op does beyond its
// structure stands in a file named after its family (matmul.go, attention.go, …).
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
