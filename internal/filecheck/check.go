// The course of a check: labels divide the input into regions, and within each the directives are matched in order.

package filecheck

import (
	"fmt"
	"slices"
	"strings"
)

// Check matches an input against the check file; name is what reports call the input ("<stdin>", say).
func (f *CheckFile) Check(name string, input []byte) *Report {
	report := &Report{file: f, input: &source{name: name}}
	if len(input) == 0 && !f.options.AllowEmpty {
		report.Status = statusUsage
		report.Diagnostics = []Diagnostic{unplaced(fmt.Sprintf("the input '%s' is empty", name))}
		report.empty = true
		return report
	}
	report.input.text = canonicalize(string(input), f.options.StrictWhitespace)
	r := &run{
		file: f, input: report.input, haystack: newHaystack(report.input.text), values: f.initial.clone(),
		compiled: map[string]*regex{}, report: report,
	}
	if !r.all() {
		report.Status = statusMismatch
	}
	return report
}

// all matches every directive and reports whether all did as they should.
func (r *run) all() bool {
	passed := true
	rest := span{0, len(r.input.text)}
	checks := r.file.checks
	for first := 0; ; {
		// A region ends behind the next label, which is matched a second time as the last directive of the region.
		next := first
		for next < len(checks) && checks[next].kind != kindLabel {
			next++
		}
		region := rest
		atEnd := next == len(checks)
		if !atEnd {
			label, ok := r.matchCounted(checks[next], rest, rest.start)
			if !ok {
				return false
			}
			region.end, rest.start = label.end, label.end
			next++
		}
		if first != 0 && r.file.options.EnableVarScope {
			r.values.forgetLocal()
		}
		passed = r.region(checks[first:next], region) && passed
		if atEnd {
			return passed
		}
		first = next
	}
}

// region matches directives in order up to the first that fails.
func (r *run) region(checks []*check, region span) bool {
	for _, c := range checks {
		found, ok := r.directive(c, region)
		if !ok {
			return false
		}
		region.start = found.end
	}
	return true
}

// directive matches a positive directive and what stands before it.
func (r *run) directive(c *check, region span) (span, bool) {
	start, nots, ok := r.dagGroups(c.before, region)
	if !ok {
		return span{}, false
	}
	found, ok := r.matchCounted(c, region, start)
	if !ok {
		return span{}, false
	}
	skipped := span{start, found.start}
	if fault := r.linesBetween(c, skipped); fault != nil {
		r.report.Diagnostics = append(r.report.Diagnostics, fault...)
		r.annotateResult(outcomeWrongLine, c.pattern, found, r.file.options.Verbose)
		return span{}, false
	}
	return found, r.absent(nots, skipped)
}

// matchCounted matches the pattern as often as its directive asks for, from start on. The result reaches from the first
// match to the last.
func (r *run) matchCounted(c *check, region span, start int) (span, bool) {
	var result span
	for i := 1; i <= c.count; i++ {
		searched := span{start, region.end}
		found, err := r.match(c.pattern, searched)
		if !r.conclude(c.pattern, attempt{expected: true, round: i, searched: searched, found: found, err: err}) {
			return span{}, false
		}
		if i == 1 {
			result.start = found.start
		}
		stuck := found.end == start // an empty match is found again and again
		start, result.end = found.end, found.end
		if stuck && !r.file.options.Verbose {
			break
		}
	}
	return result, true
}

// linesBetween checks the line breaks that a directive permits between the match before it and its own. It gives nil
// where they are right.
func (r *run) linesBetween(c *check, skipped span) []Diagnostic {
	breaks, second := lineBreaks(r.input.text[skipped.start:skipped.end])
	name := directive{kind: c.kind}.describe(c.prefix)
	var message string
	switch {
	case (c.kind == kindNext || c.kind == kindEmpty) && breaks == 0:
		message = name + ": is on the same line as previous match"
	case (c.kind == kindNext || c.kind == kindEmpty) && breaks > 1:
		message = name + ": is not on the line after the previous match"
	case c.kind == kindSame && breaks > 0:
		message = name + ": is not on the same line as the previous match"
	default:
		return nil
	}
	diagnostics := []Diagnostic{
		at(SeverityError, c.place, message),
		at(SeverityNote, piece{r.input, skipped.end, skipped.end}, "'next' match was here"),
		at(SeverityNote, piece{r.input, skipped.start, skipped.start}, "previous match ended here"),
	}
	if c.kind != kindSame && breaks > 1 {
		place := piece{r.input, skipped.start + second, skipped.end}
		diagnostics = append(diagnostics, at(SeverityNote, place, "non-matching line after previous match is here"))
	}
	return diagnostics
}

// lineBreaks counts the line breaks of text and gives the offset behind the first. A carriage return and a line feed
// beside it are one.
func lineBreaks(text string) (count, behindFirst int) {
	offset := 0
	for {
		next := strings.IndexAny(text[offset:], "\n\r")
		if next < 0 {
			return count, behindFirst
		}
		offset += next
		if offset+1 < len(text) && (text[offset+1] == '\n' || text[offset+1] == '\r') && text[offset] != text[offset+1] {
			offset++
		}
		offset++
		if count++; count == 1 {
			behindFirst = offset
		}
	}
}

// absent checks that none of the patterns occurs in the region. All are tried, so that all faults are told.
func (r *run) absent(nots []*pattern, region span) bool {
	passed := true
	for _, not := range nots {
		found, err := r.match(not, region)
		passed = r.conclude(not, attempt{round: 1, searched: region, found: found, err: err}) && passed
	}
	return passed
}

// dagGroups matches the CHECK-DAG directives among patterns, group by group, and the CHECK-NOT directives between the
// groups. It gives where the last group ends and the CHECK-NOT directives that follow it.
func (r *run) dagGroups(patterns []*pattern, region span) (start int, nots []*pattern, ok bool) {
	start = region.start
	for len(patterns) > 0 {
		if patterns[0].kind == kindNot {
			nots = append(nots, patterns[0])
			patterns = patterns[1:]
			continue
		}
		size := slices.IndexFunc(patterns, func(p *pattern) bool { return p.kind == kindNot })
		if size < 0 {
			size = len(patterns)
		}
		matches, ok := r.dagGroup(patterns[:size], span{start, region.end})
		if !ok || !r.absent(nots, span{start, matches[0].start}) {
			return 0, nil, false
		}
		start, nots, patterns = matches[len(matches)-1].end, nil, patterns[size:]
	}
	return start, nots, true
}

// dagGroup matches patterns in any order, without overlap, and gives the matches in the order of the input.
func (r *run) dagGroup(patterns []*pattern, region span) ([]span, bool) {
	var taken []span
	for _, p := range patterns {
		found, index, ok := r.dagMatch(p, region, taken)
		if !ok {
			return nil, false
		}
		if r.file.options.AllowDeprecatedDAGOverlap && len(taken) > 0 {
			taken[0] = span{min(taken[0].start, found.start), max(taken[0].end, found.end)}
		} else {
			taken = slices.Insert(taken, index, found)
		}
	}
	return taken, true
}

// dagMatch finds the first match of p that overlaps none of those taken, and the index at which it belongs among them.
func (r *run) dagMatch(p *pattern, region span, taken []span) (found span, index int, ok bool) {
	options := &r.file.options
	for searched := region; ; {
		found, err := r.match(p, searched)
		tried := attempt{expected: true, round: 1, searched: searched, found: found, err: err}
		if (err != nil || options.VeryVerbose) && !r.conclude(p, tried) {
			return span{}, 0, false
		}
		for index < len(taken) && found.start >= taken[index].end {
			index++
		}
		free := index == len(taken) || taken[index].start >= found.end
		if free || options.AllowDeprecatedDAGOverlap {
			if !options.VeryVerbose {
				r.conclude(p, tried)
			}
			return found, index, true
		}
		if options.VeryVerbose {
			r.discard(p, taken[index])
		}
		searched.start = taken[index].end
	}
}
