package pass

// This file holds pass options: `{max-iterations=2 mode=W4BF16}`, read in MLIR's way and printed with every value.

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// OptionSet collects the options of one pass instance.
type OptionSet struct {
	options []*Option
}

// Option is one option: its name, what it is for, and the variable it sets.
type Option struct {
	Name    string
	Help    string
	Type    string
	Default string
	set     func(text string) error
	get     func() string
}

// Options returns the options of a pass by name; none for a pass that takes none.
func Options(p Pass) []*Option {
	c, ok := p.(Configurable)
	if !ok {
		return nil
	}
	var set OptionSet
	c.Options(&set)
	sort.Slice(set.options, func(i, j int) bool { return set.options[i].Name < set.options[j].Name })
	return set.options
}

// Value returns the present value as it prints.
func (o *Option) Value() string { return o.get() }

func (s *OptionSet) add(name, kind, help string, get func() string, set func(string) error) {
	s.options = append(s.options, &Option{Name: name, Type: kind, Help: help, Default: get(), get: get, set: set})
}

// Bool binds a truth value. The default is what the variable holds.
func (s *OptionSet) Bool(p *bool, name, help string) {
	s.add(name, "bool", help, func() string { return strconv.FormatBool(*p) }, func(text string) error {
		switch text {
		case "true", "True", "TRUE", "1", "":
			*p = true
		case "false", "False", "FALSE", "0":
			*p = false
		default:
			return fmt.Errorf("'%s' is invalid value for boolean argument! Try 0 or 1", text)
		}
		return nil
	})
}

// Int64 binds an integer.
func (s *OptionSet) Int64(p *int64, name, help string) {
	s.add(name, "int64", help, func() string { return strconv.FormatInt(*p, 10) }, func(text string) error {
		v, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return fmt.Errorf("'%s' value invalid for integer argument", text)
		}
		*p = v
		return nil
	})
}

// Uint32 binds a number that is not below zero and fits 32 bits, which MLIR's unsigned options are.
func (s *OptionSet) Uint32(p *int64, name, help string) {
	s.add(name, "uint", help, func() string { return strconv.FormatInt(*p, 10) }, func(text string) error {
		v, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			return fmt.Errorf("'%s' value invalid for uint argument", text)
		}
		*p = int64(v)
		return nil
	})
}

// String binds a string.
func (s *OptionSet) String(p *string, name, help string) {
	s.add(name, "string", help, func() string { return *p }, func(text string) error {
		*p = text
		return nil
	})
}

// Choice binds a string that is one of a few; letters count whatever their case where fold is set.
func (s *OptionSet) Choice(p *string, name, help string, fold bool, choices ...string) {
	s.add(name, strings.Join(choices, "|"), help, func() string { return *p }, func(text string) error {
		for _, c := range choices {
			if c == text || fold && strings.EqualFold(c, text) {
				*p = c
				return nil
			}
		}
		known := slices.DeleteFunc(slices.Clone(choices), func(c string) bool { return c == "" }) // "" stands for none given
		return fmt.Errorf("'%s' is none of %s%s", text, strings.Join(known, ", "), didYouMean(text, known))
	})
}

// listOfString is the type of list options.
const listOfString = "list of string"

// Strings binds a list, written with commas. An option that is given again adds to it.
func (s *OptionSet) Strings(p *[]string, name, help string) {
	given := false
	s.add(name, listOfString, help, func() string { return strings.Join(*p, ",") }, func(text string) error {
		if !given {
			*p = nil
		}
		given = true
		if text != "" {
			*p = append(*p, strings.Split(text, ",")...)
		}
		return nil
	})
}

// optionError is a mistake in an options text, at a byte offset of it.
type optionError struct {
	offset  int
	message string
}

func (e *optionError) Error() string { return e.message }

// Configure sets options from text, `a=1 b={x,y} flag`.
func Configure(p Pass, definition *Definition, text string) error {
	options := Options(p)
	for at := skipBlanks(text, 0); at < len(text); at = skipBlanks(text, at) {
		start := at
		for at < len(text) && text[at] != '=' && !isBlank(text[at]) {
			at++
		}
		name := text[start:at]
		value := ""
		if at < len(text) && text[at] == '=' {
			var err error
			if value, at, err = optionValue(text, at+1); err != nil {
				return err
			}
		}
		if len(options) == 0 {
			return &optionError{start, fmt.Sprintf("pass '%s' takes no options, but got '%s'", definition.Argument, name)}
		}
		option := findOption(options, name)
		if option == nil {
			names := make([]string, len(options))
			for i, o := range options {
				names[i] = o.Name
			}
			return &optionError{start, fmt.Sprintf("no such option %s of pass '%s'%s", name, definition.Argument, didYouMean(name, names))}
		}
		if err := option.set(value); err != nil {
			return &optionError{start, fmt.Sprintf("option %s of pass '%s': %v", name, definition.Argument, err)}
		}
	}
	return nil
}

func findOption(options []*Option, name string) *Option {
	for _, o := range options {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// optionValue reads a value: up to a blank outside of quotes and braces. Quotes around it are dropped, and braces.
func optionValue(text string, start int) (value string, end int, err error) {
	depth := 0
	for end = start; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\'' || c == '"':
			close := strings.IndexByte(text[end+1:], c)
			if close < 0 {
				return "", 0, &optionError{end, "quote is not closed"}
			}
			end += close + 1
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			depth--
		case isBlank(c) && depth <= 0:
			return unwrap(text[start:end]), end, nil
		}
	}
	if depth > 0 {
		return "", 0, &optionError{start, "bracket is not closed"}
	}
	return unwrap(text[start:end]), end, nil
}

func unwrap(value string) string {
	if len(value) >= 2 {
		first, last := value[0], value[len(value)-1]
		if first == '{' && last == '}' || (first == '"' || first == '\'') && last == first {
			return value[1 : len(value)-1]
		}
	}
	return value
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func skipBlanks(text string, at int) int {
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	return at
}

// optionsText prints the options of a pass as a pipeline shows them: by name, an empty list not at all.
func optionsText(p Pass) string {
	options := Options(p)
	if len(options) == 0 {
		return ""
	}
	parts := make([]string, len(options))
	for i, o := range options {
		value := o.Value()
		if value == "" && o.Type == listOfString {
			continue
		}
		parts[i] = o.Name + "=" + quoteValue(value)
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// quoteValue writes a value so that it is read back as one: in braces where it holds blanks or commas, in quotes where it
// holds brackets or the other kind of quotes. (A value with both kinds of quotes and brackets can't be written at all.)
func quoteValue(value string) string {
	switch {
	case !strings.ContainsAny(value, " \t\n\r,{}[]()'\""):
		return value
	case !strings.ContainsAny(value, "{}[]()'\""):
		return "{" + value + "}"
	case !strings.Contains(value, "'"):
		return "'" + value + "'"
	case !strings.Contains(value, `"`):
		return `"` + value + `"`
	}
	return "{" + value + "}"
}
