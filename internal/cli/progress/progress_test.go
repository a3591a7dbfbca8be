package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestLine(t *testing.T) {
	tests := []struct {
		bar  Bar
		want string
	}{
		{Bar{title: "writing", total: 4, done: 1}, "writing [#######                       ] 1/4"},
		{Bar{title: "writing", total: 4, done: 4}, "writing [##############################] 4/4"},
		{Bar{title: "writing", total: 4, done: 5}, "writing [##############################] 5/4"},
		{Bar{title: "writing", total: -1, done: 7}, "writing 7"},
		{Bar{title: "writing", total: 0, done: 1}, "writing 1"},
	}
	for _, test := range tests {
		if got := test.bar.line(); got != test.want {
			t.Errorf("%d of %d: %q; want %q", test.bar.done, test.bar.total, got, test.want)
		}
	}
}

func TestBarIsTakenAway(t *testing.T) {
	var screen bytes.Buffer
	b := &Bar{w: &screen, title: "nets", total: 2}
	b.Step("")
	b.Step("") // too soon to be drawn
	b.drawn = time.Time{}
	b.Step("")
	b.Done()
	lines := strings.Split(screen.String(), "\r")
	want := []string{"", "nets [###############               ] 1/2", "nets [##############################] 3/2", strings.Repeat(" ", 41), ""}
	if strings.Join(lines, "|") != strings.Join(want, "|") {
		t.Errorf("drawn: %q; want %q", lines, want)
	}
}

func TestNothingWithoutATerminal(t *testing.T) {
	var screen bytes.Buffer
	b := New(&screen, 3, "nets")
	b.Step("")
	b.Done()
	if screen.Len() > 0 {
		t.Errorf("drawn: %q", screen.String())
	}
}
