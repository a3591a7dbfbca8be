package irfile

// This file tells the two forms that IR is stored in apart: text, and MLIR's binary form.

import (
	"context"

	"tpuir/bytecode"
	"tpuir/ir"
	"tpuir/parser"
)

// Parse reads a text, or bytecode where the content starts as such. The module is nil where there are errors.
func Parse(ctx context.Context, c *ir.Context, source *ir.Source, options parser.Options) (*ir.Operation, []*ir.Diagnostic) {
	if !bytecode.IsBytecode(source.Text) {
		return parser.Parse(ctx, c, source, options)
	}
	module, err := bytecode.Read(ctx, c, source, bytecode.ReadOptions{NoImplicitModule: options.NoImplicitModule, Workers: options.Workers})
	return module, ir.Diagnostics(err)
}
