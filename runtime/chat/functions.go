package chat

// This file is the functions that a rewritten template calls: operators, access, tests and the globals that Hugging Face
// gives to templates. Every function that makes something larger pays for it, so that a template stays within its bounds.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nikolalohinski/gonja/v2/exec"
)

const (
	// maxTime bounds one rendering.
	maxTime = 10 * time.Second
	// maxWork bounds the bytes and items that one rendering makes, all together.
	maxWork = 256 << 20
	// maxCalls bounds the calls of macros, which may be recursive.
	maxCalls = 1000
	// maxRange bounds the length of a range, maxList that of a joined or repeated list.
	maxRange = 10000
	maxList  = 100000
	// itemCost is what an item of a list costs, turnCost what a turn of a loop costs at least.
	itemCost = 64
	turnCost = 2048
)

// A run is one rendering: what it has used, and the first error that a function met.
type run struct {
	ctx   context.Context
	work  int
	calls int
	err   error
}

// charge pays for size bytes before they are made.
func (r *run) charge(size int) error {
	r.work += size + 1
	switch {
	case size < 0 || r.work > maxWork:
		return r.fail(errors.New("the template makes too much"))
	case r.ctx.Err() != nil:
		return r.fail(fmt.Errorf("the template was stopped: %w", context.Cause(r.ctx)))
	}
	return nil
}

// fail remembers the first error.
func (r *run) fail(err error) error {
	if r.err == nil {
		r.err = err
	}
	return err
}

// A function gets the values of a call and returns a value.
type function func(arguments []*exec.Value, named map[string]*exec.Value) (any, error)

// bind makes a function one that gonja can call. least and most are the numbers of arguments, most -1 any number.
func (r *run) bind(name string, least, most int, f function) func(*exec.VarArgs) *exec.Value {
	return func(va *exec.VarArgs) *exec.Value {
		if len(va.Args) < least || most >= 0 && len(va.Args) > most {
			return exec.AsValue(r.fail(fmt.Errorf("%s cannot have %d arguments", strings.TrimPrefix(name, "__"), len(va.Args))))
		}
		if err := r.charge(0); err != nil {
			return exec.AsValue(err)
		}
		result, err := f(va.Args, va.KwArgs)
		if err != nil {
			return exec.AsValue(r.fail(err))
		}
		if v, ok := result.(*exec.Value); ok {
			return v
		}
		return exec.AsValue(result)
	}
}

// functions are the names that every template knows.
func functions(r *run, now time.Time) map[string]any {
	data := map[string]any{"__none": none}
	add := func(name string, least, most int, f function) { data[name] = r.bind(name, least, most, f) }
	binary := func(name string, f func(a, b *exec.Value) (any, error)) {
		add(name, 2, 2, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) { return f(v[0], v[1]) })
	}
	binary("__add", r.add)
	binary("__concat", r.concat)
	binary("__multiply", r.multiply)
	for name, operation := range arithmetic {
		binary(name, operation)
	}
	for name, holds := range orders {
		binary(name, func(a, b *exec.Value) (any, error) { return compare(a, b, holds) })
	}
	binary("__equal", func(a, b *exec.Value) (any, error) { return equal(a, b), nil })
	binary("__unequal", func(a, b *exec.Value) (any, error) { return !equal(a, b), nil })
	binary("__in", func(a, b *exec.Value) (any, error) { return contains(b, a) })
	binary("__attribute", attribute)
	binary("__item", item)
	binary("__loop", r.loop)
	add("__slice", 4, 4, r.slice)
	add("__test", 2, 3, test)
	add("__method", 2, -1, r.method)
	add("__self", 1, 1, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) { return v[0], nil })
	add("__first", 1, 1, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) { return element(v[0], 0), nil })
	add("__not", 1, 1, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) { return !v[0].IsTrue(), nil })
	add("__call", 0, 0, r.countCall)
	add("__print", 1, 1, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) { return show(v[0], false), nil })
	add("range", 1, 3, r.numbers)
	add("namespace", 0, 0, namespace)
	add("dict", 0, 0, dict)
	add("raise_exception", 1, 1, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) {
		return nil, fmt.Errorf("the template refuses the conversation: %s", show(v[0], false))
	})
	if !now.IsZero() {
		add("strftime_now", 1, 1, func(v []*exec.Value, _ map[string]*exec.Value) (any, error) {
			return strftime(now, v[0].String())
		})
	}
	return data
}

func (r *run) countCall([]*exec.Value, map[string]*exec.Value) (any, error) {
	if r.calls++; r.calls > maxCalls {
		return nil, fmt.Errorf("the template calls macros more than %d times", maxCalls)
	}
	return "", nil
}

// attribute finds v.name: an entry of a dict or a property of a loop. What is not there is undefined.
func attribute(v, name *exec.Value) (any, error) {
	if isUndefined(v) {
		return nil, fmt.Errorf("an undefined value has no %s", name.String())
	}
	if isNone(v) {
		return nil, nil
	}
	if v.IsDict() {
		value, _ := lookup(v, name)
		return value, nil
	}
	if getter, ok := v.Interface().(exec.AttributeGetter); ok {
		if value, found := getter.GetAttribute(name.String()); found {
			return value, nil
		}
	}
	return nil, nil
}

// item finds v[key].
func item(v, key *exec.Value) (any, error) {
	if isUndefined(v) || isUndefined(key) {
		return nil, fmt.Errorf("%s has no item %s", kind(v), show(key, true))
	}
	if isNone(v) {
		return nil, nil
	}
	if !key.IsInteger() || !v.IsList() && !v.IsString() {
		return attribute(v, key)
	}
	index, length := key.Integer(), v.Len()
	if index < 0 {
		index += length
	}
	switch {
	case index < 0 || index >= length:
		return nil, nil
	case v.IsList():
		return element(v, index), nil
	}
	return string([]rune(v.String())[index]), nil
}

// slice finds v[start:stop:step]; parts that are none have their defaults.
func (r *run) slice(arguments []*exec.Value, _ map[string]*exec.Value) (any, error) {
	v := arguments[0]
	if isUndefined(v) || isNone(v) || !v.IsString() && !v.IsList() {
		return nil, fmt.Errorf("%s cannot be sliced", kind(v))
	}
	list, _ := items(v)
	if err := r.charge(len(list) * itemCost); err != nil {
		return nil, err
	}
	start, stop, step, err := sliceBounds(arguments[1], arguments[2], arguments[3], len(list))
	if err != nil {
		return nil, err
	}
	cut := exec.ValuesList{}
	for at := start; step > 0 && at < stop || step < 0 && at > stop; at += step {
		cut = append(cut, list[at])
	}
	if !v.IsString() {
		return cut, nil
	}
	var text strings.Builder
	for _, character := range cut {
		text.WriteString(character.String())
	}
	return text.String(), nil
}

// sliceBounds gives the indices that a slice begins with and ends before, as Python has it, and its step.
func sliceBounds(first, last, by *exec.Value, length int) (start, stop, step int, err error) {
	for _, part := range []*exec.Value{first, last, by} {
		if isUndefined(part) || !isNone(part) && !part.IsInteger() {
			return 0, 0, 0, fmt.Errorf("%s is no part of a slice", kind(part))
		}
	}
	step = 1
	if !isNone(by) {
		// A longer step than the list takes the first item only, and adding it must not overflow.
		if step = min(max(by.Integer(), -length-1), length+1); step == 0 {
			return 0, 0, 0, errors.New("the step of a slice is 0")
		}
	}
	low, high := 0, length
	if step < 0 {
		low, high = -1, length-1
	}
	bound := func(part *exec.Value, otherwise int) int {
		if isNone(part) {
			return otherwise
		}
		index := part.Integer()
		if index < 0 {
			index += length
		}
		return min(max(index, low), high)
	}
	if step < 0 {
		return bound(first, high), bound(last, low), step, nil
	}
	return bound(first, low), bound(last, high), step, nil
}

// loop lists the items that a for tag with count names goes through.
func (r *run) loop(v, count *exec.Value) (any, error) {
	list, ok := items(v)
	if !ok {
		return nil, fmt.Errorf("%s cannot be looped over", kind(v))
	}
	if count.Integer() == 2 {
		for _, entry := range list {
			if !entry.IsList() || entry.Len() != 2 {
				return nil, fmt.Errorf("%s cannot be taken apart into two", kind(entry))
			}
		}
	}
	return list, r.charge(len(list) * turnCost)
}

// numbers is range.
func (r *run) numbers(arguments []*exec.Value, _ map[string]*exec.Value) (any, error) {
	bounds := [3]int{0, 0, 1}
	for i, argument := range arguments {
		if isUndefined(argument) || !argument.IsInteger() {
			return nil, fmt.Errorf("range cannot count with %s", kind(argument))
		}
		bounds[i] = argument.Integer()
	}
	if len(arguments) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	if bounds[2] == 0 {
		return nil, errors.New("range has a step of 0")
	}
	list := exec.ValuesList{}
	for at := bounds[0]; bounds[2] > 0 && at < bounds[1] || bounds[2] < 0 && at > bounds[1]; at += bounds[2] {
		if len(list) == maxRange {
			return nil, fmt.Errorf("a range has more than %d numbers", maxRange)
		}
		list = append(list, exec.AsValue(at))
	}
	return list, r.charge(len(list) * itemCost)
}

// namespace makes an object whose entries {% set object.name = … %} changes.
func namespace(_ []*exec.Value, named map[string]*exec.Value) (any, error) {
	space := map[string]any{}
	for name, value := range named {
		space[name] = value
	}
	return space, nil
}

func dict(_ []*exec.Value, named map[string]*exec.Value) (any, error) {
	entries, _ := namespace(nil, named)
	dict := exec.NewDict()
	dict.Pairs = append(dict.Pairs, pairs(exec.AsValue(entries))...)
	return dict, nil
}

// strftime writes a time as Python's strftime does.
func strftime(now time.Time, format string) (any, error) {
	layouts := map[byte]string{'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'd': "02", 'm': "01", 'y': "06",
		'Y': "2006", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'j': "002", 'F': "2006-01-02", 'T': "15:04:05",
		'Z': "MST", 'z': "-0700", 'e': "_2"}
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		trim := format[i] == '-' && i+1 < len(format)
		if trim {
			i++
		}
		layout, ok := layouts[format[i]]
		switch {
		case format[i] == '%':
			out.WriteByte('%')
		case !ok:
			return nil, fmt.Errorf("strftime_now does not know %%%c", format[i])
		case trim:
			out.WriteString(strings.TrimLeft(now.Format(layout), "0"))
		default:
			out.WriteString(now.Format(layout))
		}
	}
	return out.String(), nil
}
