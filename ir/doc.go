// Package ir is MLIR's operation, region and attribute model, native in Go.
//
// An [Operation] has operands, results, regions, successors, a location and two attribute dictionaries; a [Region]
// is a list of [Block]s; a Block has arguments and a list of operations; a [Value] is an operation's result or a
// block's argument and knows its uses. Types, attributes and locations are immutable and uniqued by their [Context],
// so that equal ones are == and may be used as map keys.
//
// The package knows no dialect: builtin types and attributes are here because every dialect is written in their terms,
// operations are all described by an [OpDefinition] that a [Dialect] brings. Text is read by package parser and written
// by package printer; only the text of types and attributes is here (text.go), since every error message needs it.
//
// A Context is safe for concurrent use. Operations, blocks and regions are not; passes that run in parallel keep to
// operations that are isolated from above, as MLIR's do.
package ir
