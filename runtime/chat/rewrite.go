package chat

// This file reads a template's tags, does the white space control of Jinja as Hugging Face sets it (trim_blocks and
// lstrip_blocks on), and writes the template for gonja: each tag on the line it had, all text as constants.

import (
	"fmt"
	"strings"
)

// maxTemplate bounds a template in bytes; the published ones have up to 25 kB.
const maxTemplate = 1 << 18

// A tag is one {{ }}, {% %} or {# #} and the text before it.
type tag struct {
	before string
	kind   byte // '{', '%', '#', or 0 at the end of the template
	text   string
	line   int
}

// rewriter writes the template for gonja.
type rewriter struct {
	out       strings.Builder
	line      int // of out, from 1
	constants constants
	// open are the tags that are not closed yet.
	open []string
}

// rewrite returns the template for gonja and its constants. Errors name the line.
func rewrite(source string) (string, []string, error) {
	if len(source) > maxTemplate {
		return "", nil, fmt.Errorf("a template of %d bytes is too long", len(source))
	}
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	source = strings.TrimSuffix(source, "\n")
	w := &rewriter{line: 1}
	s := scanner{source: source, line: 1, lineStart: true}
	for {
		t, err := s.next()
		if err != nil {
			return "", nil, fmt.Errorf("line %d: %w", s.line, err)
		}
		if t.before != "" {
			w.write("{{", t.line, w.constants.add(t.before), "}}")
		}
		if t.kind == 0 {
			break
		}
		if err := w.tag(t); err != nil {
			return "", nil, fmt.Errorf("line %d: %w", t.line, err)
		}
	}
	if len(w.open) > 0 {
		return "", nil, fmt.Errorf("line %d: %q is not closed", s.line, w.open[len(w.open)-1])
	}
	return w.out.String(), w.constants.values, nil
}

// write puts a tag on its line; the new lines before it stand in a comment.
func (w *rewriter) write(open string, line int, text, end string) {
	if w.line < line {
		w.out.WriteString("{#" + strings.Repeat("\n", line-w.line) + "#}")
		w.line = line
	}
	w.out.WriteString(open + " " + text + " " + end)
}

func (w *rewriter) tag(t tag) error {
	if t.kind == '#' {
		return nil
	}
	tokens, err := tokenize(t.text)
	if err != nil {
		return err
	}
	p := &expressionParser{tokens: tokens, constants: &w.constants}
	if t.kind == '%' {
		return w.statement(p, t.line)
	}
	value, err := p.tuple()
	if err != nil {
		return err
	}
	w.write("{{", t.line, "__print("+value+")", "}}")
	return p.end()
}

// statement reads what stands between {% and %}.
func (w *rewriter) statement(p *expressionParser, line int) error {
	word := p.next()
	if word.kind != nameToken {
		return fmt.Errorf("a tag begins with %q", word.text)
	}
	text, err := w.statementText(p, word.text)
	if err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	if len(w.open) > maxDepth {
		return fmt.Errorf("tags are nested deeper than %d", maxDepth)
	}
	if text != "" {
		w.write("{%", line, text, "%}")
	}
	return nil
}

func (w *rewriter) statementText(p *expressionParser, word string) (string, error) {
	switch word {
	case "for":
		w.open = append(w.open, word)
		return forText(p)
	case "if", "elif":
		if word == "if" {
			w.open = append(w.open, word)
		} else if err := w.inside(word, "if"); err != nil {
			return "", err
		}
		condition, err := p.expression()
		return word + " " + condition, err
	case "else":
		return word, w.inside(word, "if", "for")
	case "set":
		return w.setText(p)
	case "macro":
		w.open = append(w.open, word)
		return macroText(p)
	case "generation":
		// Marks what the model writes, for training; it renders its content.
		w.open = append(w.open, word)
		return "", nil
	case "break", "continue":
		for _, open := range w.open {
			if open == "for" {
				return word, nil
			}
		}
		return "", fmt.Errorf("%q outside of a loop", word)
	case "endfor", "endif", "endset", "endmacro", "endgeneration":
		if err := w.inside(word, strings.TrimPrefix(word, "end")); err != nil {
			return "", err
		}
		w.open = w.open[:len(w.open)-1]
		if word == "endgeneration" {
			return "", nil
		}
		return word, nil
	}
	return "", fmt.Errorf("the tag %q is not supported", word)
}

// inside is an error where the innermost open tag is none of these.
func (w *rewriter) inside(word string, tags ...string) error {
	if len(w.open) > 0 {
		for _, tag := range tags {
			if w.open[len(w.open)-1] == tag {
				return nil
			}
		}
	}
	return fmt.Errorf("%q without %q", word, strings.Join(tags, " or "))
}

func forText(p *expressionParser) (string, error) {
	parenthesis := p.symbol("(")
	names, err := nameList(p)
	if err != nil {
		return "", err
	}
	if parenthesis {
		if err := p.expect(")"); err != nil {
			return "", err
		}
	}
	if len(names) > 2 {
		return "", fmt.Errorf("a loop over %d names is not supported", len(names))
	}
	if !p.keyword("in") {
		return "", p.unexpected(`"in"`)
	}
	items, err := p.or()
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("for %s in __loop(%s, %d)", strings.Join(names, ", "), items, len(names))
	if p.keyword("if") {
		condition, err := p.or()
		if err != nil {
			return "", err
		}
		text += " if " + condition
	}
	return text, nil
}

func nameList(p *expressionParser) ([]string, error) {
	var names []string
	for {
		t := p.next()
		if t.kind != nameToken {
			return nil, fmt.Errorf("expected a name, not %q", t.text)
		}
		text, err := name(t.text)
		if err != nil {
			return nil, err
		}
		if names = append(names, text); !p.symbol(",") {
			return names, nil
		}
	}
}

// setText reads {% set a = value %}, {% set space.a = value %} and {% set a %}…{% endset %}.
func (w *rewriter) setText(p *expressionParser) (string, error) {
	names, err := nameList(p)
	if err != nil {
		return "", err
	}
	if len(names) > 1 {
		return "", fmt.Errorf("setting %d names at once is not supported", len(names))
	}
	target := names[0]
	if p.symbol(".") {
		attribute, err := nameList(p)
		if err != nil || len(attribute) > 1 {
			return "", p.unexpected("the name of an attribute")
		}
		target += "." + attribute[0]
	}
	if !p.symbol("=") {
		w.open = append(w.open, "set")
		return "set " + target, nil
	}
	value, err := p.tuple()
	return fmt.Sprintf("set %s = __self(%s)", target, value), err
}

// macroText adds a hidden parameter, whose default value counts the calls.
func macroText(p *expressionParser) (string, error) {
	t := p.next()
	macro, err := name(t.text)
	if t.kind != nameToken || err != nil {
		return "", fmt.Errorf("expected the name of a macro, not %q", t.text)
	}
	if err := p.expect("("); err != nil {
		return "", err
	}
	parameters, err := p.list(")", func() (string, error) {
		t := p.next()
		text, err := name(t.text)
		if t.kind != nameToken || err != nil {
			return "", fmt.Errorf("expected the name of a parameter, not %q", t.text)
		}
		if !p.symbol("=") {
			return text, nil
		}
		value, err := p.expression()
		return text + "=" + value, err
	})
	if parameters != "" {
		parameters += ", "
	}
	return fmt.Sprintf("macro %s(%s__count=__call())", macro, parameters), err
}

// scanner finds the tags and does the white space control.
type scanner struct {
	source    string
	line      int
	lineStart bool // the source read so far ends with a new line, or is empty
	trimLeft  bool // the last tag ended with -
	trimLine  bool // the last tag was a block
}

// next returns the next tag; text before it has its white space removed as the tags around it ask.
func (s *scanner) next() (tag, error) {
	data, kind := s.source, byte(0)
	start := -1
	for at := 0; at+1 < len(s.source); at++ {
		if s.source[at] == '{' && (s.source[at+1] == '{' || s.source[at+1] == '%' || s.source[at+1] == '#') {
			start, kind = at, s.source[at+1]
			data = s.source[:start]
			break
		}
	}
	s.line += strings.Count(data, "\n")
	t := tag{kind: kind, line: s.line}
	if kind == 0 {
		t.before = s.text(data, 0, 0)
		s.source = ""
		return t, nil
	}
	body, mark := s.source[start+2:], byte(0)
	if body != "" && (body[0] == '-' || body[0] == '+') {
		mark, body = body[0], body[1:]
	}
	t.before = s.text(data, kind, mark)
	return s.finish(t, body)
}

// finish reads the rest of a tag after its opening.
func (s *scanner) finish(t tag, body string) (tag, error) {
	end := tagEnd(body, t.kind)
	if end < 0 {
		return t, fmt.Errorf("the tag {%c has no end", t.kind)
	}
	t.text, s.source = body[:end], body[end+2:]
	s.line += strings.Count(t.text, "\n")
	s.trimLeft = strings.HasSuffix(t.text, "-")
	keepLine := strings.HasSuffix(t.text, "+")
	if s.trimLeft || keepLine {
		t.text = t.text[:len(t.text)-1]
	}
	s.trimLine = t.kind != '{' && !keepLine
	s.lineStart = false
	if t.kind == '%' && strings.TrimSpace(t.text) == "raw" {
		return s.raw(t)
	}
	return t, nil
}

// tagEnd finds the end of a tag outside of its strings, or -1.
func tagEnd(body string, kind byte) int {
	if kind == '#' {
		return strings.Index(body, "#}")
	}
	end := map[byte]string{'{': "}}", '%': "%}"}[kind]
	var quote byte
	braces := 0
	for at := 0; at < len(body); at++ {
		switch c := body[at]; {
		case quote != 0:
			if c == '\\' {
				at++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case braces == 0 && strings.HasPrefix(body[at:], end):
			return at
		case c == '{':
			braces++
		case c == '}' && braces > 0:
			braces--
		}
	}
	return -1
}

// raw returns everything up to {% endraw %} as the text before an empty comment.
func (s *scanner) raw(t tag) (tag, error) {
	for at := 0; ; {
		start := strings.Index(s.source[at:], "{%")
		if start < 0 {
			return t, fmt.Errorf("raw has no end")
		}
		start += at
		body, mark := s.source[start+2:], byte(0)
		if body != "" && (body[0] == '-' || body[0] == '+') {
			mark, body = body[0], body[1:]
		}
		end := strings.Index(body, "%}")
		if end < 0 || strings.TrimSpace(strings.TrimRight(body[:end], "-+")) != "endraw" {
			at = start + 2
			continue
		}
		data := s.source[:start]
		s.line += strings.Count(data, "\n")
		t.before += s.text(data, '%', mark)
		t.kind, t.line = '#', s.line
		s.trimLeft = strings.HasSuffix(body[:end], "-")
		s.trimLine = !strings.HasSuffix(body[:end], "+")
		s.source = body[end+2:]
		return t, nil
	}
}

// text removes white space from the text before a tag of a kind that begins with mark.
func (s *scanner) text(data string, kind, mark byte) string {
	if s.trimLeft {
		data = strings.TrimLeft(data, " \t\n\v\f")
	} else if s.trimLine && strings.HasPrefix(data, "\n") {
		data = data[1:]
		s.lineStart = true
	}
	s.trimLeft, s.trimLine = false, false
	if mark == '-' {
		return strings.TrimRight(data, " \t\n\v\f")
	}
	if mark != '+' && (kind == '%' || kind == '#') {
		last := strings.LastIndexByte(data, '\n') + 1
		if (last > 0 || s.lineStart) && strings.TrimSpace(data[last:]) == "" {
			data = data[:last]
		}
	}
	return data
}
