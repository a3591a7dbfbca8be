// Package topopt is the top-opt command: it reads MLIR, runs passes and prints MLIR. The command line is mlir-opt's.
package topopt

// This file holds the run from input to output; flags.go the command line.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tpuir/internal/cli/files"
	"tpuir/internal/expect"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/pass"
	"tpuir/printer"
	"tpuir/transforms/weightfile"
)

// Main runs the command and returns the exit status: 0, or 1 after an error. Messages go to stderr.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := &tool{stdin: stdin, stdout: stdout, stderr: stderr, passes: registry.Passes()}
	o, err := t.parseFlags(args)
	if errors.Is(err, errDone) {
		return 0
	}
	if err == nil {
		err = t.run(ctx, o)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errReported):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "top-opt: interrupted")
	default:
		fmt.Fprintf(stderr, "top-opt: %v\n", err)
	}
	return 1
}

// errReported says that the error has been shown already; errDone that there is nothing to do, as after --help.
var (
	errReported = errors.New("reported")
	errDone     = errors.New("done")
)

type tool struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	passes         *pass.Registry
	timing         *pass.Timing
	// staged are the weight files of this run, which appear together with the output.
	staged []*weightfile.Staged
}

// splitMarker is where --split-input-file cuts, and what stands between the parts of the output.
const splitMarker = "// -----"

func (t *tool) run(ctx context.Context, o *options) error {
	name := o.input
	text, err := files.ReadInput(o.input, t.stdin)
	if err != nil {
		return fmt.Errorf("cannot open input file '%s': %w", o.input, err)
	}
	if name == "-" {
		name = "<stdin>"
	}
	if o.timing {
		t.timing = pass.NewTiming()
		defer t.timing.Report(t.stderr)
	}
	sources := &ir.Sources{}
	parts := []*ir.Source{sources.Add(name, text)}
	if o.splitInput {
		parts = splitSource(sources, name, text)
	}
	defer func() {
		for _, staged := range t.staged {
			staged.Abort()
		}
	}()
	var out bytes.Buffer
	failed := false
	for i, part := range parts {
		if i > 0 && !o.verifyDiagnostics {
			out.WriteString(splitMarker + "\n")
		}
		err := t.part(ctx, o, sources, part, &out)
		if errors.Is(err, errReported) {
			failed = true
			continue
		}
		if err != nil {
			return err
		}
	}
	if failed {
		return errReported
	}
	if o.verifyDiagnostics {
		return nil
	}
	if t.timing != nil {
		defer t.timing.Phase("Write")()
	}
	return files.WriteTogether(o.output, out.Bytes(), t.stdout, func() error {
		for _, staged := range t.staged {
			if err := staged.Commit(); err != nil {
				return err
			}
		}
		return nil
	})
}

// splitSource cuts a text at the lines that hold nothing but the marker. Lines keep their numbers.
func splitSource(sources *ir.Sources, name string, text []byte) []*ir.Source {
	var parts []*ir.Source
	start, line, startLine := 0, 0, 0
	add := func(end int) {
		part := sources.Add(name, text[start:end])
		part.Line = startLine
		parts = append(parts, part)
	}
	for at := 0; at < len(text); line++ {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		} else {
			end++
		}
		if strings.TrimRight(string(text[at:at+end]), " \t\r\n") == splitMarker {
			add(at)
			start, startLine = at+end, line+1
		}
		at += end
	}
	add(len(text))
	return parts
}

// part reads, transforms and prints one part of the input.
func (t *tool) part(ctx context.Context, o *options, sources *ir.Sources, source *ir.Source, out *bytes.Buffer) error {
	var expected []*expect.Expectation
	if o.verifyDiagnostics {
		var err error
		if expected, err = expect.Parse(source); err != nil {
			return err
		}
	}
	diagnostics, err := t.transform(ctx, o, source, out)
	if err != nil {
		return err
	}
	renderer := &ir.Renderer{Out: t.stderr, Sources: sources, Color: o.color}
	if o.verifyDiagnostics {
		return t.compare(expected, diagnostics, o, source, renderer)
	}
	for _, d := range diagnostics {
		renderer.Write(d)
	}
	if hasErrors(diagnostics) {
		return errReported
	}
	return nil
}

func (t *tool) compare(expected []*expect.Expectation, diagnostics []*ir.Diagnostic, o *options, source *ir.Source, r *ir.Renderer) error {
	reports := expect.Compare(expected, diagnostics, o.onlyExpected, r.Line)
	for _, report := range reports {
		fmt.Fprintf(t.stderr, "%s:%d: error: %s\n", source.Name, report.Line, report.Message)
	}
	if len(reports) > 0 {
		return errReported
	}
	return nil
}

// transform returns what is wrong with the input or came up in a pass; the text goes to out where nothing is.
func (t *tool) transform(ctx context.Context, o *options, source *ir.Source, out *bytes.Buffer) ([]*ir.Diagnostic, error) {
	c := registry.NewContext()
	c.AllowUnregisteredDialects = o.allowUnregistered
	phase := func(name string) func() {
		if t.timing == nil {
			return func() {}
		}
		return t.timing.Phase(name)
	}
	done := phase("Parser")
	module, diagnostics := parser.Parse(ctx, c, source, parser.Options{})
	done()
	if module == nil || hasErrors(diagnostics) {
		return diagnostics, ctx.Err()
	}
	if found := o.verify(ctx, module); len(found) > 0 {
		return append(diagnostics, found...), ctx.Err()
	}
	pipeline, err := o.pipeline(t.passes)
	if err != nil {
		return append(diagnostics, ir.Diagnostics(err)...), nil
	}
	asm := o.printerOptions(module, pipeline)
	surroundPeerPasses(t.passes, pipeline, module)
	if o.dumpPipeline {
		fmt.Fprintf(t.stderr, "Pass Manager with %d passes:\n%s\n\n", pipeline.Len(), pipeline)
	}
	if err := t.runPasses(ctx, o, pipeline, module, asm, &diagnostics); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return append(diagnostics, ir.Diagnostics(err)...), nil
	}
	defer phase("Output")()
	err = printer.Print(out, module, asm)
	out.WriteByte('\n') // mlir-opt ends the printed module with a line of its own
	return diagnostics, err
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

func (t *tool) runPasses(ctx context.Context, o *options, p *pass.Pipeline, module *ir.Operation, asm printer.Options, diagnostics *[]*ir.Diagnostic) error {
	if p.Empty() {
		return nil
	}
	manager := &pass.Manager{Pipeline: p, Verify: o.verifyEach, Serial: o.serial, Warn: func(d *ir.Diagnostic) {
		*diagnostics = append(*diagnostics, d)
	}}
	manager.Session = pass.NewSession()
	if t.timing != nil {
		manager.Instruments = append(manager.Instruments, t.timing)
	}
	if o.printing() {
		manager.Serial = true
		manager.Instruments = append(manager.Instruments, &pass.IRPrinter{Out: t.stderr, Print: func(w io.Writer, op *ir.Operation) error {
			return printer.Print(w, op, asm)
		}, Before: o.printBefore, After: o.printAfter, BeforeAll: o.printBeforeAll, AfterAll: o.printAfterAll,
			OnlyChange: o.printAfterChange, OnlyFailure: o.printAfterFailure, ModuleScope: o.printModuleScope})
	}
	registry.Configure(manager.Session, registry.Files{Input: o.input, Output: o.output})
	err := manager.Run(ctx, module)
	if err == nil && !o.verifyDiagnostics {
		var staged *weightfile.Staged
		if staged, err = weightfile.Of(manager.Session).Stage(ctx); err == nil {
			t.staged = append(t.staged, staged)
		}
	}
	return errors.Join(err, manager.Session.Close())
}

// hasWeightFile reports whether the module, or one directly inside it, names a weight file: whether it is a model.
func hasWeightFile(module *ir.Operation) bool {
	if module.Attr("module.weight_file") != nil {
		return true
	}
	for nested := range module.Region(0).First().Operations() {
		if nested.Attr("module.weight_file") != nil {
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
	if !o.debugInfoGiven {
		asm.DebugInfo = hasWeightFile(module) &&
			slices.ContainsFunc(p.Definitions(), func(d *pass.Definition) bool { return d.Peer || d.Model })
	}
	return asm
}

// standardInput is the path that means standard input and output.
const standardInput = "-"

// isTerminal reports whether messages go to a person's screen.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
