package chat

// This file is the methods of Python's strings and dicts that templates call, and the tests after "is".

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// method calls v.name(arguments).
func (r *run) method(arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	v, name, rest := arguments[0], arguments[1].String(), arguments[2:]
	switch {
	case isUndefined(v) || isNone(v):
		return nil, fmt.Errorf("%s has no method %s", kind(v), name)
	case v.IsString():
		return r.stringMethod(v.String(), name, rest, named)
	case v.IsDict():
		if result, ok := dictMethod(v, name, rest); ok {
			return result, nil
		}
	}
	callee, err := attribute(v, arguments[1])
	if err != nil {
		return nil, err
	}
	if value, ok := callee.(*exec.Value); ok && !isUndefined(value) {
		switch call := value.Interface().(type) {
		case func(*exec.VarArgs) *exec.Value:
			return call(&exec.VarArgs{Args: rest, KwArgs: named}), nil
		case exec.Macro:
			return call(&exec.VarArgs{Args: rest, KwArgs: named}), nil
		}
	}
	return nil, fmt.Errorf("%s has no method %s", kind(v), name)
}

func dictMethod(v *exec.Value, name string, arguments []*exec.Value) (any, bool) {
	list := exec.ValuesList{}
	switch name {
	case "get":
		if len(arguments) < 1 || len(arguments) > 2 {
			return nil, false
		}
		if value, ok := lookup(v, arguments[0]); ok {
			return value, true
		}
		if len(arguments) == 2 {
			return arguments[1], true
		}
		return none, true
	case "items":
		for _, pair := range pairs(v) {
			list = append(list, exec.AsValue(exec.ValuesList{pair.Key, pair.Value}))
		}
	case "keys":
		for _, pair := range pairs(v) {
			list = append(list, pair.Key)
		}
	case "values":
		for _, pair := range pairs(v) {
			list = append(list, pair.Value)
		}
	default:
		return nil, false
	}
	return list, len(arguments) == 0
}

// parameters gives a method its arguments by place or by name, up to the count of names.
type parameters struct {
	method string
	values []*exec.Value
}

func newParameters(method string, arguments []*exec.Value, named map[string]*exec.Value, names ...string) (parameters, error) {
	p := parameters{method: method, values: make([]*exec.Value, len(names))}
	if len(arguments) > len(names) {
		return p, fmt.Errorf("%s cannot have %d arguments", method, len(arguments))
	}
	copy(p.values, arguments)
	for name, value := range named {
		at := -1
		for i := range names {
			if names[i] == name {
				at = i
			}
		}
		if at < 0 {
			return p, fmt.Errorf("%s has no argument %s", method, name)
		}
		p.values[at] = value
	}
	return p, nil
}

func (p parameters) given(at int) bool { return !isUndefined(p.values[at]) && !isNone(p.values[at]) }

func (p parameters) text(at int) (string, error) {
	if !p.given(at) || !p.values[at].IsString() {
		return "", fmt.Errorf("%s takes a string, not %s", p.method, kind(p.values[at]))
	}
	return p.values[at].String(), nil
}

func (p parameters) count(at, otherwise int) (int, error) {
	if !p.given(at) {
		return otherwise, nil
	}
	if !p.values[at].IsInteger() {
		return 0, fmt.Errorf("%s takes a number, not %s", p.method, kind(p.values[at]))
	}
	return p.values[at].Integer(), nil
}

// simpleMethods take no arguments.
var simpleMethods = map[string]func(text string) any{
	"upper":      func(text string) any { return strings.ToUpper(text) },
	"lower":      func(text string) any { return strings.ToLower(text) },
	"capitalize": func(text string) any { return capitalize(text) },
	"title":      func(text string) any { return title(text) },
	"isdigit":    func(text string) any { return every(text, unicode.IsDigit) },
	"isalpha":    func(text string) any { return every(text, unicode.IsLetter) },
	"isspace":    func(text string) any { return every(text, unicode.IsSpace) },
	"isalnum": func(text string) any {
		return every(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	},
	"isupper": func(text string) any { return text == strings.ToUpper(text) && text != strings.ToLower(text) },
	"islower": func(text string) any { return text == strings.ToLower(text) && text != strings.ToUpper(text) },
}

func every(text string, holds func(rune) bool) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return !holds(r) }) < 0
}

func capitalize(text string) string {
	r, width := utf8.DecodeRuneInString(text)
	if width == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + strings.ToLower(text[width:])
}

func title(text string) string {
	inWord := false
	return strings.Map(func(r rune) rune {
		first := !inWord
		inWord = unicode.IsLetter(r)
		if first {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	}, text)
}

func (r *run) stringMethod(text, name string, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	if err := r.charge(len(text)); err != nil {
		return nil, err
	}
	if method, ok := simpleMethods[name]; ok {
		if len(arguments)+len(named) > 0 {
			return nil, fmt.Errorf("%s takes no arguments", name)
		}
		return method(text), nil
	}
	switch name {
	case "strip", "lstrip", "rstrip":
		return stripMethod(text, name, arguments, named)
	case "split", "rsplit", "splitlines":
		return r.splitMethod(text, name, arguments, named)
	case "startswith", "endswith":
		return affixMethod(text, name, arguments, named)
	case "removeprefix", "removesuffix", "find", "rfind", "count":
		return searchMethod(text, name, arguments, named)
	case "replace":
		p, err := newParameters(name, arguments, named, "old", "new", "count")
		if err != nil {
			return nil, err
		}
		return r.replace(text, p)
	case "join":
		p, err := newParameters(name, arguments, named, "iterable")
		if err != nil {
			return nil, err
		}
		return r.join(p.values[0], text, false)
	}
	return nil, fmt.Errorf("a string has no method %s", name)
}

func stripMethod(text, name string, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters(name, arguments, named, "chars")
	if err != nil {
		return nil, err
	}
	cut := unicode.IsSpace
	if p.given(0) {
		characters, err := p.text(0)
		if err != nil {
			return nil, err
		}
		cut = func(r rune) bool { return strings.ContainsRune(characters, r) }
	}
	if name != "rstrip" {
		text = strings.TrimLeftFunc(text, cut)
	}
	if name != "lstrip" {
		text = strings.TrimRightFunc(text, cut)
	}
	return text, nil
}

func (r *run) splitMethod(text, name string, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters(name, arguments, named, "sep", "maxsplit")
	if err != nil {
		return nil, err
	}
	most, err := p.count(1, -1)
	if err != nil {
		return nil, err
	}
	var parts []string
	switch {
	case name == "splitlines":
		if parts = strings.Split(text, "\n"); parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1]
		}
	case !p.given(0):
		parts = splitSpace(text, name == "rsplit", most)
	default:
		separator, err := p.text(0)
		if err != nil || separator == "" {
			return nil, fmt.Errorf("%s takes a separator that is not empty", name)
		}
		parts = splitAt(text, separator, name == "rsplit", most)
	}
	list := make(exec.ValuesList, len(parts))
	for i, part := range parts {
		list[i] = exec.AsValue(part)
	}
	return list, r.charge(len(list) * itemCost)
}

// splitAt splits at most times (-1: everywhere), from the right or from the left.
func splitAt(text, separator string, fromRight bool, most int) []string {
	if most < 0 {
		return strings.Split(text, separator)
	}
	if !fromRight {
		return strings.SplitN(text, separator, most+1)
	}
	parts := strings.Split(text, separator)
	if rest := len(parts) - most; rest > 1 {
		parts = append([]string{strings.Join(parts[:rest], separator)}, parts[rest:]...)
	}
	return parts
}

// splitSpace splits at runs of white space.
func splitSpace(text string, fromRight bool, most int) []string {
	fields := strings.Fields(text)
	if most < 0 || len(fields) <= most+1 {
		return fields
	}
	if fromRight {
		head := strings.TrimFunc(text, unicode.IsSpace)
		for i := len(fields) - 1; i >= len(fields)-most; i-- {
			head = strings.TrimRightFunc(strings.TrimSuffix(head, fields[i]), unicode.IsSpace)
		}
		return append([]string{head}, fields[len(fields)-most:]...)
	}
	tail := strings.TrimLeftFunc(text, unicode.IsSpace)
	for i := range most {
		tail = strings.TrimLeftFunc(strings.TrimPrefix(tail, fields[i]), unicode.IsSpace)
	}
	return append(fields[:most:most], tail)
}

func affixMethod(text, name string, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters(name, arguments, named, "affix")
	if err != nil {
		return nil, err
	}
	affixes := exec.ValuesList{p.values[0]}
	if p.given(0) && p.values[0].IsList() {
		affixes, _ = items(p.values[0])
	}
	for _, affix := range affixes {
		if isUndefined(affix) || !affix.IsString() {
			return nil, fmt.Errorf("%s takes a string, not %s", name, kind(affix))
		}
		has := strings.HasPrefix
		if name == "endswith" {
			has = strings.HasSuffix
		}
		if has(text, affix.String()) {
			return true, nil
		}
	}
	return false, nil
}

func searchMethod(text, name string, arguments []*exec.Value, named map[string]*exec.Value) (any, error) {
	p, err := newParameters(name, arguments, named, "sub")
	if err != nil {
		return nil, err
	}
	part, err := p.text(0)
	if err != nil {
		return nil, err
	}
	at := 0
	switch name {
	case "removeprefix":
		return strings.TrimPrefix(text, part), nil
	case "removesuffix":
		return strings.TrimSuffix(text, part), nil
	case "count":
		return strings.Count(text, part), nil
	case "find":
		at = strings.Index(text, part)
	case "rfind":
		at = strings.LastIndex(text, part)
	}
	if at > 0 {
		at = utf8.RuneCountInString(text[:at])
	}
	return at, nil
}

// replace pays for the result before it is made.
func (r *run) replace(text string, p parameters) (any, error) {
	old, err := p.text(0)
	if err != nil {
		return nil, err
	}
	replacement, err := p.text(1)
	if err != nil {
		return nil, err
	}
	most, err := p.count(2, -1)
	if err != nil {
		return nil, err
	}
	times := strings.Count(text, old)
	if most >= 0 {
		times = min(times, most)
	}
	if len(replacement) > 0 && times > maxWork/len(replacement) {
		return nil, r.charge(maxWork)
	}
	if err := r.charge(len(text) + times*len(replacement)); err != nil {
		return nil, err
	}
	return strings.Replace(text, old, replacement, most), nil
}

// join puts a separator between the items of a list; the filter prints items that are no strings, the method refuses them.
func (r *run) join(list *exec.Value, separator string, printed bool) (any, error) {
	values, ok := items(list)
	if !ok {
		return nil, fmt.Errorf("%s cannot be joined", kind(list))
	}
	parts := make([]string, len(values))
	size := 0
	for i, value := range values {
		if !printed && (isUndefined(value) || !value.IsString()) {
			return nil, fmt.Errorf("join takes strings, not %s", kind(value))
		}
		parts[i] = show(value, false)
		size += len(parts[i])
	}
	if len(parts) > 0 && len(separator) > maxWork/len(parts) {
		return nil, r.charge(maxWork)
	}
	if err := r.charge(size + len(parts)*len(separator)); err != nil {
		return nil, err
	}
	return strings.Join(parts, separator), nil
}

// test is what stands after "is": the test's name, the value, and perhaps an argument.
func test(arguments []*exec.Value, _ map[string]*exec.Value) (any, error) {
	name, v := arguments[0].String(), arguments[1]
	if len(arguments) == 3 {
		return testWith(name, v, arguments[2])
	}
	data := !isUndefined(v) && !isNone(v)
	switch name {
	case "defined":
		return !isUndefined(v), nil
	case "undefined":
		return isUndefined(v), nil
	case "none":
		return isNone(v), nil
	case "string":
		return data && v.IsString(), nil
	case "number":
		return data && isNumber(v), nil
	case "integer":
		return data && v.IsInteger(), nil
	case "float":
		return data && v.IsFloat(), nil
	case "boolean":
		return data && v.IsBool(), nil
	case "true", "false":
		return data && v.IsBool() && v.Bool() == (name == "true"), nil
	case "mapping":
		return data && v.IsDict(), nil
	case "iterable":
		return isUndefined(v) || data && (v.IsString() || v.IsList() || v.IsDict()), nil
	case "sequence":
		return data && (v.IsString() || v.IsList() || v.IsDict()), nil
	case "callable":
		return data && v.IsCallable(), nil
	case "odd", "even":
		if !data || !v.IsInteger() {
			return nil, fmt.Errorf("%s is neither odd nor even", kind(v))
		}
		return v.Integer()%2 == 0 == (name == "even"), nil
	case "lower":
		return data && v.IsString() && v.String() == strings.ToLower(v.String()), nil
	case "upper":
		return data && v.IsString() && v.String() == strings.ToUpper(v.String()), nil
	}
	return nil, fmt.Errorf("there is no test %q without an argument", name)
}

func testWith(name string, v, argument *exec.Value) (any, error) {
	switch name {
	case "eq", "equalto", "sameas":
		return equal(v, argument), nil
	case "ne":
		return !equal(v, argument), nil
	case "in":
		return contains(argument, v)
	case "lt", "lessthan":
		return compare(v, argument, orders["__less"])
	case "le":
		return compare(v, argument, orders["__atmost"])
	case "gt", "greaterthan":
		return compare(v, argument, orders["__greater"])
	case "ge":
		return compare(v, argument, orders["__atleast"])
	case "divisibleby":
		rest, err := arithmetic["__modulo"](v, argument)
		return err == nil && equal(exec.AsValue(rest), exec.AsValue(0)), err
	}
	return nil, fmt.Errorf("there is no test %q with an argument", name)
}
