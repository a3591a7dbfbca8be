package topopt

// This file holds the two forms that IR is read and written in: text, and MLIR's binary form, which is told by its first bytes.

import (
	"context"
	"io"

	"tpuir/bytecode"
	"tpuir/ir"
	"tpuir/parser"
)

// readInput reads a text or a bytecode file. The module is nil where there are errors.
func readInput(ctx context.Context, o *options, c *ir.Context, source *ir.Source) (*ir.Operation, []*ir.Diagnostic) {
	if !bytecode.IsBytecode(source.Text) {
		reading := parser.Options{NoImplicitModule: o.noImplicitModule}
		if o.serial {
			reading.Workers = 1
		}
		return parser.Parse(ctx, c, source, reading)
	}
	module, err := bytecode.Read(ctx, c, source, bytecode.ReadOptions{NoImplicitModule: o.noImplicitModule})
	return module, ir.Diagnostics(err)
}

// writeBytecode writes --emit-bytecode's output.
func (t *tool) writeBytecode(o *options, module *ir.Operation, out io.Writer) error {
	err := bytecode.Write(out, module, bytecode.Options{Version: int(o.bytecodeVersion)})
	if found := ir.Diagnostics(err); len(found) > 0 && found[0].Op != nil {
		return t.reporter.fail(found...)
	}
	return err
}
