package parser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tpuir/ir"
)

// TestAliasExpansion reads aliases that each name the one before twice: a short text for a graph whose own text would fill any
// memory. It is refused at the alias that goes too far, and a shallow one is accepted.
func TestAliasExpansion(t *testing.T) {
	for _, c := range []struct {
		first, next, sigil string
	}{
		{"#a0 = [1, 2]\n", "#a%d = [#a%d, #a%d]\n", "attribute alias '#a"},
		{"#a0 = {x = 1}\n", "#a%d = {l = #a%d, r = #a%d}\n", "attribute alias '#a"},
		{"!a0 = tuple<i1, i2>\n", "!a%d = tuple<!a%d, !a%d>\n", "type alias '!a"},
		{"!a0 = tuple<i1, i2>\n", "!a%d = (!a%d) -> !a%d\n", "type alias '!a"},
	} {
		for _, levels := range []int{10, 40, 2000} {
			var text strings.Builder
			text.WriteString(c.first)
			for i := 1; i <= levels; i++ {
				fmt.Fprintf(&text, c.next, i, i-1, i-1)
			}
			var sources ir.Sources
			module, found := Parse(context.Background(), ir.NewContext(), sources.Add("in.mlir", []byte(text.String())), Options{})
			if levels == 10 {
				if len(found) > 0 {
					t.Errorf("%d levels of %s: %v", levels, c.next, found[0])
				}
				continue
			}
			if module != nil || len(found) == 0 || !strings.Contains(found[0].Message, c.sigil) {
				t.Errorf("%d levels of %s are accepted, or refused with %v", levels, c.next, found)
			}
		}
	}
}
