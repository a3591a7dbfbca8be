package topopt

// This file holds what is done with one part of an input: it is read, verified, transformed and printed.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	moduledialect "tpuir/dialect/module"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
	"tpuir/transforms/weightfile"
)

func (t *tool) phase(name string) (done func()) {
	if t.timing == nil {
		return func() {}
	}
	return t.timing.Phase(name)
}

// transform writes to out what a part has become. What is wrong with the input or came up in a pass has been reported
// where the error is errReported.
func (t *tool) transform(ctx context.Context, o *options, source *ir.Source, out io.Writer) error {
	own := *o // what a reproducer in the part sets holds for the part
	o = &own
	module, err := t.parse(ctx, o, source)
	if err != nil {
		return err
	}
	if o.verifyRoundTrip {
		if d := t.roundTrip(ctx, o, module); d != nil {
			return t.reporter.fail(d)
		}
	}
	pipeline, err := t.pipelineFor(o, module)
	if err != nil {
		return t.reporter.fail(ir.Diagnostics(err)...)
	}
	asm := o.printerOptions(module, pipeline)
	if o.reproducer != "" {
		if err := writeReproducer(o, o.reproducer, module, pipeline.String(), asm); err != nil {
			return err
		}
	}
	if err := t.runPasses(ctx, o, pipeline, module, asm); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return t.reporter.fail(ir.Diagnostics(err)...)
	}
	defer t.phase("Output")()
	if o.emitBytecode {
		return t.writeBytecode(o, module, out)
	}
	asm.AssumeVerified = asm.AssumeVerified || o.verifyEach || pipeline.Empty() // it has just been verified
	if err := printer.Print(out, module, asm); err != nil {
		return err
	}
	_, err = io.WriteString(out, "\n") // mlir-opt ends the printed module with a line of its own
	return err
}

// parse reads and verifies a part.
func (t *tool) parse(ctx context.Context, o *options, source *ir.Source) (*ir.Operation, error) {
	c, err := t.newContext(ctx, o)
	if err != nil {
		return nil, err
	}
	done := t.phase("Parser")
	module, diagnostics := readInput(ctx, o, c, source)
	done()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if module == nil || hasErrors(diagnostics) {
		return nil, t.reporter.fail(diagnostics...)
	}
	t.reporter.report(diagnostics...)
	releaseText(t.input)
	if found := o.verify(ctx, module); len(found) > 0 {
		return nil, t.reporter.fail(found...)
	}
	return module, ctx.Err()
}

// pipelineFor makes the pipeline of a run: that of a reproducer first, then the passes of the command line.
func (t *tool) pipelineFor(o *options, module *ir.Operation) (*pass.Pipeline, error) {
	pipeline, err := o.pipeline(t.passes)
	if err != nil {
		return nil, err
	}
	if o.runReproducer {
		if pipeline, err = t.reproduced(o, module, pipeline); err != nil {
			return nil, err
		}
	}
	if !o.pipelineGiven && pipeline.Anchor == moduleAnchor && !module.Is(moduleAnchor) {
		pipeline.Anchor = pass.Any // the passes of flags run on whatever the input is
	}
	surroundPeerPasses(t.passes, pipeline, module)
	if o.dumpPipeline {
		fmt.Fprintf(t.stderr, "Pass Manager with %d passes:\n%s\n\n", pipeline.Len(), pipeline.Pretty())
	}
	return pipeline, nil
}

// verify checks what was read.
func (o *options) verify(ctx context.Context, module *ir.Operation) []*ir.Diagnostic {
	if o.serial {
		return ir.VerifySerially(ctx, module)
	}
	return ir.Verify(ctx, module)
}

func hasErrors(diagnostics []*ir.Diagnostic) bool {
	return slices.ContainsFunc(diagnostics, func(d *ir.Diagnostic) bool { return d.Severity == ir.SeverityError })
}

func (t *tool) runPasses(ctx context.Context, o *options, p *pass.Pipeline, module *ir.Operation, asm printer.Options) error {
	if p.Empty() {
		return nil
	}
	manager := &pass.Manager{Pipeline: p, Verify: o.verifyEach, Serial: o.serial, Session: pass.NewSession(), Print: t.stderr,
		Warn: func(d *ir.Diagnostic) { t.reporter.report(d) }}
	manager.Failed = t.reporter.early
	crash := t.watch(o, manager, module, asm)
	registry.Configure(manager.Session, registry.Files{Input: o.input, Output: o.output})
	registry.SetPrinting(manager.Session, asm)
	err := t.checked(ctx, o, manager, module)
	if o.statistics {
		t.reportStatistics(o, manager.Statistics)
	}
	if err == nil && !o.verifyDiagnostics {
		var staged *weightfile.Staged
		if staged, err = weightfile.Of(manager.Session).Stage(ctx); err == nil {
			t.staged = append(t.staged, staged)
		}
	}
	if crash != nil {
		if failure := crash.Failure(); failure != nil {
			err = errors.Join(err, failure)
		}
	}
	return errors.Join(err, manager.Session.Close())
}

// checked runs the passes, with their numbers verified where that is asked for.
func (t *tool) checked(ctx context.Context, o *options, m *pass.Manager, module *ir.Operation) error {
	if o.numerics == "" {
		return m.Run(ctx, module)
	}
	closeInputs, err := t.verifyNumerics(ctx, o, m, module)
	if err != nil {
		return err
	}
	return errors.Join(m.Run(ctx, module), closeInputs())
}

// hasWeightFile reports whether the module, or one directly inside it, names a weight file: whether it is a model.
func hasWeightFile(module *ir.Operation) bool {
	if module.Attr(moduledialect.WeightFile) != nil {
		return true
	}
	if !module.Is(moduleAnchor) {
		return false
	}
	for nested := range module.Region(0).First().Operations() {
		if nested.Attr(moduledialect.WeightFile) != nil {
			return true
		}
	}
	return false
}

// surroundPeerPasses puts TPU-MLIR's implicit passes around its passes, as its own driver does.
func surroundPeerPasses(r *pass.Registry, p *pass.Pipeline, module *ir.Operation) {
	definitions := p.Definitions()
	if !slices.ContainsFunc(definitions, func(d *pass.Definition) bool { return d.Peer }) || !hasWeightFile(module) {
		return
	}
	first, last := r.Lookup("init"), r.Lookup("deinit")
	if first != nil && last != nil && !slices.Contains(definitions, first) && !slices.Contains(definitions, last) {
		p.Surround(first, last)
	}
}

// printerOptions decides about locations: a model's passes keep them, since they are the names of its tensors.
func (o *options) printerOptions(module *ir.Operation, p *pass.Pipeline) printer.Options {
	asm := o.asm
	asm.Serial = o.serial
	if !o.debugInfoGiven {
		asm.DebugInfo = hasWeightFile(module) &&
			slices.ContainsFunc(p.Definitions(), func(d *pass.Definition) bool { return d.Peer || d.Model })
	}
	return asm
}
