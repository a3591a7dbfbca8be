// Package irfile reads .mlir files for commands, and shows what is wrong with them.
package irfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tpuir/internal/cli/files"
	"tpuir/internal/cli/progress"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
)

// File is a file that was read.
type File struct {
	Path    string
	Module  *ir.Operation
	Sources *ir.Sources
}

// Error is what is wrong with a file, or with IR that was made from it.
type Error struct {
	Sources     *ir.Sources
	Diagnostics []*ir.Diagnostic
}

func (e *Error) Error() string {
	var text strings.Builder
	e.render(&text, false)
	return strings.TrimSuffix(text.String(), "\n")
}

func (e *Error) render(w io.Writer, color bool) {
	r := &ir.Renderer{Out: w, Sources: e.Sources, Color: color}
	for _, d := range e.Diagnostics {
		r.Write(d)
	}
}

// Read reads and verifies a file, or standard input for "-". The error is an *[Error] where the text is wrong.
func Read(ctx context.Context, path string, stdin io.Reader) (*File, error) {
	text, err := files.ReadInput(path, stdin)
	if err != nil {
		return nil, fmt.Errorf("cannot open input file '%s': %w", path, err)
	}
	name := path
	if path == "-" {
		name = "<stdin>"
	}
	f := &File{Path: path, Sources: &ir.Sources{}}
	source := f.Sources.Add(name, text)
	module, diagnostics := Parse(ctx, registry.NewContext(), source, parser.Options{})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if module != nil {
		diagnostics = append(diagnostics, ir.Verify(ctx, module)...)
	}
	for _, d := range diagnostics {
		if d.Severity == ir.SeverityError {
			return nil, &Error{f.Sources, diagnostics}
		}
	}
	f.Module = module
	return f, nil
}

// Located gives an error of a pass the text that its places are in.
func (f *File) Located(err error) error { return Located(err, f.Sources) }

// Located gives the diagnostics in an error the texts that their places are in; other errors, and all where there are no
// texts, stay as they are.
func Located(err error, sources *ir.Sources) error {
	var d *ir.Diagnostic
	var done *Error
	if err == nil || sources == nil || errors.As(err, &done) || !errors.As(err, &d) {
		return err
	}
	return &Error{sources, ir.Diagnostics(err)}
}

// Report writes an error of a tool: diagnostics with their lines, others behind the tool's name. It returns the exit status.
func Report(err error, tool string, stderr io.Writer) int {
	var found *Error
	var placed *ir.Diagnostic
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "%s: interrupted\n", tool)
	case errors.As(err, &found):
		found.render(stderr, progress.IsTerminal(stderr))
	case errors.As(err, &placed):
		// There is no text to show lines of, but an op may have a name.
		for _, d := range ir.Diagnostics(err) {
			place := ""
			if name := ir.LocationName(d.Loc); name != "" {
				place = ir.LocationText(d.Loc) + ": "
			}
			fmt.Fprintf(stderr, "%s: %s%s\n", tool, place, d.Message)
		}
	default:
		fmt.Fprintf(stderr, "%s: %v\n", tool, err)
	}
	return 1
}
