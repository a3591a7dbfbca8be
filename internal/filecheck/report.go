// The report of a check: diagnostics in the order they arose, and annotations for the input dump.

package filecheck

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Report is the outcome of Check.
type Report struct {
	// Status is the exit status of FileCheck: 0 the input matches, 1 it does not, 2 it could not be checked.
	Status      int
	Diagnostics []Diagnostic

	file        *CheckFile
	input       *source
	annotations []annotation
	empty       bool
}

// Failure is the error of a check that did not pass.
type Failure struct{ Report *Report }

func (f *Failure) Error() string { return strings.TrimRight(f.Report.String(), "\n") }

// Err gives nil for an input that matches and a *Failure otherwise.
func (r *Report) Err() error {
	if r.Status == 0 {
		return nil
	}
	return &Failure{r}
}

// String gives all that FileCheck prints: the diagnostics and, if the options ask for it, the annotated input.
func (r *Report) String() string {
	var out strings.Builder
	for _, diagnostic := range r.Diagnostics {
		out.WriteString(diagnostic.String())
		out.WriteByte('\n')
	}
	mode := r.file.options.Dump.Mode
	if !r.empty && (mode == DumpAlways || (mode == DumpOnFailure && r.Status == statusMismatch)) {
		r.writeDump(&out)
	}
	return out.String()
}

// Errors gives the diagnostics that are errors.
func (r *Report) Errors() []Diagnostic {
	var all []Diagnostic
	for _, diagnostic := range r.Diagnostics {
		if diagnostic.Severity == SeverityError {
			all = append(all, diagnostic)
		}
	}
	return all
}

// outcome is what became of a search, as the dump marks it.
type outcome uint8

const (
	outcomeFound          outcome = iota // found, as expected
	outcomeExcluded                      // found, but must not be there
	outcomeWrongLine                     // found, but not on the line where it must be
	outcomeDiscarded                     // found, but overlaps an earlier match
	outcomeAbsent                        // not found, as expected
	outcomeMissing                       // not found, but expected
	outcomeInvalidPattern                // not searched for, since the pattern has no value
	outcomeFuzzy                         // what may have been meant
)

// annotation marks a range of the input in the dump.
type annotation struct {
	outcome   outcome
	directive directive
	check     piece // the place of the pattern
	marked    span
	note      string
}

// attempt is one search and its result.
type attempt struct {
	expected bool // the pattern has to be found
	round    int  // which of the matches of CHECK-COUNT it is
	searched span
	found    span
	err      error
}

// dumping reports whether annotations are wanted. Remarks then go to the dump and are not printed as well.
func (r *run) dumping() bool { return r.file.options.Dump.Mode != DumpNever }

func (r *run) say(diagnostic Diagnostic) {
	r.report.Diagnostics = append(r.report.Diagnostics, diagnostic)
}

func (r *run) annotate(kind outcome, p *pattern, marked span, note string) {
	if r.dumping() {
		r.report.annotations = append(r.report.annotations, annotation{kind, p.directive, p.place.point(), marked, note})
	}
}

// annotateResult is annotate; if replace is set it changes what the last pattern's annotations say instead.
func (r *run) annotateResult(kind outcome, p *pattern, marked span, replace bool) {
	if !replace {
		r.annotate(kind, p, marked, "")
		return
	}
	all := r.report.annotations
	for i := len(all) - 1; i >= 0 && all[i].check == all[len(all)-1].check; i-- {
		all[i].outcome = kind
	}
}

// conclude reports an attempt and tells whether it went as the directive wants.
func (r *run) conclude(p *pattern, a attempt) bool {
	if a.err == nil {
		return r.concludeFound(p, a)
	}
	return r.concludeMissing(p, a)
}

func (r *run) concludeFound(p *pattern, a attempt) bool {
	options := &r.file.options
	print := true
	if a.expected {
		if !options.VeryVerbose && (!options.Verbose || p.kind == kindEndOfFile) {
			return true
		}
		print = !r.dumping()
	}
	kind, severity := outcomeFound, SeverityRemark
	if !a.expected {
		kind, severity = outcomeExcluded, SeverityError
	}
	r.annotate(kind, p, a.found, "")
	r.noteSubstitutions(kind, p, a.found.start, r.annotateNote)
	r.noteCaptures(kind, p, r.annotateNote)
	if print {
		r.say(at(severity, p.place, p.message(a, "string found in input")))
		r.say(across(SeverityNote, piece{r.input, a.found.start, a.found.end}, "found here"))
		r.noteSubstitutions(kind, p, a.found.start, r.printNote)
		r.noteCaptures(kind, p, r.printNote)
	}
	return a.expected
}

func (r *run) concludeMissing(p *pattern, a attempt) bool {
	var faults []Diagnostic
	for _, part := range parts(a.err) {
		var fault *placedError
		if errors.As(part, &fault) {
			faults = append(faults, fault.diagnostic())
		}
	}
	kind, severity := outcomeAbsent, SeverityRemark
	if a.expected {
		kind, severity = outcomeMissing, SeverityError
	}
	if faults != nil {
		kind = outcomeInvalidPattern
	}
	passed := !a.expected && faults == nil
	if passed && !r.file.options.VeryVerbose {
		return true
	}
	r.report.Diagnostics = append(r.report.Diagnostics, faults...)
	r.annotate(kind, p, a.searched, "")
	start := span{a.searched.start, a.searched.start}
	for _, fault := range faults {
		r.annotate(kind, p, start, fault.Message)
	}
	r.noteSubstitutions(kind, p, start.start, r.annotateNote)
	if passed && r.dumping() {
		return true
	}
	if faults == nil {
		r.say(at(severity, p.place, p.message(a, "string not found in input")))
		r.say(at(SeverityNote, piece{r.input, start.start, start.start}, "scanning from here"))
	}
	r.noteSubstitutions(kind, p, start.start, r.printNote)
	if a.expected {
		r.guess(p, a.searched)
	}
	return passed
}

// message says what was or was not found, in the words of FileCheck.
func (p *pattern) message(a attempt, what string) string {
	expectation := "excluded"
	if a.expected {
		expectation = "expected"
	}
	message := fmt.Sprintf("%s: %s %s", p.describe(p.prefix), expectation, what)
	if p.count > 1 {
		message += fmt.Sprintf(" (%d out of %d)", a.round, p.count)
	}
	return message
}

// noteWriter takes a note about a range of the input.
type noteWriter func(kind outcome, p *pattern, marked span, note string)

func (r *run) annotateNote(kind outcome, p *pattern, marked span, note string) {
	r.annotate(kind, p, marked, note)
}

func (r *run) printNote(_ outcome, _ *pattern, marked span, note string) {
	place := piece{r.input, marked.start, marked.end}
	if place.empty() {
		r.say(at(SeverityNote, place, note))
		return
	}
	r.say(across(SeverityNote, place, note))
}

// noteSubstitutions tells what the holes of p were filled with. Those that have no value are reported elsewhere.
func (r *run) noteSubstitutions(kind outcome, p *pattern, start int, write noteWriter) {
	for i := range p.substitutions {
		hole := &p.substitutions[i]
		value, err := r.value(hole)
		if err != nil {
			continue
		}
		if hole.number == nil {
			value = escapeERE(value)
		}
		note := fmt.Sprintf(`with "%s" equal to "%s"`, escapeBytes(hole.place.String()), escapeBytes(value))
		write(kind, p, span{start, start}, note)
	}
}

// escapeBytes writes bytes that cannot be printed as C does.
func escapeBytes(text string) string {
	var out strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\\':
			out.WriteString(`\\`)
		case c == '\t':
			out.WriteString(`\t`)
		case c == '\n':
			out.WriteString(`\n`)
		case c == '"':
			out.WriteString(`\"`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&out, `\%03o`, c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// noteCaptures tells what p captured, in the order of the input.
func (r *run) noteCaptures(kind outcome, p *pattern, write noteWriter) {
	type captured struct {
		name string
		at   span
	}
	var all []captured
	for _, definition := range p.strings {
		value := r.values.strings[definition.name]
		all = append(all, captured{definition.name, span{value.start, value.end}})
	}
	for _, definition := range p.numbers {
		if text := r.values.numeric[definition.variable].text; text != nil {
			all = append(all, captured{definition.variable.name, span{text.start, text.end}})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.start < all[j].at.start })
	for _, c := range all {
		write(kind, p, c.at, fmt.Sprintf(`captured var "%s"`, c.name))
	}
}

// discard tells that the last match of p was dropped, as it overlaps an earlier one.
func (r *run) discard(p *pattern, earlier span) {
	if r.dumping() {
		r.annotateResult(outcomeDiscarded, p, earlier, true)
		return
	}
	place := piece{r.input, earlier.start, earlier.end}
	r.say(across(SeverityNote, place, "match discarded, overlaps earlier DAG match here"))
}
