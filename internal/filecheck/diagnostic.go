// Diagnostics in the form compilers print them: file:line:column, severity, message, the source line, a caret.

package filecheck

import (
	"fmt"
	"strings"
)

// Severity says how bad a Diagnostic is, in the word that is printed.
type Severity string

// The severities of FileCheck's reports.
const (
	SeverityError  Severity = "error"
	SeverityNote   Severity = "note"
	SeverityRemark Severity = "remark"
)

// Diagnostic is one message of a report. Line and Column are one-based; they are 0 where the message has no place (a
// bad option, say), and File and SourceLine are empty then. A bare Message without Severity is an error, too.
type Diagnostic struct {
	Severity   Severity
	File       string
	Line       int
	Column     int
	Message    string
	SourceLine string
	underlined *[2]int // columns of SourceLine, zero-based and half-open, that get a tilde
}

// tabStop is the width that tabs of a source line are expanded to.
const tabStop = 8

// at makes a diagnostic that points at the start of place.
func at(severity Severity, place piece, message string) Diagnostic {
	start, end := place.source.lineAround(place.start)
	line, column := place.source.position(place.start)
	return Diagnostic{
		Severity: severity, File: place.source.name, Line: line, Column: column, Message: message,
		SourceLine: place.source.text[start:end],
	}
}

// across is at with the whole of place underlined, as far as it lies on the line shown.
func across(severity Severity, place piece, message string) Diagnostic {
	diagnostic := at(severity, place, message)
	start, end := place.source.lineAround(place.start)
	diagnostic.underlined = &[2]int{place.start - start, min(place.end, end) - start}
	return diagnostic
}

// unplaced makes a diagnostic without a location.
func unplaced(message string) Diagnostic {
	return Diagnostic{Severity: SeverityError, Message: message}
}

// String gives the diagnostic as it is printed, without a final line break.
func (d Diagnostic) String() string {
	switch {
	case d.Severity == "":
		return d.Message
	case d.Line == 0:
		return fmt.Sprintf("%s: %s", d.Severity, d.Message)
	}
	head := fmt.Sprintf("%s:%d:%d: %s: %s\n", d.File, d.Line, d.Column, d.Severity, d.Message)
	if strings.IndexFunc(d.SourceLine, func(r rune) bool { return r >= 0x80 }) >= 0 {
		return head + d.SourceLine // a caret could not be placed: columns count bytes
	}
	return head + expandTabs(d.SourceLine, d.SourceLine) + "\n" + expandTabs(d.caretLine(), d.SourceLine)
}

// caretLine marks the underlined range with tildes and the column with a caret.
func (d Diagnostic) caretLine() string {
	marks := []byte(strings.Repeat(" ", len(d.SourceLine)+1))
	if d.underlined != nil {
		for i := d.underlined[0]; i < d.underlined[1]; i++ {
			marks[i] = '~'
		}
	}
	marks[min(d.Column-1, len(d.SourceLine))] = '^'
	return strings.TrimRight(string(marks), " ")
}

// expandTabs writes text so that each of its columns stands under the same column of guide, whose tabs are expanded.
func expandTabs(text, guide string) string {
	var out strings.Builder
	for i := range len(text) {
		c := text[i]
		if i >= len(guide) || guide[i] != '\t' {
			out.WriteByte(c)
			continue
		}
		if c == '\t' {
			c = ' '
		}
		out.WriteByte(c)
		for out.Len()%tabStop != 0 {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// placedError is an error about a piece of a source; it becomes a Diagnostic where it is reported.
type placedError struct {
	place   piece
	message string
}

func (e *placedError) Error() string { return e.diagnostic().String() }

func (e *placedError) diagnostic() Diagnostic {
	return at(SeverityError, e.place, e.message)
}

// errorAt makes an error that points at the start of place.
func errorAt(place piece, format string, arguments ...any) *placedError {
	return &placedError{place: place, message: fmt.Sprintf(format, arguments...)}
}
