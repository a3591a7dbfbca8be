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
	if o.irdlFile != "" {
		if err := t.loadDialects(ctx, o, c); err != nil {
			return nil, err
		}
	}
	c.AllowUnregisteredDialects = o.allowUnregistered // for the input, not for the definitions
	return c, nil
}

func (t *tool) loadDialects(ctx context.Context, o *options, c *ir.Context) error {
	if t.irdl == nil {
		text, err := files.ReadInput(o.irdlFile, t.stdin)
		if err != nil {
			return fmt.Errorf("cannot open input file '%s': %w", o.irdlFile, err)
		}
		t.irdl = t.sources.Add(o.irdlFile, text)
	}
	definitions, diagnostics := parser.Parse(ctx, c, t.irdl, parser.Options{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if definitions == nil || hasErrors(diagnostics) {
		return t.reporter.fail(diagnostics...)
	}
	t.reporter.report(diagnostics...)
	if found := o.verify(ctx, definitions); len(found) > 0 {
		return t.reporter.fail(found...)
	}
	if err := irdl.Load(definitions); err != nil {
		return t.reporter.fail(ir.Diagnostics(err)...)
	}
	return ctx.Err()
}
