package printer

// This file gives the names of values to those who write them elsewhere, as in graphs.

import "tpuir/ir"

// Names knows what the values in an operation are called when it prints.
type Names struct{ names *names }

// NewNames names the values around and in an operation.
func NewNames(op *ir.Operation) *Names {
	options := &Options{}
	return &Names{nameValues(numberingRoot(op, false), options)}
}

// Value returns `%name`, with `#number` for a result of several.
func (n *Names) Value(v *ir.Value) string { return string(n.names.appendValue(nil, v, true)) }
