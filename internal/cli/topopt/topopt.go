// Package topopt is the top-opt command: it reads MLIR, runs passes and prints MLIR. The command line is mlir-opt's.
package topopt

// This file holds the command and its run over the parts of an input; transform.go has what is done with a part.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"tpuir/bytecode"
	"tpuir/internal/cli/files"
	"tpuir/internal/expect"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/pass"
	"tpuir/transforms/weightfile"
)

// Main runs the command and returns the exit status: 0, or 1 after an error. Messages go to stderr.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	answer := &files.Checked{Writer: stdout}
	t := &tool{stdin: stdin, stdout: answer, stderr: stderr, passes: registry.Passes(), sources: &ir.Sources{}}
	o, err := t.parseFlags(args)
	if errors.Is(err, errDone) {
		if err = answer.Err; err == nil {
			return 0
		}
	}
	t.reporter = newReporter(t, o)
	if err == nil {
		t.stdout = stdout
		err = t.run(ctx, o)
	}
	switch {
	case err == nil, errors.Is(err, errReported):
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "top-opt: interrupted")
	default:
		t.reporter.tool(err)
	}
	if e := t.reporter.close(); e != nil || err != nil {
		return 1
	}
	return 0
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
	input          *files.Input
	sources        *ir.Sources
	reporter       *reporter
	timing         *pass.Timing
	irdl           *ir.Source // the text of --irdl-file, read when first asked for
	// staged are the weight files of this run, which appear together with the output.
	staged []*weightfile.Staged
}

// standardInput is the path that means standard input and output.
const standardInput = "-"

func (t *tool) run(ctx context.Context, o *options) error {
	input, err := files.Open(o.input, t.stdin)
	if err != nil {
		return fmt.Errorf("cannot open input file '%s': %w", o.input, err)
	}
	defer input.Close()
	defer postponeCollection(len(input.Text))()
	t.input = input
	source := t.source(o, input)
	if o.timing {
		t.timing = pass.NewTiming()
		defer t.reportTiming(o)
	}
	defer func() {
		for _, staged := range t.staged {
			staged.Abort()
		}
	}()
	if o.bisect != "" || o.reduce {
		return t.search(ctx, o, source)
	}
	parts := []*ir.Source{source}
	if o.splitInput && !bytecode.IsBytecode(source.Text) {
		parts = t.split(source, o.splitMarker)
	}
	out := files.NewOutput(o.output, t.stdout)
	defer out.Abort()
	failed, err := t.parts(ctx, o, parts, out)
	if err != nil {
		return err
	}
	if failed { // what went to standard output stays, as with mlir-opt; a file is written whole or not at all
		return errReported
	}
	return t.commit(out)
}

func (t *tool) source(o *options, input *files.Input) *ir.Source {
	name := o.input
	if name == standardInput {
		name = "<stdin>"
	}
	return t.sources.Add(name, input.Text)
}

// parts works on all parts, whatever becomes of one.
func (t *tool) parts(ctx context.Context, o *options, parts []*ir.Source, out io.Writer) (failed bool, err error) {
	for i, part := range parts {
		if i > 0 {
			if _, err := io.WriteString(out, o.outputMarker+"\n"); err != nil {
				return failed, err
			}
		}
		err := t.part(ctx, o, part, out)
		if errors.Is(err, errReported) {
			failed = true
			continue
		}
		if err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// commit puts the output and the weight files in their places.
func (t *tool) commit(out *files.Output) error {
	if t.timing != nil {
		defer t.timing.Phase("Write")()
	}
	return out.Commit(func() error {
		for _, staged := range t.staged {
			if err := staged.Commit(); err != nil {
				return err
			}
		}
		return nil
	})
}

// split cuts a text at its markers and warns of what is nearly one.
func (t *tool) split(source *ir.Source, marker string) []*ir.Source {
	parts, nearMisses := parser.Split(t.sources, source, marker)
	for _, at := range nearMisses {
		t.reporter.report(&ir.Diagnostic{Severity: ir.SeverityWarning, Position: source.Position(at),
			Message: "near miss with file split marker"})
	}
	return parts
}

// part reads, transforms and prints one part of the input. With --verify-diagnostics the outcome is whether the messages
// are those that the text expects.
func (t *tool) part(ctx context.Context, o *options, source *ir.Source, out io.Writer) error {
	if !o.verifyDiagnostics {
		return t.transform(ctx, o, source, out)
	}
	expected, err := expect.Parse(source)
	if err != nil {
		return err
	}
	t.reporter.collect()
	if err := t.transform(ctx, o, source, out); err != nil && !errors.Is(err, errReported) {
		return err
	}
	unexpected, unmet := expect.Compare(expected, t.reporter.collected(), o.onlyExpected, t.reporter.renderer.Line)
	t.reporter.report(unexpected...)
	for _, e := range unmet {
		t.reporter.unmet(e, source)
	}
	if len(unexpected)+len(unmet) > 0 {
		return errReported
	}
	return nil
}

// isTerminal reports whether messages go to a person's screen.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
