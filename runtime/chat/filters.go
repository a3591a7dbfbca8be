package chat

// This file is the filters: those of gonja that do what Jinja's do within bounds, and our own for the others.

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/exec"
)

// runName is the name under which a filter finds the run that it belongs to.
const runName = "__run"

// kept are gonja's own filters: their results are no larger than what they get.
var kept = []string{"abs", "attr", "first", "float", "int", "last", "list", "lower", "map", "max", "min", "reject",
	"rejectattr", "reverse", "round", "safe", "select", "selectattr", "sort", "sum", "upper"}

// filter is one of ours.
type filter func(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error)

// filters returns the table for gonja.
func filters() map[string]exec.FilterFunction {
	table := map[string]exec.FilterFunction{}
	for _, name := range kept {
		if original, ok := builtins.Filters.Get(name); ok {
			table[name] = keptFilter(original)
		}
	}
	for name, f := range map[string]filter{
		"trim": trimFilter, "tojson": jsonFilter, "join": joinFilter, "replace": replaceFilter, "indent": indentFilter,
		"default": defaultFilter, "d": defaultFilter, "length": lengthFilter, "count": lengthFilter, "string": stringFilter,
		"capitalize": textFilter(capitalize), "title": textFilter(title), "items": itemsFilter, "dictsort": sortedFilter,
	} {
		table[name] = f.bind(name)
	}
	return table
}

func runOf(e *exec.Evaluator) (*run, bool) {
	value, _ := e.Environment.Context.Get(runName)
	r, ok := value.(*run)
	return r, ok
}

func keptFilter(original exec.FilterFunction) exec.FilterFunction {
	return func(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
		r, ok := runOf(e)
		if !ok || in.IsError() {
			return in
		}
		size := 0
		if !isUndefined(in) && !isNone(in) && in.IsIterable() {
			size = in.Len() * itemCost
		}
		if err := r.charge(size); err != nil {
			return exec.AsValue(err)
		}
		return original(e, in, params)
	}
}

func (f filter) bind(name string) exec.FilterFunction {
	return func(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
		r, ok := runOf(e)
		if !ok || in.IsError() {
			return in
		}
		if err := r.charge(0); err != nil {
			return exec.AsValue(err)
		}
		result, err := f(r, in, params.Args, params.KwArgs)
		if err != nil {
			return exec.AsValue(r.fail(fmt.Errorf("filter %s: %w", name, err)))
		}
		if v, ok := result.(*exec.Value); ok {
			return v
		}
		return exec.AsValue(result)
	}
}

func trimFilter(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	text := show(v, false)
	if err := r.charge(len(text)); err != nil {
		return nil, err
	}
	return stripMethod(text, "strip", arguments, named)
}

func textFilter(change func(string) string) filter {
	return func(r *run, v *exec.Value, _ []*exec.Value, _ map[string]*exec.Value) (any, error) {
		text := show(v, false)
		return change(text), r.charge(len(text))
	}
}

func stringFilter(r *run, v *exec.Value, _ []*exec.Value, _ map[string]*exec.Value) (any, error) {
	text := show(v, false)
	return text, r.charge(len(text))
}

func joinFilter(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters("join", arguments, named, "d")
	if err != nil {
		return nil, err
	}
	separator := ""
	if p.given(0) {
		separator = show(p.values[0], false)
	}
	return r.join(v, separator, true)
}

func replaceFilter(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters("replace", arguments, named, "old", "new", "count")
	if err != nil {
		return nil, err
	}
	return r.replace(show(v, false), p)
}

// indentFilter indents the lines of a text but the first (and the empty ones), by a number of spaces or a string.
func indentFilter(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters("indent", arguments, named, "width", "first", "blank")
	if err != nil {
		return nil, err
	}
	indent := ""
	if p.given(0) && p.values[0].IsString() {
		indent = p.values[0].String()
	} else {
		width, err := p.count(0, 4)
		if err != nil || width < 0 || width > 1000 {
			return nil, fmt.Errorf("%d is no width", width)
		}
		indent = strings.Repeat(" ", width)
	}
	lines := strings.Split(show(v, false), "\n")
	if len(indent) > maxWork/len(lines) {
		return nil, r.charge(maxWork)
	}
	if err := r.charge(len(lines) * (len(indent) + itemCost)); err != nil {
		return nil, err
	}
	for i := range lines {
		if (i > 0 || p.given(1) && p.values[1].IsTrue()) && (lines[i] != "" || p.given(2) && p.values[2].IsTrue()) {
			lines[i] = indent + lines[i]
		}
	}
	return strings.Join(lines, "\n"), nil
}

func defaultFilter(_ *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters("default", arguments, named, "default_value", "boolean")
	if err != nil {
		return nil, err
	}
	if isUndefined(v) || p.given(1) && p.values[1].IsTrue() && !v.IsTrue() {
		if p.values[0] == nil {
			return "", nil
		}
		return p.values[0], nil
	}
	return v, nil
}

func lengthFilter(_ *run, v *exec.Value, _ []*exec.Value, _ map[string]*exec.Value) (any, error) {
	switch {
	case isUndefined(v):
		return 0, nil
	case isNone(v):
	case v.IsString():
		return utf8.RuneCountInString(v.String()), nil
	case v.IsList():
		return v.Len(), nil
	case v.IsDict():
		return len(pairs(v)), nil
	}
	return nil, fmt.Errorf("%s has no length", kind(v))
}

func itemsFilter(_ *run, v *exec.Value, _ []*exec.Value, _ map[string]*exec.Value) (any, error) {
	if isUndefined(v) {
		return exec.ValuesList{}, nil
	}
	if isNone(v) || !v.IsDict() {
		return nil, fmt.Errorf("%s has no items", kind(v))
	}
	result, _ := dictMethod(v, "items", nil)
	return result, nil
}

func sortedFilter(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	result, err := itemsFilter(r, v, arguments, named)
	if list, ok := result.(exec.ValuesList); ok {
		sort.SliceStable(list, func(i, j int) bool {
			return strings.ToLower(element(list[i], 0).String()) < strings.ToLower(element(list[j], 0).String())
		})
	}
	return result, err
}

// jsonFilter writes JSON as Hugging Face lets Python write it: entries in order, a space after commas and colons, and no
// escapes that JSON does not need.
func jsonFilter(r *run, v *exec.Value, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters("tojson", arguments, named, "indent", "ensure_ascii", "separators", "sort_keys")
	if err != nil {
		return nil, err
	}
	if p.given(2) || p.given(3) && p.values[3].IsTrue() {
		return nil, fmt.Errorf("separators and sort_keys are not supported")
	}
	width, err := p.count(0, -1)
	if err != nil || width > 100 {
		return nil, fmt.Errorf("%d is no width", width)
	}
	w := &jsonWriter{run: r, width: width, ascii: p.given(1) && p.values[1].IsTrue()}
	if err := w.write(v, 0); err != nil {
		return nil, err
	}
	return w.text.String(), nil
}

type jsonWriter struct {
	run   *run
	text  strings.Builder
	width int // of a level of indentation, -1: all on one line
	ascii bool
}

func (w *jsonWriter) write(v *exec.Value, depth int) error {
	if err := w.run.charge(itemCost); err != nil {
		return err
	}
	if depth > maxDepth {
		return fmt.Errorf("values are nested deeper than %d", maxDepth)
	}
	switch {
	case isUndefined(v):
		return fmt.Errorf("an undefined value")
	case isNone(v):
		w.text.WriteString("null")
	case v.IsString():
		return w.string(v.String())
	case v.IsBool():
		fmt.Fprint(&w.text, v.Bool())
	case v.IsNumber():
		w.text.WriteString(show(v, false))
	case v.IsList():
		return w.sequence("[", "]", v.Len(), depth, func(i int) error { return w.write(element(v, i), depth+1) })
	case v.IsDict():
		entries := pairs(v)
		return w.sequence("{", "}", len(entries), depth, func(i int) error {
			if err := w.string(show(entries[i].Key, false)); err != nil {
				return err
			}
			w.text.WriteString(": ")
			return w.write(entries[i].Value, depth+1)
		})
	default:
		return fmt.Errorf("%s", kind(v))
	}
	return nil
}

// sequence writes items between brackets, on lines of their own where there is a width.
func (w *jsonWriter) sequence(open, end string, length, depth int, item func(int) error) error {
	newLine := func(depth int) error {
		if w.width < 0 || length == 0 {
			return nil
		}
		w.text.WriteString("\n" + strings.Repeat(" ", w.width*depth))
		return w.run.charge(w.width * depth)
	}
	w.text.WriteString(open)
	for i := range length {
		if i > 0 && w.width < 0 {
			w.text.WriteString(", ")
		} else if i > 0 {
			w.text.WriteString(",")
		}
		if err := newLine(depth + 1); err != nil {
			return err
		}
		if err := item(i); err != nil {
			return err
		}
	}
	if err := newLine(depth); err != nil {
		return err
	}
	w.text.WriteString(end)
	return nil
}

func (w *jsonWriter) string(text string) error {
	if err := w.run.charge(len(text)); err != nil {
		return err
	}
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return err
	}
	// Go escapes the two line separators of JavaScript always, Python never.
	result := strings.TrimSuffix(encoded.String(), "\n")
	result = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(result)
	if !w.ascii {
		w.text.WriteString(result)
		return nil
	}
	for _, r := range result {
		switch {
		case r <= unicode.MaxASCII:
			w.text.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&w.text, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		default:
			fmt.Fprintf(&w.text, `\u%04x`, r)
		}
	}
	return nil
}
