package chat

// This file is the values that templates work with: how they come from Go, how they compare and how they are printed, as
// Python has it. None and undefined are different: None is a nil pointer of a type of its own, undefined is no value.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
)

type noneType struct{}

var none = (*noneType)(nil)

func isUndefined(v *exec.Value) bool { return v == nil || !v.Val.IsValid() }

func isNone(v *exec.Value) bool { return !isUndefined(v) && v.IsNil() }

// convert takes a value as JSON would decode it, or JSON itself, which keeps the order of entries. Numbers without a
// fraction are integers.
func convert(value any) (*exec.Value, error) {
	switch v := value.(type) {
	case nil:
		return exec.AsValue(none), nil
	case string, bool, int:
		return exec.AsValue(v), nil
	case int64:
		return exec.AsValue(int(v)), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return exec.AsValue(int(v)), nil
		}
		return exec.AsValue(v), nil
	case []any:
		list := exec.ValuesList{}
		for _, entry := range v {
			item, err := convert(entry)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return exec.AsValue(list), nil
	case map[string]any:
		dict := exec.NewDict()
		return exec.AsValue(dict), convertMap(dict, v)
	case json.RawMessage:
		return convertJSON(v)
	}
	return nil, fmt.Errorf("a value of type %T is not supported", value)
}

func convertJSON(data []byte) (*exec.Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := decodeValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("JSON goes on after its value")
	}
	return value, nil
}

func decodeValue(decoder *json.Decoder, depth int) (*exec.Value, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("JSON is nested deeper than %d", maxDepth)
	}
	switch t := token.(type) {
	case json.Number:
		if integer, err := strconv.Atoi(t.String()); err == nil {
			return exec.AsValue(integer), nil
		}
		number, err := t.Float64()
		return exec.AsValue(number), err
	case json.Delim:
		if t == '[' {
			return decodeList(decoder, depth)
		}
		return decodeDict(decoder, depth)
	}
	return convert(token)
}

func decodeList(decoder *json.Decoder, depth int) (*exec.Value, error) {
	list := exec.ValuesList{}
	for decoder.More() {
		item, err := decodeValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	_, err := decoder.Token()
	return exec.AsValue(list), err
}

func decodeDict(decoder *json.Decoder, depth int) (*exec.Value, error) {
	dict := exec.NewDict()
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := decodeValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		dict.Pairs = append(dict.Pairs, &exec.Pair{Key: exec.AsValue(key), Value: value})
	}
	_, err := decoder.Token()
	return exec.AsValue(dict), err
}

// convertMap appends the entries of a map, in the order of their names.
func convertMap(dict *exec.Dict, entries map[string]any) error {
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		value, err := convert(entries[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		dict.Pairs = append(dict.Pairs, &exec.Pair{Key: exec.AsValue(name), Value: value})
	}
	return nil
}

func convertMessages(messages []Message) (exec.ValuesList, error) {
	list := exec.ValuesList{}
	for at, message := range messages {
		dict := exec.NewDict()
		for _, entry := range [2][2]string{{"role", message.Role}, {"content", message.Content}} {
			if _, other := message.Fields[entry[0]]; !other {
				dict.Pairs = append(dict.Pairs, &exec.Pair{Key: exec.AsValue(entry[0]), Value: exec.AsValue(entry[1])})
			}
		}
		if err := convertMap(dict, message.Fields); err != nil {
			return nil, fmt.Errorf("message %d: %w", at, err)
		}
		list = append(list, exec.AsValue(dict))
	}
	return list, nil
}

// items lists what a loop over a value gives: the items of a list, the keys of a dict, the characters of a string.
func items(v *exec.Value) (exec.ValuesList, bool) {
	list := exec.ValuesList{}
	switch {
	case isUndefined(v):
	case isNone(v):
		return nil, false
	case v.IsString():
		for _, r := range v.String() {
			list = append(list, exec.AsValue(string(r)))
		}
	case v.IsList():
		for i := range v.Len() {
			list = append(list, element(v, i))
		}
	case v.IsDict():
		for _, pair := range pairs(v) {
			list = append(list, pair.Key)
		}
	default:
		return nil, false
	}
	return list, true
}

// element is an item of a list.
func element(v *exec.Value, index int) *exec.Value {
	item := v.Val
	for item.Kind() == reflect.Pointer || item.Kind() == reflect.Interface {
		item = item.Elem()
	}
	return unwrap(item.Index(index))
}

// unwrap makes a value of what a Go container holds, which may be a value already.
func unwrap(item reflect.Value) *exec.Value {
	if !item.IsValid() || !item.CanInterface() {
		return exec.AsValue(nil)
	}
	if v, ok := item.Interface().(*exec.Value); ok {
		if v == nil {
			return exec.AsValue(nil)
		}
		return v
	}
	return exec.AsValue(item.Interface())
}

// pairs lists the entries of a dict: in order, or in the order of the keys where Go's map has none.
func pairs(v *exec.Value) []*exec.Pair {
	if dict, ok := v.Interface().(*exec.Dict); ok {
		return dict.Pairs
	}
	var list []*exec.Pair
	if v.Val.Kind() == reflect.Map {
		for _, key := range v.Val.MapKeys() {
			list = append(list, &exec.Pair{Key: unwrap(key), Value: unwrap(v.Val.MapIndex(key))})
		}
		sort.Slice(list, func(i, j int) bool { return list[i].Key.String() < list[j].Key.String() })
	}
	return list
}

// lookup finds a key of a dict.
func lookup(v, key *exec.Value) (*exec.Value, bool) {
	for _, pair := range pairs(v) {
		if equal(pair.Key, key) {
			return pair.Value, true
		}
	}
	return exec.AsValue(nil), false
}

func equal(a, b *exec.Value) bool {
	switch {
	case isUndefined(a) || isUndefined(b):
		return isUndefined(a) && isUndefined(b)
	case isNone(a) || isNone(b):
		return isNone(a) && isNone(b)
	case a.IsString() || b.IsString():
		return a.IsString() && b.IsString() && a.String() == b.String()
	case isNumber(a) && isNumber(b):
		return number(a) == number(b)
	case a.IsList() && b.IsList():
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(element(a, i), element(b, i)) {
				return false
			}
		}
		return true
	case a.IsDict() && b.IsDict():
		left, right := pairs(a), pairs(b)
		if len(left) != len(right) {
			return false
		}
		for _, pair := range left {
			if other, ok := lookup(b, pair.Key); !ok || !equal(pair.Value, other) {
				return false
			}
		}
		return true
	}
	return false
}

// isNumber holds for booleans too, as in Python.
func isNumber(v *exec.Value) bool { return v.IsNumber() || v.IsBool() }

func number(v *exec.Value) float64 {
	if v.IsBool() {
		return float64(integer(v))
	}
	return v.Float()
}

func integer(v *exec.Value) int {
	if v.IsBool() {
		if v.Bool() {
			return 1
		}
		return 0
	}
	return v.Integer()
}

// kind names a value's type for messages.
func kind(v *exec.Value) string {
	switch {
	case isUndefined(v):
		return "undefined"
	case isNone(v):
		return "none"
	case v.IsString():
		return "a string"
	case v.IsBool():
		return "a boolean"
	case v.IsNumber():
		return "a number"
	case v.IsList():
		return "a list"
	case v.IsDict():
		return "a dict"
	}
	return "no data"
}

// show prints a value: as it stands in text, or, quoted, as it stands in a list.
func show(v *exec.Value, quoted bool) string {
	switch {
	case isUndefined(v):
		return ""
	case isNone(v):
		return "None"
	case v.IsString() && quoted:
		return quote(v.String())
	case v.IsString():
		return v.String()
	case v.IsFloat():
		return showFloat(v.Float())
	case v.IsList():
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = show(element(v, i), true)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case v.IsDict():
		var parts []string
		for _, pair := range pairs(v) {
			parts = append(parts, show(pair.Key, true)+": "+show(pair.Value, true))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.String()
}

func showFloat(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if abs := max(f, -f); abs >= 1e-4 && abs < 1e16 {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	if !strings.ContainsAny(text, ".en") {
		text += ".0"
	}
	return text
}

// quote writes a string as Python does: with single quotes where it can.
func quote(text string) string {
	mark := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		mark = `"`
	}
	return mark + strings.NewReplacer(`\`, `\\`, mark, `\`+mark, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + mark
}
