// The check file: parsed once, then run against any number of inputs.

package filecheck

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// CheckFile is a parsed check file. It is not changed by checking and may be used by several goroutines at once.
type CheckFile struct {
	options  Options
	source   *source
	checks   []*check
	implicit []*source // the texts that implicit patterns were read from, in order
	initial  *values   // variables of the command line
	line     *numericVariable
}

// check is a positive directive with the CHECK-DAG and CHECK-NOT directives before it.
type check struct {
	*pattern
	before []*pattern
}

// ParseError says why a check file cannot be used. Status is the exit status that FileCheck gives for it.
type ParseError struct {
	Diagnostics []Diagnostic
	Status      int
}

func (e *ParseError) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, diagnostic := range e.Diagnostics {
		lines[i] = diagnostic.String()
	}
	return strings.Join(lines, "\n")
}

// statusUsage is the exit status for what is no verdict: a bad check file, bad options, an empty input.
const statusUsage = 2

// statusMismatch is the exit status for an input that does not match.
const statusMismatch = 1

// parseError collects the faults that err holds.
func parseError(err error) *ParseError {
	result := &ParseError{Status: statusUsage}
	var bracket bracketError
	if errors.As(err, &bracket) {
		result.Status = statusMismatch
		err = bracket.placedError
	}
	for _, part := range parts(err) {
		var fault *placedError
		var undefined *undefinedVariable
		switch {
		case errors.As(part, &fault):
			result.Diagnostics = append(result.Diagnostics, fault.diagnostic())
		case errors.As(part, &undefined), errors.Is(part, errOverflow):
			result.Diagnostics = append(result.Diagnostics, Diagnostic{Message: part.Error()})
		default:
			result.Diagnostics = append(result.Diagnostics, unplaced(part.Error()))
		}
	}
	return result
}

// parts takes joined errors apart.
func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, part := range joined.Unwrap() {
		all = append(all, parts(part)...)
	}
	return all
}

// Parse reads a check file; name is what reports call it. The error is a *ParseError.
func Parse(name string, text []byte, options Options) (*CheckFile, error) {
	checkPrefixes, commentPrefixes, err := options.prefixes()
	if err != nil {
		return nil, parseError(err)
	}
	file := &CheckFile{
		options: options,
		source:  &source{name: name, text: canonicalize(string(text), options.StrictWhitespace)},
	}
	names := newNames()
	if file.initial, err = names.define(options.Defines); err != nil {
		return nil, parseError(err)
	}
	file.line = &numericVariable{name: lineVariable, format: format{kind: formatUnsigned}}
	names.numeric[lineVariable] = file.line
	p := &fileParser{file: file, names: names, prefixes: checkPrefixes, used: map[string]bool{}}
	if err := p.parse(newScanner(file.source, checkPrefixes, commentPrefixes)); err != nil {
		return nil, parseError(err)
	}
	return file, nil
}

// fileParser collects the checks of a file.
type fileParser struct {
	file     *CheckFile
	names    *names
	prefixes []string
	used     map[string]bool
	implicit []*pattern
	pending  []*pattern // CHECK-DAG and CHECK-NOT directives that wait for the next positive one
}

func (p *fileParser) parse(s *scanner) error {
	if err := p.parseImplicit(); err != nil {
		return err
	}
	p.pending = p.implicit
	line := 1
	for {
		head, ok := s.next()
		if !ok {
			break
		}
		line = head.line
		if head.kind != kindComment {
			p.used[head.prefix.String()] = true
		}
		end, err := p.directive(head)
		if err != nil {
			return err
		}
		s.rest = end
	}
	if err := p.unusedPrefixes(); err != nil {
		return err
	}
	if len(p.pending) > 0 {
		end := &pattern{
			directive: directive{kind: kindEndOfFile, count: 1}, prefix: p.prefixes[0], line: line + 1, place: s.rest.point(),
		}
		p.file.checks = append(p.file.checks, &check{end, p.pending})
	}
	return nil
}

// parseImplicit parses the patterns of ImplicitCheckNot, each in a text that looks like the option.
func (p *fileParser) parseImplicit() error {
	const before, after = "-implicit-check-not='", "'"
	for _, text := range p.file.options.ImplicitCheckNot {
		made := &source{name: "command line", text: before + text + after}
		p.file.implicit = append(p.file.implicit, made)
		not := &pattern{directive: directive{kind: kindNot, count: 1}, prefix: "IMPLICIT-CHECK"}
		place := piece{made, len(before), len(before) + len(text)}
		if err := parsePattern(not, place, p.names, &p.file.options); err != nil {
			return err
		}
		p.implicit = append(p.implicit, not)
	}
	return nil
}

// directive parses the rest of a directive's line and gives what follows it.
func (p *fileParser) directive(head found) (piece, error) {
	switch head.kind {
	case kindMisspelled:
		whole := piece{head.prefix.source, head.prefix.start, head.after.start}
		return piece{}, errorAt(whole, "misspelled directive '%s'", whole)
	case kindBadNot:
		return piece{}, errorAt(head.after, "unsupported -NOT combo on prefix '%s'", head.prefix)
	case kindBadCount:
		return piece{}, errorAt(head.after, "invalid count in -COUNT specification on prefix '%s'", head.prefix)
	}
	text := head.after
	if !(p.file.options.StrictWhitespace && p.file.options.MatchFullLines) {
		text = text.trimLeft()
	}
	end := strings.IndexAny(text.String(), "\n\r")
	if end < 0 {
		end = text.length()
	}
	if head.kind == kindComment {
		return text.from(end), nil
	}
	made := &pattern{directive: head.directive, prefix: head.prefix.String(), line: head.line}
	if err := parsePattern(made, text.upTo(end), p.names, &p.file.options); err != nil {
		return piece{}, err
	}
	return text.from(end), p.add(made, head.prefix)
}

// add puts a pattern where it belongs, if it may stand there.
func (p *fileParser) add(made *pattern, prefix piece) error {
	switch made.kind {
	case kindLabel:
		if made.hasVariable() {
			return errorAt(prefix, "found '%s-LABEL:' with variable definition or use", prefix)
		}
	case kindNext, kindSame, kindEmpty:
		if len(p.file.checks) == 0 {
			plain := directive{kind: made.kind}
			return errorAt(prefix, "found '%s' without previous '%s: line", plain.describe(made.prefix), prefix)
		}
	case kindDAG, kindNot:
		p.pending = append(p.pending[:len(p.pending):len(p.pending)], made)
		return nil
	}
	p.file.checks = append(p.file.checks, &check{made, p.pending})
	p.pending = p.implicit
	return nil
}

// unusedPrefixes reports prefixes that no directive has. Without any directive at all, implicit checks are enough if
// nobody named a prefix.
func (p *fileParser) unusedPrefixes() error {
	options := &p.file.options
	var missing []string
	for _, prefix := range p.prefixes {
		if !p.used[prefix] {
			missing = append(missing, "'"+prefix+":'")
		}
	}
	none := len(missing) == len(p.prefixes)
	if !none && (len(missing) == 0 || options.AllowUnusedPrefixes) {
		return nil
	}
	if len(options.ImplicitCheckNot) > 0 && len(options.CheckPrefixes) == 0 {
		return nil
	}
	plural := ""
	if len(missing) > 1 {
		plural = "es"
	}
	sort.Strings(missing)
	return fmt.Errorf("no check strings found with prefix%s %s", plural, strings.Join(missing, ", "))
}
