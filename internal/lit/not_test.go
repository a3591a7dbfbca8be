// Tests of not with commands of this process: success, failure, panic.

package lit

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestNot(t *testing.T) {
	ends := func(status int) Command {
		return func(context.Context, []string, io.Reader, io.Writer, io.Writer) int { return status }
	}
	commands := Commands{
		"good": ends(0), "bad": ends(1), "worse": ends(2),
		"broken": func(context.Context, []string, io.Reader, io.Writer, io.Writer) int { panic("index out of range") },
	}
	tests := []struct {
		arguments, stderr string
		want              int
	}{
		{"good", "", 1},
		{"bad", "", 0},
		{"worse", "", 0},
		{"broken", "not: broken: panic: index out of range", 1},
		{"--crash broken", "not: broken: panic: index out of range", 0},
		{"--crash bad", "", 1},
		{"", "usage: not", 1},
	}
	for _, test := range tests {
		var stdout, stderr strings.Builder
		got := commands.not(t.Context(), strings.Fields(test.arguments), strings.NewReader(""), &stdout, &stderr)
		if got != test.want || !strings.HasPrefix(stderr.String(), test.stderr) || (test.stderr == "" && stderr.Len() > 0) {
			t.Errorf("not %s: status %d, stderr %q; want %d, %q", test.arguments, got, &stderr, test.want, test.stderr)
		}
	}
}
