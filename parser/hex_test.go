package parser

import (
	"strings"
	"testing"
)

func TestHexLength(t *testing.T) {
	for c := range 256 {
		want := 0
		if strings.IndexByte("0123456789abcdefABCDEF", byte(c)) >= 0 {
			want = 1
		}
		for at := range 70 {
			text := []byte(strings.Repeat("0", 80))
			text[at] = byte(c)
			n := at
			if want == 1 {
				n = len(text)
			}
			if got := hexLength(text); got != n {
				t.Errorf("byte %#x at %d: %d digits, want %d", c, at, got, n)
			}
		}
	}
}
