// Update: the directives of a check file are rewritten from a tool's present output. Every line of the output becomes a
// directive, a line that opens a function or module of its own name a CHECK-LABEL; SSA names become variables. All
// other lines of the check file stay. A second run with the same output changes nothing.

package filecheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"tpuir/internal/atomicfile"
)

// labelLine is a line that opens a named function or module: func.func @main(…) {, module @block_0 attributes {…} {.
var labelLine = regexp.MustCompile(`^\s*[A-Za-z_][\w.]*(?: \w+)* (@(?:[\w$.-]+|"[^"]*")).*\{\s*$`)

// leaderBytes may stand between the start of a line and a directive that has the line for itself.
const leaderBytes = " \t/#;*-!<"

// defaultLeader starts a directive in a file that has none yet, and no RUN line that tells how its comments look.
const defaultLeader = "// "

// commentLeader is a leader that makes a comment of the rest of its line.
var commentLeader = regexp.MustCompile(`^\s*(?://+|#+|;+|--+)\s*$`)

// Update gives the text of a check file with its directives rewritten so that output matches them. The prefix is the
// first of the options; directives with any of them are replaced. The error tells why the result would not match.
func Update(name string, text, output []byte, options Options) ([]byte, error) {
	checkPrefixes, commentPrefixes, err := options.prefixes()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(output)) == 0 {
		return nil, errors.New("the output is empty")
	}
	skeleton := takeApart(string(text), checkPrefixes, commentPrefixes)
	blocks := cutAtLabels(string(output), &options)
	writer := &directiveWriter{prefix: checkPrefixes[0], options: &options}
	updated := []byte(skeleton.fill(blocks, writer))
	file, err := Parse(name, updated, options)
	if err != nil {
		return nil, fmt.Errorf("the new directives are not valid: %w", err)
	}
	if err := file.Check("output", output).Err(); err != nil {
		return nil, fmt.Errorf("the new directives do not match: %w", err)
	}
	return updated, nil
}

// skeleton is a check file without its directives.
type skeleton struct {
	kept    []string
	newline string
	leader  string          // starts a directive where there was none
	first   *slot           // where the first directive was; nil where there was none
	labels  map[string]slot // where the label of a name was
}

// slot is a place before a kept line, and what directives there start with.
type slot struct {
	before int
	leader string
}

// takeApart separates directives from all else.
func takeApart(text string, check, comments []string) *skeleton {
	s := &skeleton{newline: "\n", leader: defaultLeader, labels: map[string]slot{}}
	if strings.Contains(text, "\r\n") {
		s.newline = "\r\n"
	}
	described := false
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		head, ok := newScanner(&source{text: line}, check, comments).next()
		if !ok || head.kind == kindComment {
			s.kept = append(s.kept, line)
			if ok && !described && commentLeader.MatchString(line[:head.prefix.start]) {
				s.leader, described = line[:head.prefix.start], true
			}
			continue
		}
		before := line[:head.prefix.start]
		code := strings.TrimRight(before, leaderBytes)
		here := slot{before: len(s.kept), leader: before[len(code):]}
		if code != "" {
			s.kept = append(s.kept, code+s.newline)
			here = slot{before: len(s.kept), leader: s.leader}
		}
		s.remember(here, head)
	}
	return s
}

func (s *skeleton) remember(here slot, head found) {
	if s.first == nil {
		s.first = &here
	}
	if head.kind != kindLabel {
		return
	}
	if name := symbolIn(head.after.String()); name != "" {
		if _, again := s.labels[name]; !again {
			s.labels[name] = here
		}
	}
}

var symbol = regexp.MustCompile(`@(?:[\w$.-]+|"[^"]*")`)

func symbolIn(text string) string { return symbol.FindString(text) }

// fill writes the kept lines with the directives of the blocks between them.
func (s *skeleton) fill(blocks []block, writer *directiveWriter) string {
	if n := len(s.kept); n > 0 && !strings.HasSuffix(s.kept[n-1], "\n") {
		s.kept[n-1] += s.newline
	}
	var out strings.Builder
	written := 0
	for i, place := range s.places(blocks) {
		for ; written < place.before; written++ {
			out.WriteString(s.kept[written])
		}
		for _, directive := range writer.write(blocks[i], i == 0) {
			out.WriteString(place.leader + directive + s.newline)
		}
	}
	for ; written < len(s.kept); written++ {
		out.WriteString(s.kept[written])
	}
	return out.String()
}

// places gives a slot for each block, in order: where its label was; else behind the block before it; and in a file
// without directives before the line that defines its name.
func (s *skeleton) places(blocks []block) []slot {
	places := make([]slot, len(blocks))
	last := slot{before: len(s.kept), leader: s.leader}
	if s.first != nil {
		last = *s.first
	} else if named := slices.IndexFunc(blocks, func(b block) bool { return s.definition(b.symbol) >= 0 }); named >= 0 {
		last.before = s.definition(blocks[named].symbol)
	}
	for i, b := range blocks {
		here := last
		if label, ok := s.labels[b.symbol]; ok {
			here = label
		} else if definition := s.definition(b.symbol); s.first == nil && definition >= 0 {
			here.before = definition
		}
		here.before = max(here.before, last.before)
		places[i], last = here, here
	}
	return places
}

// definition is the kept line that defines a name; -1 means that there is none.
func (s *skeleton) definition(name string) int {
	if name == "" {
		return -1
	}
	return slices.IndexFunc(s.kept, func(line string) bool {
		found := labelLine.FindStringSubmatch(line)
		return found != nil && found[1] == name
	})
}

// block is a part of the output that starts with a label, or the part before the first label.
type block struct {
	symbol string
	lines  []string
}

// lineBreak is what CHECK-NEXT counts as one.
var lineBreak = regexp.MustCompile(`\r\n|\n\r|\n|\r`)

// cutAtLabels cuts the output at lines that define names. Empty lines at its ends count for nothing.
func cutAtLabels(output string, options *Options) []block {
	output = strings.Trim(canonicalize(output, options.StrictWhitespace), "\n\r")
	var blocks []block
	for _, line := range lineBreak.Split(output, -1) {
		found := labelLine.FindStringSubmatch(line)
		// A label that names variables would have to be cut short, which a match of the full line does not permit.
		if found != nil && !(options.MatchFullLines && ssaName.MatchString(line)) {
			blocks = append(blocks, block{symbol: found[1]})
		} else if blocks == nil {
			blocks = append(blocks, block{})
		}
		last := &blocks[len(blocks)-1]
		last.lines = append(last.lines, line)
	}
	return blocks
}

// directiveWriter turns lines of output into directives.
type directiveWriter struct {
	prefix    string
	options   *Options
	variables map[string]string // names of SSA values, and the variables that hold them
	taken     map[string]bool
}

// write gives the directives of a block, without leaders. Names of values are its own.
func (w *directiveWriter) write(b block, first bool) []string {
	w.variables, w.taken = map[string]string{}, map[string]bool{}
	var directives []string
	for i, line := range b.lines {
		suffix := "-NEXT"
		if i == 0 && first {
			suffix = ""
		}
		switch {
		case i == 0 && b.symbol != "":
			directives = append(directives, w.label(line)...)
		case line == "":
			directives = append(directives, w.prefix+"-EMPTY:")
		case strings.Trim(line, horizontalSpace) == "":
			directives = append(directives, w.directive(suffix, "{{^[[:blank:]]+$}}"))
		default:
			directives = append(directives, w.directive(suffix, w.pattern(line)))
		}
	}
	return directives
}

// directive joins prefix, suffix and pattern. Where white space and lines are both exact, so is what follows the colon.
func (w *directiveWriter) directive(suffix, pattern string) string {
	if w.options.StrictWhitespace && w.options.MatchFullLines {
		return w.prefix + suffix + ":" + pattern
	}
	return w.prefix + suffix + ": " + strings.TrimLeft(pattern, horizontalSpace)
}

// label writes a line as CHECK-LABEL up to the first value, which a label may not name, and the rest as CHECK-SAME.
func (w *directiveWriter) label(line string) []string {
	cut := len(line)
	if value := ssaName.FindStringIndex(line); value != nil {
		cut = value[0]
	}
	directives := []string{w.directive("-LABEL", escapePattern(line[:cut]))}
	if cut < len(line) {
		directives = append(directives, w.directive("-SAME", w.pattern(line[cut:])))
	}
	return directives
}

// ssaName is a value of MLIR or LLVM: %0, %arg1, %"…" is not one.
var ssaName = regexp.MustCompile(`%(?:[0-9]+|[A-Za-z_$.-][\w$.-]*)`)

// quotedOrName finds values outside of string literals.
var quotedOrName = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|` + ssaName.String())

// pattern writes a line as a pattern that matches it whatever its values are called.
func (w *directiveWriter) pattern(line string) string {
	wildcard := ".*"
	if w.repeats(line) {
		// A name that is used again on its line makes a back-reference, and those want a pattern that fits one way.
		wildcard = "[[:alnum:]_$.-]+"
	}
	var out strings.Builder
	last := 0
	for _, at := range quotedOrName.FindAllStringIndex(line, -1) {
		if line[at[0]] != '%' {
			continue
		}
		out.WriteString(escapePattern(line[last:at[0]]))
		out.WriteString("%" + w.variable(line[at[0]+1:at[1]], wildcard))
		last = at[1]
	}
	out.WriteString(escapePattern(line[last:]))
	return out.String()
}

// repeats reports whether a line names a new value more than once.
func (w *directiveWriter) repeats(line string) bool {
	seen := map[string]bool{}
	for _, text := range quotedOrName.FindAllString(line, -1) {
		if text[0] != '%' || w.variables[text[1:]] != "" {
			continue
		}
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// variable captures a value where it is met first, and refers to it afterwards.
func (w *directiveWriter) variable(value, wildcard string) string {
	if known, ok := w.variables[value]; ok {
		return "[[" + known + "]]"
	}
	name := strings.Map(func(c rune) rune {
		if c < 0x80 && isWordByte(byte(c)) {
			return c
		}
		return '_'
	}, strings.ToUpper(value))
	if isDigit(name[0]) {
		name = "V" + name
	}
	for base, n := name, 2; w.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	w.variables[value], w.taken[name] = name, true
	return "[[" + name + ":" + wildcard + "]]"
}

// openings are runs of brackets that a pattern would take for the start of a block.
var openings = regexp.MustCompile(`[\[{]{2,}`)

// escapePattern writes text so that a pattern matches it literally.
func escapePattern(text string) string {
	return openings.ReplaceAllStringFunc(text, func(run string) string {
		return "{{" + escapeERE(run) + "}}"
	})
}

// runUpdate rewrites the check file from the input, if that changes it.
func (c *command) runUpdate(stdin io.Reader) error {
	if c.checkFile == "" {
		return errors.New("<check-file> not specified")
	}
	if c.checkFile == standardInput {
		return errors.New("standard input can't be rewritten: give the name of the check file")
	}
	old, err := os.ReadFile(c.inFolder(c.checkFile))
	if err != nil {
		return err
	}
	_, output, err := c.read(c.inputFile, stdin)
	if err != nil {
		return err
	}
	updated, err := Update(c.checkFile, old, output, c.options)
	if err != nil {
		return fmt.Errorf("%s: %w", c.checkFile, err)
	}
	if bytes.Equal(old, updated) {
		return nil
	}
	return replaceFile(c.inFolder(c.checkFile), updated)
}

// replaceFile writes a file as a whole and keeps its permissions.
func replaceFile(name string, data []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	file, err := atomicfile.Create(name)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := file.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Commit()
}
