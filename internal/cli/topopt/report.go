package topopt

// This file holds what becomes of messages: they are shown at once, kept for --verify-diagnostics, or written in a form
// for programs.

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"tpuir/internal/cli/version"
	"tpuir/internal/diagnosticformat"
	"tpuir/internal/expect"
	"tpuir/internal/suggest"
	"tpuir/ir"
	"tpuir/printer"
)

// reporter takes messages; several goroutines may use it at once.
type reporter struct {
	mu       sync.Mutex
	renderer *ir.Renderer
	format   string
	// showOperation adds a note that shows the operation.
	showOperation bool
	// collecting keeps messages and shows none.
	collecting bool
	kept       []*ir.Diagnostic
	// reported are the messages that have been reported early.
	reported map[*ir.Diagnostic]bool
	// snapshots print the operations of the messages that are reported together, in custom and in generic form; shown is the
	// length of what they have printed.
	snapshots [2]*printer.Snapshot
	shown     int
	out       io.Writer
	asm       printer.Options
	version   string
}

// newReporter makes the reporter of a run; o is nil where the command line could not be read.
func newReporter(t *tool, o *options) *reporter {
	r := &reporter{renderer: &ir.Renderer{Out: t.stderr, Sources: t.sources}, format: "text", out: t.stderr}
	if o != nil {
		r.renderer.Color = o.color
		r.format, r.showOperation, r.asm = o.diagnosticFormat, o.operationInNotes, o.asm
	}
	r.version = version.Text("top-opt")
	return r
}

// fail reports messages and returns errReported.
func (r *reporter) fail(diagnostics ...*ir.Diagnostic) error {
	r.report(diagnostics...)
	return errReported
}

// early reports the messages of an error before those that follow from it; it returns an error that is not reported again.
func (r *reporter) early(err error) error {
	diagnostics := ir.Diagnostics(err)
	r.report(diagnostics...)
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []error
	for _, d := range diagnostics {
		if r.reported == nil {
			r.reported = map[*ir.Diagnostic]bool{}
		}
		r.reported[d] = true
		all = append(all, d)
	}
	return errors.Join(all...)
}

// report takes messages.
func (r *reporter) report(diagnostics ...*ir.Diagnostic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshots = [2]*printer.Snapshot{}
	for _, d := range diagnostics {
		if r.reported[d] {
			continue
		}
		d = r.complete(d)
		if r.collecting || r.format == "sarif" {
			r.kept = append(r.kept, d)
			continue
		}
		if r.format == "json" {
			_ = diagnosticformat.JSON(r.out, r.renderer.Sources, d) // what can't be shown is lost
			continue
		}
		r.renderer.Write(d)
	}
}

// complete returns a message with the notes that the flags ask for.
func (r *reporter) complete(d *ir.Diagnostic) *ir.Diagnostic {
	full := *d
	full.Notes = nil
	if d.EndsInOp {
		full.Message, full.EndsInOp = d.Message+r.operation(d), false
	}
	if r.showOperation && d.Op != nil && !r.collecting { // nobody expects it
		full.Notes = append(full.Notes, &ir.Diagnostic{Severity: ir.SeverityNote, Loc: d.Loc, Position: d.Position,
			Message: "see current operation: " + r.operation(d)})
	}
	full.Notes = append(full.Notes, d.Notes...)
	if note := suggest.For(d, r.renderer.Sources); note != "" && !r.collecting {
		full.Note(nil, "%s", note)
	}
	return &full
}

// maxShown is the length of the operations that messages show, all together. An operation is shown with what is nested in it,
// and again for every error within.
const maxShown = 64 << 20

// elideAbove is the number of elements that constants in messages may have, whatever the flags say of the output.
const elideAbove = 16

// operation writes an operation as mlir-opt's messages do: in place, constants cut short, errors in the generic form.
func (r *reporter) operation(d *ir.Diagnostic) string {
	asm := r.asm
	asm.LocalScope, asm.AssumeVerified = true, true
	asm.Generic = asm.Generic || d.Severity == ir.SeverityError
	limit := int64(elideAbove)
	asm.ElideElementsLargerThan = &limit
	if r.shown > maxShown {
		return "'" + d.Op.Name().String() + "', left out like all that follow: those before have " +
			strconv.Itoa(maxShown) + " characters"
	}
	i := 0
	if asm.Generic {
		i = 1
	}
	if r.snapshots[i] == nil {
		r.snapshots[i] = printer.NewSnapshot(asm)
	}
	text := string(r.snapshots[i].Append(nil, d.Op))
	r.shown += len(text)
	for i := range text {
		if text[i] == '\n' {
			return "\n" + text
		}
	}
	return text
}

// unmet shows an expectation that no message met.
func (r *reporter) unmet(e *expect.Expectation, source *ir.Source) {
	if r.format == "text" {
		fmt.Fprint(r.out, e.Unmet(source))
		return
	}
	r.report(e.Diagnostic(source))
}

// collect starts keeping messages.
func (r *reporter) collect() { r.collecting, r.kept = true, nil }

// collected returns the messages that were kept and shows the next ones again.
func (r *reporter) collected() []*ir.Diagnostic {
	kept := r.kept
	r.collecting, r.kept = false, nil
	return kept
}

// tool shows an error of the command itself.
func (r *reporter) tool(err error) {
	var d *ir.Diagnostic
	if r.format == "text" && !errors.As(err, &d) {
		fmt.Fprintf(r.out, "top-opt: %v\n", err)
		return
	}
	r.report(ir.Diagnostics(err)...)
}

// close writes what stands in one document.
func (r *reporter) close() error {
	if r.format != "sarif" {
		return nil
	}
	return diagnosticformat.SARIF(r.out, r.renderer.Sources, "top-opt", r.version, r.kept)
}
