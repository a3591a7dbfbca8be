// Names of variables, as far as they are known while a check file is parsed: which exist, of which kind, and what the
// command line defines.

package filecheck

import (
	"errors"
	"fmt"
	"strings"
)

// names holds the variables met so far. A name is a string variable or a numeric one, never both.
type names struct {
	strings map[string]bool
	numeric map[string]*numericVariable
}

func newNames() *names {
	return &names{strings: map[string]bool{}, numeric: map[string]*numericVariable{}}
}

// parseName takes a name off the front of text: letters, digits and underscores, perhaps after $ (global) or @ (pseudo).
func parseName(text *piece) (piece, error) {
	whole := text.String()
	if whole == "" {
		return piece{}, errorAt(*text, "empty variable name")
	}
	i := 0
	if whole[0] == '$' || whole[0] == '@' {
		i = 1
	}
	if i == len(whole) {
		kind := "global"
		if whole[0] == '@' {
			kind = "pseudo"
		}
		return piece{}, errorAt(text.from(i), "empty %s variable name", kind)
	}
	if !isLetter(whole[i]) && whole[i] != '_' {
		return piece{}, errorAt(*text, "invalid variable name")
	}
	for i < len(whole) && isWordByte(whole[i]) {
		i++
	}
	name := text.upTo(i)
	*text = text.from(i)
	return name, nil
}

func isPseudo(name piece) bool { return name.startsWith("@") }

// useNumeric makes a use of a numeric variable. One that is not known yet is made up: that it has no value is reported
// when it is needed.
func (n *names) useNumeric(name piece, line int) (arithmetic, error) {
	if isPseudo(name) && name.String() != lineVariable {
		return nil, errorAt(name, "invalid pseudo numeric variable '%s'", name)
	}
	variable := n.numeric[name.String()]
	if variable == nil {
		variable = &numericVariable{name: name.String(), format: format{kind: formatUnsigned}}
		n.numeric[name.String()] = variable
	}
	if variable.definedLine != 0 && variable.definedLine == line {
		return nil, errorAt(name, "numeric variable '%s' defined earlier in the same CHECK directive", name)
	}
	return &variableUse{at: name, variable: variable}, nil
}

// parseNumericDefinition parses the name before the colon of a numeric block.
func (n *names) parseNumericDefinition(text piece, format format, line int) (*numericVariable, error) {
	name, err := parseName(&text)
	if err != nil {
		return nil, err
	}
	if isPseudo(name) {
		return nil, errorAt(name, "definition of pseudo numeric variable unsupported")
	}
	if n.strings[name.String()] {
		return nil, errorAt(name, "string variable with name '%s' already exists", name)
	}
	if text = text.trimLeft(); !text.empty() {
		return nil, errorAt(text, "unexpected characters after numeric variable name")
	}
	if known := n.numeric[name.String()]; known != nil {
		if known.format != format {
			return nil, errorAt(text, "format different from previous variable definition")
		}
		return known, nil
	}
	return &numericVariable{name: name.String(), format: format, definedLine: line}, nil
}

// values are those of a run: what its variables hold at a moment.
type values struct {
	strings map[string]piece
	numeric map[*numericVariable]numericValue
}

func (v *values) clone() *values {
	copied := &values{map[string]piece{}, map[*numericVariable]numericValue{}}
	for name, value := range v.strings {
		copied.strings[name] = value
	}
	for variable, value := range v.numeric {
		copied.numeric[variable] = value
	}
	return copied
}

// forgetLocal drops the variables whose names do not start with a dollar sign.
func (v *values) forgetLocal() {
	for name := range v.strings {
		if name[0] != '$' {
			delete(v.strings, name)
		}
	}
	for variable := range v.numeric {
		if variable.name[0] != '$' {
			delete(v.numeric, variable)
		}
	}
}

// define reads the definitions of the command line, NAME=VALUE or #NAME=EXPRESSION, and gives their values. The error
// joins all faults.
func (n *names) define(definitions []string) (*values, error) {
	defined := &values{map[string]piece{}, map[*numericVariable]numericValue{}}
	var faults []error
	for _, place := range layOut(definitions) {
		var err error
		switch {
		case place.empty():
			err = errorAt(place, "missing equal sign in global definition")
		case place.startsWith("#"):
			err = n.defineNumeric(place.from(1), defined)
		default:
			err = n.defineString(place, defined)
		}
		faults = append(faults, err)
	}
	return defined, errors.Join(faults...)
}

// layOut writes the definitions into one text that reports can point into, numeric ones in the syntax of a block.
func layOut(definitions []string) []piece {
	text := &source{name: "Global defines"}
	var places []piece
	for i, definition := range definitions {
		equals := strings.IndexByte(definition, '=')
		if equals < 0 {
			places = append(places, piece{text, len(text.text), len(text.text)})
			continue
		}
		text.text += fmt.Sprintf("Global define #%d: ", i+1)
		ending := "\n"
		if definition[0] == '#' {
			text.text += definition + " (parsed as: [["
			definition = definition[:equals] + ":" + definition[equals+1:]
			ending = "]])\n"
		}
		start := len(text.text)
		text.text += definition + ending
		places = append(places, piece{text, start, start + len(definition)})
	}
	return places
}

func (n *names) defineNumeric(text piece, defined *values) error {
	block, err := n.parseNumericBlock(text, false, 0)
	if err != nil {
		return err
	}
	if block.constraint == nil {
		return errorAt(text, "missing value in global definition")
	}
	value, err := block.constraint.evaluate(defined.numeric)
	if err != nil {
		return err
	}
	n.numeric[block.defines.name] = block.defines
	defined.numeric[block.defines] = numericValue{number: value}
	return nil
}

func (n *names) defineString(text piece, defined *values) error {
	equals := strings.IndexByte(text.String(), '=')
	whole := text.upTo(equals)
	rest := whole
	name, err := parseName(&rest)
	if err != nil {
		return err
	}
	if isPseudo(name) || !rest.empty() {
		return errorAt(whole, "invalid name in string variable definition '%s'", whole)
	}
	if n.numeric[name.String()] != nil {
		return errorAt(name, "numeric variable with name '%s' already exists", name)
	}
	if _, again := defined.strings[name.String()]; !again {
		defined.strings[name.String()] = text.from(equals + 1)
	}
	n.strings[name.String()] = true
	return nil
}

// placed takes a joined error apart and gives each part a place; fallback is for those that have none.
func placed(err error, fallback piece) []*placedError {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*placedError
		for _, part := range joined.Unwrap() {
			all = append(all, placed(part, fallback)...)
		}
		return all
	}
	var already *placedError
	var undefined *undefinedVariable
	switch {
	case errors.As(err, &already):
		return []*placedError{already}
	case errors.As(err, &undefined):
		return []*placedError{errorAt(undefined.name, "%s", undefined)}
	case errors.Is(err, errOverflow):
		return []*placedError{errorAt(fallback, "unable to substitute variable or numeric expression: overflow error")}
	}
	return []*placedError{errorAt(fallback, "%s", err)}
}
