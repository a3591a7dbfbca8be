package ir

import (
	"bytes"
	"strings"
	"testing"
)

// Digits of every case, in pieces that are flushed and in one that is not, come out upper case.
func TestAppendDigits(t *testing.T) {
	upper := strings.Repeat("0123456789ABCDEF", 1<<16)
	for name, digits := range map[string]string{
		"upper":         upper,
		"lower":         strings.ToLower(upper),
		"lower at last": upper + "ABCDEFa0",
		"lower within":  upper[:300<<10] + "aB" + upper[300<<10:],
		"short":         "0fF0",
		"none":          "",
	} {
		var out []byte
		through := 0
		w := NewTextWriter()
		w.Flush = func(dst []byte) []byte {
			out = append(out, dst...)
			return dst[:0]
		}
		w.Through = func(dst, text []byte) []byte {
			through += len(text)
			out = append(append(out, dst...), text...)
			return dst[:0]
		}
		out = append(out, w.appendDigits(nil, []byte(digits))...)
		if want := strings.ToUpper(digits); string(out) != want {
			t.Errorf("%s: got %d digits, want %d, or one differs", name, len(out), len(want))
		}
		if isLower := name == "lower" || name == "short" || name == "none"; isLower != (through == 0) {
			t.Errorf("%s: %d digits went through", name, through)
		}
		if got := w.appendDigits([]byte("x"), []byte(digits)); len(got) > 0 && bytes.ContainsAny(got, "abcdef") {
			t.Errorf("%s: lower case left at the end", name)
		}
	}
}

func TestAnyLower(t *testing.T) {
	for at := range 70 {
		digits := bytes.Repeat([]byte("0A9F"), 20)[:70]
		if anyLower(digits) {
			t.Fatal("found in upper case")
		}
		for _, c := range []byte("abcdef") {
			digits[at] = c
			if !anyLower(digits) {
				t.Errorf("%q at %d not found", c, at)
			}
		}
	}
}
