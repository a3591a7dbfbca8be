// Matching one pattern: holes are filled, the text is searched, and what the pattern captures is kept.

package filecheck

import (
	"errors"
	"math/big"
	"strings"
)

// span is a half-open range of the input, in bytes.
type span struct{ start, end int }

// errNotFound means that a pattern has no match.
var errNotFound = errors.New("not found")

// run is one check of one input.
type run struct {
	file     *CheckFile
	input    *source
	haystack *haystack
	lower    string // the input in lower case, made when it is needed
	values   *values
	compiled map[string]*regex // expressions with their holes filled
	report   *Report
}

// match finds the first match of p in the region and sets the variables that p defines. The error is errNotFound, or
// says, perhaps in several parts, why the pattern has no meaning here.
func (r *run) match(p *pattern, region span) (span, error) {
	switch {
	case p.kind == kindEndOfFile:
		return span{region.end, region.end}, nil
	case p.impossible:
		return span{}, errNotFound
	case p.fixed != "":
		return r.matchFixed(p, region)
	}
	compiled, err := r.filled(p)
	if err != nil {
		return span{}, err
	}
	captures := len(p.strings)+len(p.numbers) > 0
	bounds, err := compiled.match(r.haystack, region.start, region.end, captures)
	if err != nil {
		return span{}, errorAt(p.place, "%s", err)
	}
	if bounds == nil {
		return span{}, errNotFound
	}
	r.capture(p, bounds)
	result := span{bounds[0], bounds[1]}
	if p.kind == kindEmpty {
		result.start++ // the line break before the empty line belongs to the line before
	}
	return result, nil
}

func (r *run) matchFixed(p *pattern, region span) (span, error) {
	text, wanted := r.input.text, p.fixed
	if p.ignoreCase {
		if r.lower == "" {
			r.lower = lowerASCII(text)
		}
		text, wanted = r.lower, lowerASCII(wanted)
	}
	at := strings.Index(text[region.start:region.end], wanted)
	if at < 0 {
		return span{}, errNotFound
	}
	return span{region.start + at, region.start + at + len(wanted)}, nil
}

func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c - 'A' + 'a'
		}
	}
	return string(lower)
}

// filled gives the regular expression of p with the present values in its holes.
func (r *run) filled(p *pattern) (*regex, error) {
	if p.regex != nil {
		return p.regex, nil
	}
	if p.line != 0 {
		r.values.numeric[r.file.line] = numericValue{number: big.NewInt(int64(p.line))}
	}
	var text strings.Builder
	var faults []error
	last := 0
	for i := range p.substitutions {
		hole := &p.substitutions[i]
		value, err := r.value(hole)
		if err != nil {
			for _, fault := range placed(err, hole.place) {
				faults = append(faults, fault)
			}
			continue
		}
		text.WriteString(p.regexText[last:hole.offset])
		text.WriteString(escapeERE(value))
		last = hole.offset
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	text.WriteString(p.regexText[last:])
	if known := r.compiled[text.String()]; known != nil {
		return known, nil
	}
	compiled, err := compileRegex(text.String(), p.ignoreCase)
	if errors.Is(err, errBackReference) || errors.Is(err, errEmptyExpression) {
		return nil, errNotFound // as in LLVM; an empty value may leave nothing to match
	}
	if err != nil {
		return nil, errorAt(p.place, "invalid regex: %s", err)
	}
	r.compiled[text.String()] = compiled
	return compiled, nil
}

// value is what a hole is filled with, as plain text.
func (r *run) value(hole *substitution) (string, error) {
	if hole.number != nil {
		number, err := hole.number.constraint.evaluate(r.values.numeric)
		if err != nil {
			return "", err
		}
		return hole.number.format.write(number)
	}
	value, ok := r.values.strings[hole.place.String()]
	if !ok {
		return "", &undefinedVariable{hole.place}
	}
	return value.String(), nil
}

// capture sets the variables that p defines. A group that took no part captures nothing.
func (r *run) capture(p *pattern, bounds []int) {
	group := func(number int) piece {
		start, end := bounds[2*number], bounds[2*number+1]
		if start < 0 {
			return piece{r.input, bounds[0], bounds[0]}
		}
		return piece{r.input, start, end}
	}
	for _, definition := range p.strings {
		r.values.strings[definition.name] = group(definition.group)
	}
	for _, definition := range p.numbers {
		text := group(definition.group)
		if number, ok := definition.variable.format.read(text.String()); ok {
			r.values.numeric[definition.variable] = numericValue{number: number, text: &text}
		}
	}
}
