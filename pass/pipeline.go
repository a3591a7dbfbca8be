package pass

// This file holds pipelines: passes nested by the operations they run on, and their text `builtin.module(a,func.func(b))`.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"tpuir/ir"
)

// Any is the anchor of a pipeline that runs on whatever operation it is given.
const Any = "any"

// Pipeline is a sequence of passes that run on operations of one name, in order.
type Pipeline struct {
	// Anchor is an operation name, or [Any].
	Anchor string
	steps  []step
}

// step is a pass, or a pipeline for nested operations.
type step struct {
	definition *Definition
	pass       Pass
	nested     *Pipeline
}

// NewPipeline returns an empty pipeline for operations of that name.
func NewPipeline(anchor string) *Pipeline { return &Pipeline{Anchor: anchor} }

// Add appends a pass. A pass with another anchor is nested, as mlir-opt nests the passes of its flags; the
// pipeline of the pass before is continued where that has the same anchor.
func (p *Pipeline) Add(definition *Definition, instance Pass) {
	if definition.Anchor == "" || definition.Anchor == p.Anchor || p.Anchor == Any {
		p.steps = append(p.steps, step{definition: definition, pass: instance})
		return
	}
	if n := len(p.steps); n > 0 && p.steps[n-1].nested != nil && p.steps[n-1].nested.Anchor == definition.Anchor {
		p.steps[n-1].nested.Add(definition, instance)
		return
	}
	nested := NewPipeline(definition.Anchor)
	nested.Add(definition, instance)
	p.AddNested(nested)
}

// AddNested appends a pipeline for nested operations.
func (p *Pipeline) AddNested(nested *Pipeline) { p.steps = append(p.steps, step{nested: nested}) }

// Empty reports whether the pipeline has no pass.
func (p *Pipeline) Empty() bool { return len(p.steps) == 0 }

// Definitions returns the definitions of all passes, nested ones too, in order.
func (p *Pipeline) Definitions() []*Definition {
	var all []*Definition
	for _, s := range p.steps {
		if s.nested != nil {
			all = append(all, s.nested.Definitions()...)
		} else {
			all = append(all, s.definition)
		}
	}
	return all
}

// Surround puts passes before the first and behind the last.
func (p *Pipeline) Surround(first, last *Definition) {
	steps := make([]step, 0, len(p.steps)+2)
	steps = append(steps, step{definition: first, pass: first.New()})
	steps = append(steps, p.steps...)
	p.steps = append(steps, step{definition: last, pass: last.New()})
}

// String returns the pipeline as text, with the value of every option.
func (p *Pipeline) String() string {
	parts := make([]string, len(p.steps))
	for i, s := range p.steps {
		if s.nested != nil {
			parts[i] = s.nested.String()
		} else {
			parts[i] = s.definition.Argument + optionsText(s.pass)
		}
	}
	return p.Anchor + "(" + strings.Join(parts, ",") + ")"
}

// Pretty returns the pipeline as text with a pass on each line, as --dump-pass-pipeline shows it.
func (p *Pipeline) Pretty() string { return p.pretty("") }

func (p *Pipeline) pretty(indent string) string {
	inner := indent + "  "
	parts := make([]string, len(p.steps))
	for i, s := range p.steps {
		if s.nested != nil {
			parts[i] = inner + s.nested.pretty(inner)
		} else {
			parts[i] = inner + s.definition.Argument + optionsText(s.pass)
		}
	}
	return p.Anchor + "(\n" + strings.Join(parts, ",\n") + "\n" + indent + ")"
}

// Append adds the passes of another pipeline: behind the last where the anchors agree, else as a nested pipeline.
func (p *Pipeline) Append(other *Pipeline) {
	if p.Anchor == other.Anchor || other.Anchor == Any {
		p.steps = append(p.steps, other.steps...)
		return
	}
	p.AddNested(other)
}

// Flat returns a pipeline for each pass, in order: that pass alone with the anchors around it.
func (p *Pipeline) Flat() []*Pipeline {
	var all []*Pipeline
	for _, s := range p.steps {
		if s.nested == nil {
			all = append(all, &Pipeline{Anchor: p.Anchor, steps: []step{s}})
			continue
		}
		for _, inner := range s.nested.Flat() {
			all = append(all, &Pipeline{Anchor: p.Anchor, steps: []step{{nested: inner}}})
		}
	}
	return all
}

// clone makes a pipeline of fresh instances with the same options, for another goroutine.
func (p *Pipeline) clone() *Pipeline {
	copied := NewPipeline(p.Anchor)
	for _, s := range p.steps {
		if s.nested != nil {
			copied.AddNested(s.nested.clone())
			continue
		}
		instance := s.definition.New()
		from := Options(s.pass)
		for i, o := range Options(instance) {
			_ = o.set(from[i].Value()) // it was printed by the same option
		}
		copied.steps = append(copied.steps, step{definition: s.definition, pass: instance})
	}
	return copied
}

// ParsePipeline reads a pipeline text. An error is a [ir.Diagnostic] whose message holds the whole text with a caret
// under the bad part.
func ParsePipeline(r *Registry, text string) (*Pipeline, error) {
	p := pipelineParser{registry: r, text: text}
	p.skip()
	start := p.at
	name := p.name()
	p.skip()
	if name == "" || p.at >= len(text) || text[p.at] != '(' {
		return nil, p.errorAt(start, "expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'")
	}
	pipeline, err := p.body(name)
	if err != nil {
		return nil, err
	}
	p.skip()
	if p.at < len(text) {
		return nil, p.errorAt(p.at, "expected the end of the pipeline")
	}
	return pipeline, nil
}

type pipelineParser struct {
	registry *Registry
	text     string
	at       int
	depth    int
}

// maxPipelineDepth bounds nesting; no operation is nested deeper in earnest.
const maxPipelineDepth = 100

func (p *pipelineParser) errorAt(offset int, format string, args ...any) error {
	shown := strings.ReplaceAll(p.text, "\n", " ")
	return &ir.Diagnostic{Message: fmt.Sprintf("pass pipeline:1:%d: %s\n%s\n%s^", offset+1, fmt.Sprintf(format, args...),
		shown, strings.Repeat(" ", utf8.RuneCountInString(shown[:offset])))}
}

func (p *pipelineParser) skip() { p.at = skipBlanks(p.text, p.at) }

func (p *pipelineParser) name() string {
	start := p.at
	for p.at < len(p.text) && !isBlank(p.text[p.at]) && !strings.ContainsRune("(){},", rune(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

// body reads `(element, …)`.
func (p *pipelineParser) body(anchor string) (*Pipeline, error) {
	open := p.at
	if p.depth++; p.depth > maxPipelineDepth {
		return nil, p.errorAt(open, "pipeline is nested more than %d deep", maxPipelineDepth)
	}
	defer func() { p.depth-- }()
	p.at++
	pipeline := NewPipeline(anchor)
	p.skip()
	if p.depth == 1 && p.at < len(p.text) && p.text[p.at] == ')' { // a nested one has to have a pass, as in mlir-opt
		p.at++
		return pipeline, nil
	}
	for {
		if err := p.element(pipeline); err != nil {
			return nil, err
		}
		p.skip()
		if p.at >= len(p.text) {
			return nil, p.errorAt(open, "encountered unbalanced parentheses: this '(' is not closed")
		}
		p.at++
		switch p.text[p.at-1] {
		case ',':
		case ')':
			return pipeline, nil
		default:
			return nil, p.errorAt(p.at-1, "expected ',' or ')' after a pass")
		}
	}
}

func (p *pipelineParser) element(pipeline *Pipeline) error {
	p.skip()
	start := p.at
	name := p.name()
	if name == "" {
		return p.errorAt(start, "expected the name of a pass or of an operation")
	}
	p.skip()
	if p.at < len(p.text) && p.text[p.at] == '(' {
		nested, err := p.body(name)
		if err != nil {
			return err
		}
		pipeline.AddNested(nested)
		return nil
	}
	definition := p.registry.Lookup(name)
	if definition == nil {
		hint := p.registry.Suggest(name)
		if hint != "" {
			hint = fmt.Sprintf("; did you mean '%s'?", hint)
		}
		return p.errorAt(start, "'%s' does not refer to a registered pass or pass pipeline%s", name, hint)
	}
	if definition.Anchor != "" && definition.Anchor != pipeline.Anchor && pipeline.Anchor != Any {
		return p.errorAt(start, "can't run '%s' on '%s': the pass is anchored on '%s'; write %s(%s)", name, pipeline.Anchor,
			definition.Anchor, definition.Anchor, name)
	}
	instance := definition.New()
	if p.at < len(p.text) && p.text[p.at] == '{' {
		end := closingBrace(p.text, p.at)
		if end < 0 {
			return p.errorAt(p.at, "missing closing '}' while processing pass options")
		}
		if err := Configure(instance, definition, p.text[p.at+1:end]); err != nil {
			offset := p.at + 1
			if o, ok := err.(*optionError); ok {
				offset += o.offset
			}
			return p.errorAt(offset, "%v", err)
		}
		p.at = end + 1
	}
	pipeline.steps = append(pipeline.steps, step{definition: definition, pass: instance})
	return nil
}

// closingBrace finds the brace that closes the one at the offset, quotes respected.
func closingBrace(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\'', '"':
			if close := strings.IndexByte(text[i+1:], text[i]); close >= 0 {
				i += close + 1
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Len returns the number of passes and nested pipelines at the top.
func (p *Pipeline) Len() int { return len(p.steps) }

// Clone returns a pipeline of fresh passes with the same options: a pass may not run twice.
func (p *Pipeline) Clone() *Pipeline { return p.clone() }
