package topopt

import (
	"errors"
	"testing"
)

func TestFirstBad(t *testing.T) {
	from := func(first int) func(int) bool { return func(n int) bool { return n >= first } }
	for _, test := range []struct {
		name       string
		n, known   int
		bad        func(int) bool
		want, most int
	}{
		{"the first", 100, 0, from(1), 1, 8},
		{"one in the middle", 100, 0, from(38), 38, 8},
		{"the last", 100, 0, from(100), 100, 8},
		{"a thousand", 1000, 0, from(777), 777, 11},
		{"one that fails by itself", 100, 40, from(40), 40, 6},
		{"one before that", 100, 40, from(7), 7, 6},
		{"none", 20, 0, from(21), 0, 20},
		{"no pass", 0, 0, from(1), 0, 0},
		{"bad for a while", 20, 0, func(n int) bool { return n >= 5 && n < 9 }, 5, 6},
		{"bad here and there", 16, 0, func(n int) bool { return n == 3 || n == 4 || n >= 12 }, 12, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			got, err := firstBad(test.n, test.known, func(n int) (bool, error) {
				asked++
				return test.bad(n), nil
			})
			if err != nil || got != test.want || asked > test.most {
				t.Errorf("got %d after %d questions, %v; want %d after at most %d", got, asked, err, test.want, test.most)
			}
			if got > 0 && (!test.bad(got) || got > 1 && test.bad(got-1)) {
				t.Errorf("%d is not where it goes wrong", got)
			}
		})
	}
	failure := errors.New("no such command")
	if _, err := firstBad(10, 0, func(int) (bool, error) { return false, failure }); err != failure {
		t.Errorf("got %v, want the error of the question", err)
	}
}
