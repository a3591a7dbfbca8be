// Package expect compares the diagnostics of a run with what comments in the input expect, as mlir-opt's
// --verify-diagnostics does:
//
//	"top.MatMul"() : () -> ()  // expected-error {{expected 3 operands}}
//	// expected-error@+1 {{…}}, expected-note@above {{…}}, expected-warning-re@-2 {{text {{regex}} text}}
package expect

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tpuir/ir"
)

// Expectation is one comment.
type Expectation struct {
	Severity ir.Severity
	Line     int // where the diagnostic is expected; 0 for any place that has no line
	Text     string
	At       int // the line of the comment; Column is where `expected-` starts
	Column   int
	line     string
	match    func(message string) bool
	met      bool
}

var comment = regexp.MustCompile(`expected-(error|warning|note|remark)(-re)?\s*(@(?:[+-][0-9]+|above|below|unknown))?\s*\{\{(.*)\}\}\s*$`)

// Parse finds the expectations in a text, line numbers starting at 1 + the source's offset.
func Parse(source *ir.Source) ([]*Expectation, error) {
	var all []*Expectation
	lines := strings.Split(string(source.Text), "\n")
	var below []*Expectation // wait for the next line without an expectation
	lastPlain := 0
	for i, line := range lines {
		number := i + 1 + source.Line
		line = strings.TrimRight(line, "\r")
		found := comment.FindStringSubmatch(line)
		if found == nil {
			for _, e := range below {
				e.Line = number
			}
			below = nil
			lastPlain = number
			continue
		}
		e := &Expectation{At: number, Column: comment.FindStringIndex(line)[0] + 1, Line: number, Text: found[4], line: line}
		e.Severity = map[string]ir.Severity{"error": ir.SeverityError, "warning": ir.SeverityWarning, "note": ir.SeverityNote,
			"remark": ir.SeverityRemark}[found[1]]
		switch place := found[3]; {
		case place == "@above":
			e.Line = lastPlain
		case place == "@below":
			below = append(below, e)
		case place == "@unknown":
			e.Line = 0
		case place != "":
			offset, err := strconv.Atoi(place[1:])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: bad line offset %s", source.Name, number, place)
			}
			e.Line += offset
		}
		if err := e.compile(found[2] != ""); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", source.Name, number, err)
		}
		all = append(all, e)
	}
	return all, nil
}

var embedded = regexp.MustCompile(`\{\{(.*?)\}\}`)

func (e *Expectation) compile(isRegexp bool) error {
	if !isRegexp {
		e.match = func(message string) bool { return strings.Contains(message, e.Text) }
		return nil
	}
	var pattern strings.Builder
	at := 0
	for _, m := range embedded.FindAllStringSubmatchIndex(e.Text, -1) {
		pattern.WriteString(regexp.QuoteMeta(e.Text[at:m[0]]) + "(?:" + e.Text[m[2]:m[3]] + ")")
		at = m[1]
	}
	pattern.WriteString(regexp.QuoteMeta(e.Text[at:]))
	compiled, err := regexp.Compile(pattern.String())
	if err != nil {
		return err
	}
	e.match = compiled.MatchString
	return nil
}

// Compare matches diagnostics, notes included, with expectations: each expectation must be met once, and each
// diagnostic must be expected. Where onlyExpected is set, unexpected ones are ignored. It returns the errors about what did
// not come as expected; those about an expectation have its place and the length of its text. Lines gives a diagnostic's line.
func Compare(expectations []*Expectation, diagnostics []*ir.Diagnostic, onlyExpected bool,
	line func(*ir.Diagnostic) int) (unexpected []*ir.Diagnostic, unmet []*Expectation) {
	byLine := map[int][]*Expectation{}
	for _, e := range expectations {
		byLine[e.Line] = append(byLine[e.Line], e)
	}
	var visit func(d, parent *ir.Diagnostic)
	visit = func(d, parent *ir.Diagnostic) {
		at := line(d)
		if at == 0 && parent != nil && d.Loc == nil && d.Position == 0 {
			at = line(parent)
		}
		here := byLine[at]
		i := slices.IndexFunc(here, func(e *Expectation) bool {
			return !e.met && e.Severity == d.Severity && e.match(d.Message)
		})
		switch {
		case i >= 0:
			here[i].met = true
		case !d.Aside && !onlyExpected:
			unexpected = append(unexpected, &ir.Diagnostic{Loc: d.Loc, Position: d.Position,
				Message: fmt.Sprintf("unexpected %s: %s", d.Severity, d.Message)})
		}
		for _, note := range d.Notes {
			visit(note, d)
		}
	}
	for _, d := range diagnostics {
		visit(d, nil)
	}
	for _, e := range expectations {
		if !e.met {
			unmet = append(unmet, e)
		}
	}
	return unexpected, unmet
}

// Unmet returns the error about an expectation that was not met.
func (e *Expectation) Unmet(source *ir.Source) string {
	message := "error: " + e.message() + "\n"
	if e.Line == 0 {
		return "<unknown>:0: " + message
	}
	return fmt.Sprintf("%s:%d:%d: %s%s\n%*s^%s\n", source.Name, e.At, e.Column, message,
		e.line, e.Column-1, "", strings.Repeat("~", max(len(e.Text)-1, 0)))
}

func (e *Expectation) message() string {
	return fmt.Sprintf("expected %s \"%s\" was not produced", e.Severity, e.Text)
}

// Diagnostic is the message about an expectation that was not met, for programs; it stands on the comment.
func (e *Expectation) Diagnostic(source *ir.Source) *ir.Diagnostic {
	d := &ir.Diagnostic{Message: e.message()}
	line := e.At - source.Line // in this part of the file
	for offset := 0; line > 0 && e.Line != 0; line-- {
		if line == 1 {
			d.Position = source.Position(offset + e.Column - 1)
			break
		}
		end := bytes.IndexByte(source.Text[offset:], '\n')
		if end < 0 {
			break
		}
		offset += end + 1
	}
	return d
}
