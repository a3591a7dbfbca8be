// The input dump: the input with line numbers, and under its lines the marks of what the directives found.

package filecheck

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// DumpMode says when the annotated input is part of the report.
type DumpMode uint8

// The modes of the input dump.
const (
	DumpNever DumpMode = iota
	DumpOnFailure
	DumpAlways
)

// DumpFilter says which lines of the input are shown.
type DumpFilter uint8

// The filters of the input dump. DumpDefault shows errors, or all lines in mode DumpAlways.
const (
	DumpDefault DumpFilter = iota
	DumpErrors
	DumpAnnotations
	DumpAnnotationsFull
	DumpAll
)

// Dump holds the options of the input dump. Its zero value means none.
type Dump struct {
	Mode    DumpMode
	Filter  DumpFilter
	Context int // lines shown before and after those that the filter picks
}

// DefaultDumpContext is the context of FileCheck's own dump.
const DefaultDumpContext = 5

// marker is how an outcome is drawn.
type marker struct {
	lead byte
	note string
	bad  bool // shown by DumpErrors
}

var markers = [...]marker{
	outcomeFound:          {lead: '^'},
	outcomeExcluded:       {lead: '!', note: "error: no match expected", bad: true},
	outcomeWrongLine:      {lead: '!', note: "error: match on wrong line", bad: true},
	outcomeDiscarded:      {lead: '!', note: "discard: overlaps earlier match"},
	outcomeAbsent:         {lead: 'X'},
	outcomeMissing:        {lead: 'X', note: "error: no match found", bad: true},
	outcomeInvalidPattern: {lead: 'X', note: "error: match failed for invalid pattern", bad: true},
	outcomeFuzzy:          {lead: '?', note: "possible intended match", bad: true},
}

// toLineEnd is the end column of a mark that goes on in the next line.
const toLineEnd = math.MaxInt

// mark is the part of an annotation that lies on one line.
type mark struct {
	marker
	label       string
	line        int
	first, last int // columns, one-based and half-open
	continued   bool
}

// writeDump writes the annotated input.
func (r *Report) writeDump(out *strings.Builder) {
	fmt.Fprintf(out, "\nInput file: %s\nCheck file: %s\n\n", r.input.name, r.file.source.name)
	out.WriteString("-dump-input=help explains the following input dump.\n\nInput was:\n<<<<<<\n")
	marks, width := r.marks()
	lines := strings.SplitAfter(r.input.text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	width = max(width, len(fmt.Sprint(max(len(lines), 1)))) + 3
	d := &dumper{out: out, options: r.file.options.Dump, width: width}
	if d.options.Filter == DumpDefault {
		d.options.Filter = DumpErrors
		if d.options.Mode == DumpAlways {
			d.options.Filter = DumpAll
		}
	}
	d.write(lines, marks)
	out.WriteString(">>>>>>\n")
}

// marks breaks the annotations into lines, sorts them, and gives the width of the widest label.
func (r *Report) marks() (marks []mark, width int) {
	uses := map[piece]int{}
	for _, a := range r.annotations {
		uses[a.check]++
	}
	seen := map[piece]int{}
	for _, a := range r.annotations {
		label := a.directive.abbreviation() + ":" + r.checkLine(a.check)
		if uses[a.check] > 1 {
			label += fmt.Sprintf("'%d", seen[a.check])
			seen[a.check]++
		}
		width = max(width, len(label))
		marks = append(marks, r.breakLines(a, label)...)
	}
	sort.SliceStable(marks, func(i, j int) bool { return marks[i].line < marks[j].line })
	return marks, width
}

// checkLine names the place of a pattern: its line, or the number of the implicit pattern.
func (r *Report) checkLine(check piece) string {
	for i, implicit := range r.file.implicit {
		if implicit == check.source {
			return fmt.Sprintf("imp%d", i+1)
		}
	}
	line, _ := check.source.position(check.start)
	return fmt.Sprint(line)
}

// breakLines makes one mark for each line that an annotation touches.
func (r *Report) breakLines(a annotation, label string) []mark {
	head := mark{marker: markers[a.outcome], label: label}
	if a.note != "" {
		head.note = a.note
		if a.marked.start == a.marked.end {
			head.lead = ' ' // the note is about no place in particular
		}
	}
	line, column := r.input.position(a.marked.start)
	endLine, endColumn := r.input.position(a.marked.end)
	head.line, head.first = line, column
	if line == endLine {
		head.last = max(column+1, endColumn)
		return []mark{head}
	}
	head.last = toLineEnd
	marks := []mark{head}
	for line++; line < endLine || (line == endLine && endColumn > 1); line++ {
		next := mark{marker: head.marker, label: label, line: line, first: 1, last: toLineEnd, continued: true}
		next.lead, next.note = '~', ""
		if line == endLine {
			next.last = endColumn
		}
		marks = append(marks, next)
	}
	return marks
}

// dumper writes the lines of a dump.
type dumper struct {
	out     *strings.Builder
	options Dump
	width   int
	elided  strings.Builder // lines that are left out, unless the ellipsis would be longer
}

func (d *dumper) write(lines []string, marks []mark) {
	shown := 0 // the last line picked by the filter
	for number := 1; number <= len(lines) || len(marks) > 0; number++ {
		text := ""
		if number <= len(lines) {
			text = lines[number-1]
		}
		next := d.nextShown(number, marks)
		if next == number {
			shown = number
		}
		out := &d.elided
		if (shown > 0 && shown+d.options.Context >= number) || (next > 0 && number+d.options.Context >= next) {
			d.flushElided()
			out = d.out
		}
		fmt.Fprintf(out, "%*d: %s\n", d.width, number, strings.Replace(text, "\n", " ", 1))
		for len(marks) > 0 && marks[0].line == number {
			d.writeMark(out, marks[0], len(text))
			marks = marks[1:]
		}
	}
	d.flushElided()
}

// nextShown is the first line from number on that the filter picks; 0 means none.
func (d *dumper) nextShown(number int, marks []mark) int {
	if d.options.Filter == DumpAll {
		return number
	}
	for _, m := range marks {
		switch {
		case d.options.Filter == DumpAnnotationsFull,
			d.options.Filter == DumpAnnotations && !m.continued,
			d.options.Filter == DumpErrors && !m.continued && m.bad:
			return m.line
		}
	}
	return 0
}

// writeMark writes the line of a mark under a line of the input that is inputWidth wide, with its line break.
func (d *dumper) writeMark(out *strings.Builder, m mark, inputWidth int) {
	line := []byte(fmt.Sprintf("%-*s  ", d.width, m.label))
	line = append(line, strings.Repeat(" ", m.first-1)...)
	line = append(line, m.lead)
	column := m.first + 1
	for ; column < m.last && column <= inputWidth; column++ {
		line = append(line, '~')
	}
	if m.note != "" {
		for ; column <= inputWidth; column++ {
			line = append(line, ' ')
		}
		line = append(line, " "+m.note...)
	}
	out.Write(append(line, '\n'))
}

// flushElided writes what was left out, or an ellipsis if that is shorter.
func (d *dumper) flushElided() {
	const ellipsis = 3
	text := d.elided.String()
	if strings.Count(text, "\n") > ellipsis {
		text = strings.Repeat(fmt.Sprintf("%*s\n", d.width, "."), ellipsis)
	}
	d.out.WriteString(text)
	d.elided.Reset()
}
