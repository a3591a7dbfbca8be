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

// accessor is a field of an op that its wrapper has methods for, and their name: the setter's has Set in front.
type accessor struct {
	field     *Field
	name      string
	attribute bool
}

// accessors names the methods of the op's wrapper. They must hide no method of *ir.Operation, whose meaning is another, and
// not each other: an attribute that would gets Attr at its end, an operand Operand, a result Result, a region Region. A
// region of open size has none, since Operation.Region(i) is all that can be said.
func (o *Op) accessors() []accessor {
	taken := map[string]bool{"Operation": true}
	operation := reflect.TypeFor[*ir.Operation]()
	for i := range operation.NumMethod() {
		taken[operation.Method(i).Name] = true
	}
	var all []accessor
	for _, group := range []struct {
		fields []*Field
		suffix string
	}{{o.Operands, "Operand"}, {o.Results, "Result"}, {o.Regions, "Region"}, {o.Attributes, "Attr"}} {
		for _, field := range group.fields {
			if group.suffix == "Region" && field.Quantifier == "*" {
				continue
			}
			name := goName(field.Name)
			if field.Name == "_" {
				name = "Output" // a result without a name
			}
			if taken[name] || taken["Set"+name] {
				name += group.suffix
			}
			taken[name], taken["Set"+name] = true, true
			all = append(all, accessor{field, name, group.suffix == "Attr"})
		}
	}
	return all
}

// accessorNames returns the names by field.
func (o *Op) accessorNames() map[*Field]string {
	names := map[*Field]string{}
	for _, a := range o.accessors() {
		names[a.field] = a.name
	}
	return names
}
