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
	unknownOperation = regexp.MustCompile(`^unregistered operation '([^']+)' found in dialect`)
	unregistered     = regexp.MustCompile(`^'([^']+)' op created with unregistered dialect`)
	missingAttribute = regexp.MustCompile(`op requires attribute '([^']+)'`)
)

// For returns a note that says what was most likely meant in an error, or "".
func For(d *ir.Diagnostic) string {
	c := contextOf(d)
	if c == nil {
		return ""
	}
	for _, about := range []*regexp.Regexp{unknownCustom, unknownOperation, unregistered} {
		if found := about.FindStringSubmatch(d.Message); found != nil {
			if closest := operation(c, found[1], d.Message); closest != "" {
				return "did you mean '" + closest + "'?"
			}
		}
	}
	if found := missingAttribute.FindStringSubmatch(d.Message); found != nil && d.Op != nil {
		return attribute(d.Op, found[1])
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
	if strings.Contains(name, ".") {
		return pass.Closest(name, full)
	}
	closest := pass.Closest(name, short)
	if found := dialects[closest]; !strings.Contains(message, "(tried '"+strings.TrimSuffix(found, closest)) {
		return found
	}
	return closest
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
