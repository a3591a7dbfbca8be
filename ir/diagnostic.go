package ir

// This file holds diagnostics: errors, warnings and notes with a location, and how they are shown.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Severity is the kind of a diagnostic.
type Severity uint8

// The kinds, as they print.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityNote
	SeverityRemark
)

// String returns the word that stands in the message.
func (s Severity) String() string { return [...]string{"error", "warning", "note", "remark"}[s] }

// Diagnostic is a message with a place. It is an error value.
type Diagnostic struct {
	Severity Severity
	// Loc is the location that the message is about; nil where only Position is known.
	Loc Location
	// Position is the place in the source text, 0 where there is none.
	Position Position
	Message  string
	// Aside says of a note that it is beyond what MLIR says, so that nobody expects it.
	Aside bool
	Notes []*Diagnostic
	// Op is the operation that the message is about, nil where there is none.
	Op *Operation
	// EndsInOp says that the message ends in the operation's text, which is not part of Message: who shows it prints it.
	EndsInOp bool
	// Cause is an underlying error, kept for errors.Is and errors.As.
	Cause error
}

// Error returns location and message in one line.
func (d *Diagnostic) Error() string {
	message := d.Message
	if d.EndsInOp {
		message += "'" + d.Op.name.name + "'"
	}
	if d.Loc == nil {
		return fmt.Sprintf("%s: %s", d.Severity, message)
	}
	return fmt.Sprintf("%s: %s: %s", LocationText(d.Loc), d.Severity, message)
}

// Unwrap returns the cause.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// Note adds a note and returns the diagnostic. Loc may be nil.
func (d *Diagnostic) Note(loc Location, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, &Diagnostic{Severity: SeverityNote, Loc: loc, Message: fmt.Sprintf(format, args...)})
	return d
}

// NoteAt adds a note about another operation and returns the diagnostic.
func (d *Diagnostic) NoteAt(op *Operation, format string, args ...any) *Diagnostic {
	d.Note(op.Loc(), format, args...)
	d.Notes[len(d.Notes)-1].Position = op.position
	return d
}

// Errorf makes an error about the operation: `'top.MatMul' op ` and the message. An operand %w is kept as the cause.
func (op *Operation) Errorf(format string, args ...any) *Diagnostic {
	return op.diagnostic(SeverityError, "'"+op.name.name+"' op ", format, args)
}

// PlainErrorf makes an error at the operation without the prefix.
func (op *Operation) PlainErrorf(format string, args ...any) *Diagnostic {
	return op.diagnostic(SeverityError, "", format, args)
}

// Warningf makes a warning about the operation, with the prefix of [Operation.Errorf].
func (op *Operation) Warningf(format string, args ...any) *Diagnostic {
	return op.diagnostic(SeverityWarning, "'"+op.name.name+"' op ", format, args)
}

// locErrorf makes an error at the operation's place that is not about the operation itself, but about a part of it.
func (op *Operation) locErrorf(format string, args ...any) *Diagnostic {
	d := op.PlainErrorf(format, args...)
	d.Op = nil
	return d
}

func (op *Operation) diagnostic(severity Severity, prefix, format string, args []any) *Diagnostic {
	err := fmt.Errorf(format, args...)
	return &Diagnostic{Severity: severity, Loc: op.Loc(), Position: op.position, Message: prefix + err.Error(), Op: op,
		Cause: errors.Unwrap(err)}
}

// Diagnostics returns the diagnostics in an error: itself, the parts of a joined error, or the error in the words of a
// diagnostic without a place.
func Diagnostics(err error) []*Diagnostic {
	if err == nil {
		return nil
	}
	if d, ok := err.(*Diagnostic); ok {
		return []*Diagnostic{d}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Diagnostic
		for _, e := range joined.Unwrap() {
			all = append(all, Diagnostics(e)...)
		}
		return all
	}
	var d *Diagnostic
	if errors.As(err, &d) {
		clone := *d
		clone.Message = strings.Replace(err.Error(), d.Error(), d.Message, 1)
		return []*Diagnostic{&clone}
	}
	return []*Diagnostic{{Message: err.Error(), Cause: err}}
}

// LocationText returns a location as it stands before a message: `file:line:col`, or `loc("name")`.
func LocationText(l Location) string {
	if file := fileOf(l); file != nil {
		return fmt.Sprintf("%s:%d:%d", file.File, file.Line, file.Column)
	}
	return locationString(l)
}

// fileOf finds the file location that a message about a location points at.
func fileOf(l Location) *FileLoc {
	var seen seenLocations
	return seen.file(l)
}

func (s *seenLocations) file(l Location) *FileLoc {
	switch l := l.(type) {
	case *FileLoc:
		return l
	case *NameLoc:
		if l.Child != nil && s.isNew(l) {
			return s.file(l.Child)
		}
	case *CallSiteLoc:
		if !s.isNew(l) {
			return nil
		}
		if file := s.file(l.Callee); file != nil {
			return file
		}
		return s.file(l.Caller)
	case *FusedLoc:
		if !s.isNew(l) {
			return nil
		}
		for _, inner := range l.Locations {
			if file := s.file(inner); file != nil {
				return file
			}
		}
	}
	return nil
}

// maxCallers is the number of callers that a message names.
const maxCallers = 10

// callers returns where the code at a location was called from, the nearest call first.
func callers(l Location) []Location {
	var found []Location
	for len(found) < maxCallers {
		var seen seenLocations
		site := seen.callSite(l)
		if site == nil {
			break
		}
		l = site.Caller
		found = append(found, l)
	}
	return found
}

// callSite finds the first call in a location.
func (s *seenLocations) callSite(l Location) *CallSiteLoc {
	switch l := l.(type) {
	case *CallSiteLoc:
		return l
	case *NameLoc:
		if l.Child != nil && s.isNew(l) {
			return s.callSite(l.Child)
		}
	case *FusedLoc:
		if !s.isNew(l) {
			return nil
		}
		for _, inner := range l.Locations {
			if site := s.callSite(inner); site != nil {
				return site
			}
		}
	}
	return nil
}

// Renderer writes diagnostics with the source lines they are about.
type Renderer struct {
	Out     io.Writer
	Sources *Sources
	Color   bool
}

// Write writes a diagnostic, its line with a caret, where its place was called from, and its notes. A note at the place of what comes before it is written
// without the line.
func (r *Renderer) Write(d *Diagnostic) {
	r.write(d, true)
	loc, position := d.Loc, d.Position
	for _, caller := range callers(d.Loc) {
		r.write(&Diagnostic{Severity: SeverityNote, Loc: caller, Message: "called from"}, true)
		loc, position = caller, 0
	}
	for _, note := range d.Notes {
		shown := *note
		if note.Loc == nil && note.Position == 0 {
			shown.Loc, shown.Position = d.Loc, d.Position
		}
		r.write(&shown, shown.Loc != loc || shown.Position != position)
		loc, position = shown.Loc, shown.Position
	}
}

func (r *Renderer) write(d *Diagnostic, withLine bool) {
	source, offset := r.place(d)
	prefix := ""
	switch {
	case source != nil:
		line, column := source.LineColumn(offset)
		prefix = fmt.Sprintf("%s:%d:%d: ", source.Name, line, column)
	case d.Loc == nil:
	case fileOf(d.Loc) != nil:
		prefix = LocationText(d.Loc) + ": "
	default:
		prefix = "<unknown>:0: "
	}
	r.heading(prefix, d, source == nil && prefix == "<unknown>:0: ")
	if source != nil && withLine {
		r.line(source, offset)
	}
}

// Line returns the line number that a diagnostic is shown at, 0 where it has no place in a text.
func (r *Renderer) Line(d *Diagnostic) int {
	source, offset := r.place(d)
	if source == nil {
		return 0
	}
	line, _ := source.LineColumn(offset)
	return line
}

// Place returns file, line and column that a diagnostic is about, "" and zeros where there are none.
func (s *Sources) Place(d *Diagnostic) (file string, line, column int) {
	r := Renderer{Sources: s}
	if source, offset := r.place(d); source != nil {
		line, column = source.LineColumn(offset)
		return source.Name, line, column
	}
	if d.Loc != nil {
		if file := fileOf(d.Loc); file != nil {
			return file.File, int(file.Line), int(file.Column)
		}
	}
	return "", 0, 0
}

// place finds the text that a diagnostic is about. Where its location names another file, that one counts, as in mlir-opt; a
// location that names none does not hide where the operation was read.
func (r *Renderer) place(d *Diagnostic) (*Source, int) {
	var file *FileLoc
	if d.Loc != nil {
		file = fileOf(d.Loc)
	}
	if source, offset := r.Sources.Find(d.Position); source != nil && (file == nil || file.File == source.Name) {
		return source, offset
	}
	if file == nil || file.Line == 0 {
		return nil, 0
	}
	source := r.Sources.Named(file.File)
	if source == nil {
		return nil, 0
	}
	return source, source.offset(int(file.Line), int(file.Column))
}

// offset returns the byte offset of a line and column, as near as the text has it.
func (s *Source) offset(line, column int) int {
	s.LineColumn(0)
	line -= s.Line
	if line < 1 {
		return 0
	}
	if line > len(s.lines) {
		return len(s.Text)
	}
	return min(max(s.lines[line-1]+column-1, 0), len(s.Text))
}

// heading writes the line of the message. A location that names no file stands before the message, unless it is unknown.
func (r *Renderer) heading(prefix string, d *Diagnostic, withLocation bool) {
	message := d.Message
	if _, unknown := d.Loc.(*UnknownLoc); withLocation && !unknown {
		message = LocationText(d.Loc) + ": " + message
	}
	if !r.Color {
		fmt.Fprintf(r.Out, "%s%s: %s\n", prefix, d.Severity, message)
		return
	}
	color := map[Severity]string{SeverityError: "31", SeverityWarning: "35", SeverityNote: "30", SeverityRemark: "34"}[d.Severity]
	fmt.Fprintf(r.Out, "\x1b[1m%s\x1b[0m\x1b[0;1;%sm%s: \x1b[0m\x1b[1m%s\n\x1b[0m", prefix, color, d.Severity, message)
}

// maxShownLine bounds how much of a line is shown, in bytes; models have lines of megabytes.
const maxShownLine = 1000

// tabStop is the distance of the columns that a tab goes on to, which are counted in bytes as LLVM does.
const tabStop = 8

func expandTabs(line []byte) string {
	if bytes.IndexByte(line, '\t') < 0 {
		return string(line)
	}
	var out []byte
	column := 0
	for _, c := range line {
		if c != '\t' {
			out = append(out, c)
			column++
			continue
		}
		spaces := tabStop - column%tabStop
		out = append(out, "        "[:spaces]...)
		column += spaces
	}
	return string(out)
}

func (r *Renderer) line(source *Source, offset int) {
	_, column := source.LineColumn(offset)
	from := 0
	if column > maxShownLine {
		from = column - maxShownLine/2
	}
	part := source.linePart(offset, from, maxShownLine)
	shown := expandTabs(part)
	before := expandTabs(part[:max(0, min(column-1-from, len(part)))])
	indent := strings.Repeat(" ", utf8.RuneCountInString(before))
	if r.Color {
		fmt.Fprintf(r.Out, "%s\n\x1b[0;1;32m%s^\n\x1b[0m", shown, indent)
		return
	}
	fmt.Fprintf(r.Out, "%s\n%s^\n", shown, indent)
}
