package topopt

// This file holds --irdl-file: the dialects that a text in IRDL defines are registered before an input is read.

import (
	"context"
	"fmt"

	"tpuir/dialect/irdl"
	"tpuir/internal/cli/files"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
)

// newContext returns a context with all dialects, those of --irdl-file included. What is wrong with that file has been
// reported where the error is errReported.
func (t *tool) newContext(ctx context.Context, o *options) (*ir.Context, error) {
	c := registry.NewContext()
	c.AllowUnregisteredDialects = o.allowUnregistered
	if o.irdlFile == "" {
		return c, nil
	}
	if t.irdl == nil {
		text, err := files.ReadInput(o.irdlFile, t.stdin)
		if err != nil {
			return nil, fmt.Errorf("cannot open input file '%s': %w", o.irdlFile, err)
		}
		t.irdl = t.sources.Add(o.irdlFile, text)
	}
	definitions, diagnostics := parser.Parse(ctx, c, t.irdl, parser.Options{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if definitions == nil || hasErrors(diagnostics) {
		return nil, t.reporter.fail(diagnostics...)
	}
	t.reporter.report(diagnostics...)
	if found := o.verify(ctx, definitions); len(found) > 0 {
		return nil, t.reporter.fail(found...)
	}
	if err := irdl.Load(definitions); err != nil {
		return nil, t.reporter.fail(ir.Diagnostics(err)...)
	}
	return c, ctx.Err()
}
