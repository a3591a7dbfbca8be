package topopt

// This file holds the search for mistakes, --bisect and --reduce: bisect.go finds the pass, package reduce the smallest input.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"tpuir/internal/cli/files"
	"tpuir/internal/cli/progress"
	"tpuir/internal/reduce"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
)

// search runs --bisect or --reduce, and writes the reproducer to the output.
func (t *tool) search(ctx context.Context, o *options, source *ir.Source) error {
	module, err := t.parse(ctx, o, source)
	if err != nil {
		return err
	}
	pipeline, err := t.pipelineFor(o, module)
	if err != nil {
		return t.reporter.fail(ir.Diagnostics(err)...)
	}
	folder, err := os.MkdirTemp("", "top-opt")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s := &searcher{tool: t, options: o, asm: o.printerOptions(module, pipeline), file: filepath.Join(folder, "candidate.mlir")}
	if o.bisect != "" {
		s.command, s.acceptsBefore = o.bisect, true
		module, pipeline, err = s.bisect(ctx, module, pipeline)
	} else {
		s.command = o.reduceCommand
		err = s.examine(ctx, module, pipeline)
	}
	if err != nil {
		return err
	}
	bar := progress.New(t.stderr, -1, "reducing: trial")
	result, err := reduce.Module(ctx, module, func(ctx context.Context, candidate *ir.Operation) (bool, error) {
		bar.Step("")
		return s.shows(ctx, candidate, pipeline)
	})
	bar.Done()
	if err != nil {
		return err
	}
	fmt.Fprintf(t.stderr, "top-opt: reduced from %d operations to %d in %d trials\n", result.Before, result.After, result.Trials)
	text := o.reproducerText(result.Module, pipeline.String(), s.asm)
	return files.WriteOutput(o.output, text, t.stdout)
}

// searcher knows what is looked for.
type searcher struct {
	*tool
	options *options
	asm     printer.Options
	command string // "" where a failure of the pipeline is looked for
	// acceptsBefore says that the command is to succeed before the pipeline, so that it is the pipeline which makes it fail.
	acceptsBefore bool
	failure       string // the shape of that failure's message; "" where the command is to fail
	file          string
}

// run runs passes on a module and returns the error of the first that fails.
func (s *searcher) run(ctx context.Context, module *ir.Operation, p *pass.Pipeline, session *pass.Session) error {
	manager := &pass.Manager{Pipeline: p.Clone(), Verify: s.options.verifyEach, Serial: s.options.serial, Session: session, Print: io.Discard}
	return manager.Run(ctx, module)
}

func (s *searcher) session() *pass.Session {
	session := pass.NewSession()
	registry.Configure(session, registry.Files{Input: s.options.input, Output: s.options.output})
	return session
}

// examine checks that there is something to reduce: that the pipeline fails, or else the command after it.
func (s *searcher) examine(ctx context.Context, module *ir.Operation, p *pass.Pipeline) error {
	session := s.session()
	defer session.Close()
	current := module.Clone()
	if err := s.run(ctx, current, p, session); err != nil {
		s.failure = shape(err)
		return ctx.Err()
	}
	if s.command == "" {
		return fmt.Errorf("--reduce: the pipeline does not fail; give a command that fails after it, --reduce=COMMAND")
	}
	ok, err := s.accepts(ctx, current)
	if err == nil && ok {
		err = fmt.Errorf("--reduce: neither the pipeline nor the command fails on the input")
	}
	return err
}

// shows reports whether a candidate fails in the same way as the whole.
func (s *searcher) shows(ctx context.Context, candidate *ir.Operation, p *pass.Pipeline) (bool, error) {
	session := s.session()
	defer session.Close()
	after := candidate.Clone()
	err := s.run(ctx, after, p, session)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if s.failure != "" || err != nil {
		return err != nil && shape(err) == s.failure, nil
	}
	if ok, err := s.accepts(ctx, after); ok || err != nil {
		return false, err
	}
	if !s.acceptsBefore {
		return true, nil
	}
	return s.accepts(ctx, candidate)
}

var numbers = regexp.MustCompile(`[0-9]+`)

// shape is the first message of an error without its numbers, which change as the input gets smaller.
func shape(err error) string {
	first, _, _ := strings.Cut(ir.Diagnostics(err)[0].Message, "\n")
	return numbers.ReplaceAllString(first, "#")
}

// notRunnable are the statuses with which a shell says that there is no such command.
const (
	notExecutable = 126
	notFound      = 127
)

// accepts runs the command on a module and reports whether it succeeds.
func (s *searcher) accepts(ctx context.Context, module *ir.Operation) (bool, error) {
	if err := os.WriteFile(s.file, append(printer.Append(nil, module, s.asm), '\n'), 0o666); err != nil {
		return false, err
	}
	command := exec.CommandContext(ctx, "sh", "-c", s.command+` "$1"`, "sh", s.file)
	err := command.Run()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case !errors.As(err, &exit), exit.ExitCode() == notExecutable, exit.ExitCode() == notFound:
		return false, fmt.Errorf("can't run '%s': %w", s.command, err)
	default:
		return false, nil
	}
}
