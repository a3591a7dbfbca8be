// How names of the definition files become Go names.

package odsgen

import (
	"go/token"
	"reflect"
	"strings"
	"unicode"

	"tpuir/ir"
)

// goName makes an exported Go name: parts between underscores begin with a capital, parts of a name that is all
// capitals with underscores go down to one (ROI_NUM_LEVELS becomes RoiNumLevels).
func goName(name string) string {
	shout := strings.Contains(name, "_") && !strings.ContainsFunc(name, unicode.IsLower)
	var out strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part == "" {
			continue
		}
		if shout {
			part = strings.ToLower(part)
		}
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}

// localNames are the names that the body of a generated constructor uses itself.
var localNames = []string{"b", "loc", "attributes", "regions", "definition", "ir", "slices", "nil", "true", "false", "len", "int32"}

// parameterName makes the name of a parameter of a constructor.
func parameterName(name string) string {
	name = goName(name)
	capitals := 0
	for capitals < len(name) && unicode.IsUpper(rune(name[capitals])) {
		capitals++
	}
	if capitals > 1 && capitals < len(name) {
		capitals-- // the last capital begins the next word
	}
	name = strings.ToLower(name[:capitals]) + name[capitals:]
	taken := token.IsKeyword(name)
	for _, local := range localNames {
		taken = taken || local == name
	}
	if taken {
		return name + "Value"
	}
	return name
}

// accessors names the methods of one wrapper. They must hide no method of *ir.Operation, whose meaning is another, and
// not each other: an attribute that would gets Attr at its end, an operand Operand, a result Result.
type accessors struct {
	taken map[string]bool
}

func newAccessors() *accessors {
	a := &accessors{taken: map[string]bool{"Operation": true}}
	operation := reflect.TypeFor[*ir.Operation]()
	for i := range operation.NumMethod() {
		a.taken[operation.Method(i).Name] = true
	}
	return a
}

// name returns the accessor's name and takes it; the setter is the same with Set in front.
func (a *accessors) name(field, suffix string) string {
	name := goName(field)
	if a.taken[name] || a.taken["Set"+name] {
		name += suffix
	}
	a.taken[name], a.taken["Set"+name] = true, true
	return name
}
