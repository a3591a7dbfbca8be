// Package tpurun is the tpu-run command: it runs a model from a checkpoint or from IR in any state, and writes text; or it
// evaluates one net on given inputs.
package tpurun

// This file holds the run from the command line to the exit status.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tpuir/internal/cli/files"
	"tpuir/internal/cli/irfile"
	"tpuir/ir"
	"tpuir/pass"
)

const toolName = "tpu-run"

// errDone says that there is nothing to do, as after --help.
var errDone = errors.New("done")

// Main runs the command and returns the exit status: 0, or 1 after an error. Text and ids go to stdout, what is done
// meanwhile to stderr.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	answer := &files.Checked{Writer: stdout}
	t := &tool{stdin: stdin, stdout: answer, stderr: stderr, session: pass.NewSession()}
	err := t.parse(args)
	switch {
	case errors.Is(err, errDone):
		err = answer.Err
	case err == nil:
		t.stdout = stdout
		err = t.run(ctx)
	}
	if closeErr := t.session.Close(); err == nil {
		err = closeErr
	}
	return irfile.Report(irfile.Located(err, t.sources), toolName, stderr)
}

// tool is a run of the command.
type tool struct {
	options
	stdin          io.Reader
	stdout, stderr io.Writer
	session        *pass.Session
	modelFile      string      // the .mlir file that the model was read from, "" for others
	sources        *ir.Sources // the text that errors may have places in, nil where there is none
	closers        []func() error
}

func (t *tool) run(ctx context.Context) (err error) {
	defer func() {
		for _, closer := range t.closers {
			if closeErr := closer(); err == nil {
				err = closeErr
			}
		}
	}()
	m, err := t.open(ctx)
	if err != nil {
		return err
	}
	if t.inputsFile != "" {
		return t.evaluate(ctx, m)
	}
	return t.generate(ctx, m)
}

// step writes the line of one step on standard error.
func (t *tool) step(name string, started time.Time, format string, args ...any) {
	if !t.quiet {
		fmt.Fprintf(t.stderr, "%-10s  %s, %.3f s\n", name, fmt.Sprintf(format, args...), time.Since(started).Seconds())
	}
}
