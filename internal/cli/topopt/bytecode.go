package topopt

// This file holds the two forms that IR is read and written in: text, and MLIR's binary form, which is told by its first bytes.

import (
	"context"
	"io"

	"tpuir/bytecode"
	"tpuir/internal/cli/irfile"
	"tpuir/ir"
	"tpuir/parser"
)

// readInput reads a text or a bytecode file. The module is nil where there are errors.
func readInput(ctx context.Context, o *options, c *ir.Context, source *ir.Source) (*ir.Operation, []*ir.Diagnostic) {
	reading := parser.Options{NoImplicitModule: o.noImplicitModule}
	if o.serial {
		reading.Workers = 1
	}
	return irfile.Parse(ctx, c, source, reading)
}

// writeBytecode writes --emit-bytecode's output.
func (t *tool) writeBytecode(o *options, module *ir.Operation, out io.Writer) error {
	err := bytecode.Write(out, module, bytecode.Options{Version: int(o.bytecodeVersion)})
	if found := ir.Diagnostics(err); len(found) > 0 && found[0].Op != nil {
		return t.reporter.fail(found...)
	}
	return err
}
