// Package suggest finds what a misspelt name in an error was meant to be: the name of an operation or of an attribute.
package suggest

import (
	"fmt"
	"regexp"
	"strings"

	"tpuir/ir"
	"tpuir/pass"
)

// The errors that are about a name, by their words; the first group is the name.
var (
	unknownCustom    = regexp.MustCompile(`^custom op '([^']+)' is unknown`)
	unknownDialect   = regexp.MustCompile("^Dialect `[^']*' not found for custom op '([^']+)'")
	unknownOperation = regexp.MustCompile(`^unregistered operation '([^']+)' found in dialect`)
	unregistered     = regexp.MustCompile(`^'([^']+)' op created with unregistered dialect`)
	missingAttribute = regexp.MustCompile(`op requires attribute '([^']+)'`)
	foreignType      = regexp.MustCompile("^`!\"([^\"]+)\"<.*> ?` type created with unregistered dialect")
	foreignAttribute = regexp.MustCompile(`^#"([^"]+)"<.* attribute created with unregistered dialect`)
	unknownQuantized = regexp.MustCompile(`^unknown quantized type (\S+)`)
	unknownMember    = regexp.MustCompile("^unknown +(type|attribute) `([^`]+)` in dialect `([^`]+)`")
)

const genericUnregistered = "operation being parsed with an unregistered dialect"

// For returns a note that says what was most likely meant in an error, or "". Errors of the parser stand on the word that is
// wrong in one of the sources.
func For(d *ir.Diagnostic, sources *ir.Sources) string {
	c := contextOf(d)
	if c == nil {
		return ""
	}
	if closest := closest(c, d, sources); closest != "" {
		return "did you mean '" + closest + "'?"
	}
	if found := missingAttribute.FindStringSubmatch(d.Message); found != nil && d.Op != nil {
		return attribute(d.Op, found[1])
	}
	return ""
}

func closest(c *ir.Context, d *ir.Diagnostic, sources *ir.Sources) string {
	for _, about := range []*regexp.Regexp{unknownCustom, unknownDialect, unknownOperation, unregistered} {
		if found := about.FindStringSubmatch(d.Message); found != nil {
			return operation(c, found[1], d.Message)
		}
	}
	if strings.HasPrefix(d.Message, genericUnregistered) {
		return operation(c, nameBefore(d, sources), d.Message)
	}
	if found := foreignType.FindStringSubmatch(d.Message); found != nil {
		return namespace(c, "!", found[1], func(d *ir.Dialect) bool { return d.ParseType != nil })
	}
	if found := foreignAttribute.FindStringSubmatch(d.Message); found != nil {
		return namespace(c, "#", found[1], func(d *ir.Dialect) bool { return d.ParseAttribute != nil })
	}
	if found := unknownQuantized.FindStringSubmatch(d.Message); found != nil {
		return member(c, "quant", found[1], false)
	}
	if found := unknownMember.FindStringSubmatch(d.Message); found != nil {
		return member(c, found[3], found[2], found[1] == "attribute")
	}
	if what, ok := strings.CutPrefix(d.Message, "expected dynamic "); ok { // of a dialect that is loaded from IRDL
		return member(c, namespaceBefore(d, sources), wordAt(d, sources), what == "attribute")
	}
	return word(d, sources)
}

// namespace finds the dialect that was meant, written as its types or attributes begin.
func namespace(c *ir.Context, sign, name string, fits func(*ir.Dialect) bool) string {
	var known []string
	for _, d := range c.Dialects() {
		if fits(d) {
			known = append(known, d.Namespace)
		}
	}
	if closest := pass.Closest(name, known); closest != "" {
		return sign + closest
	}
	return ""
}

// member finds the type or the attribute of a dialect that was meant.
func member(c *ir.Context, namespace, name string, isAttribute bool) string {
	for _, d := range c.Dialects() {
		if d.Namespace != namespace {
			continue
		}
		if isAttribute {
			return pass.Closest(name, d.Attributes)
		}
		return pass.Closest(name, d.Types)
	}
	return ""
}

func contextOf(d *ir.Diagnostic) *ir.Context {
	if d.Loc == nil {
		return nil
	}
	return d.Loc.Context()
}

// operation finds the registered operation that a name is nearest to. The dialect is left out where the name has none and
// the message says that this dialect was tried.
func operation(c *ir.Context, name, message string) string {
	var full, short []string
	dialects := map[string]string{}
	for _, d := range c.Dialects() {
		if d.OperationNames == nil {
			continue
		}
		for _, n := range d.OperationNames() {
			full = append(full, n)
			if rest := strings.TrimPrefix(n, d.Namespace+"."); dialects[rest] == "" {
				dialects[rest] = n
				short = append(short, rest)
			}
		}
	}
	if found := pass.Closest(name, full); found != "" && sameButDialect(name, found) {
		return found
	}
	if strings.Contains(name, ".") {
		return ""
	}
	closest := pass.Closest(name, short)
	if found := dialects[closest]; !strings.Contains(message, "(tried '"+strings.TrimSuffix(found, closest)) {
		return found
	}
	return closest
}

// sameButDialect reports whether two names of operations are near each other without their dialect, too, where they have the
// same one: it says nothing about the rest.
func sameButDialect(name, found string) bool {
	dialect, rest, _ := strings.Cut(found, ".")
	if own, ok := strings.CutPrefix(name, dialect+"."); ok {
		return pass.Closest(own, []string{rest}) != ""
	}
	return true
}

// attribute looks for the attribute that the operation lacks among those that its definition does not know.
func attribute(op *ir.Operation, name string) string {
	var unknown []string
	for _, e := range op.AllAttributes().Entries {
		if def := op.Definition(); def == nil || !def.IsInherent(e.Name) {
			unknown = append(unknown, e.Name)
		}
	}
	if closest := pass.Closest(name, unknown); closest != "" {
		return fmt.Sprintf("did you mean '%s' by '%s'?", name, closest)
	}
	return ""
}
