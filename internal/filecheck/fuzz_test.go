// Fuzz tests: no check file and no input may crash, a report agrees with itself, the two ways to match a regular
// expression agree, and an update is a fixed point.

package filecheck

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// addCases adds the check files and inputs of testdata to the corpus.
func addCases(f *testing.F) {
	for _, archive := range archives(f) {
		for _, c := range casesOf(f, archive) {
			f.Add(c.checkFile, c.input)
		}
	}
}

func FuzzCheck(f *testing.F) {
	addCases(f)
	f.Add("CHECK: {{((a*)*)*\\1}}b", strings.Repeat("a", 40))
	f.Fuzz(func(t *testing.T, checkText, input string) {
		if len(checkText) > 1<<12 || len(input) > 1<<12 {
			t.Skip()
		}
		options := Options{AllowEmpty: true, Dump: Dump{Mode: DumpAlways}, VeryVerbose: true}
		file, err := Parse("check", []byte(checkText), options)
		var fault *ParseError
		if errors.As(err, &fault) {
			if fault.Status == 0 || len(fault.Diagnostics) == 0 {
				t.Errorf("fault without status or message: %+v", fault)
			}
			return
		}
		report := file.Check("<stdin>", []byte(input))
		if (report.Status == 0) != (report.Err() == nil) || (report.Status == 0) != (len(report.Errors()) == 0) {
			t.Errorf("status %d with errors %v", report.Status, report.Errors())
		}
		if again := file.Check("<stdin>", []byte(input)); again.String() != report.String() {
			t.Errorf("a second check differs:\n%s", cmp.Diff(report.String(), again.String()))
		}
	})
}

// FuzzRegex compares the bounds that Go's regexp finds with those of the backtracking matcher.
func FuzzRegex(f *testing.F) {
	for _, text := range []string{
		"a|ab", "(a|ab)(c|bcd)*", "[^a-c]+$", "^(x*)*y", "a{2,3}b{0}c?", "[[:alpha:]]|[]-]", `\d\.`, "é+", "()|a", "(a?b?)*c",
	} {
		f.Add(text, "xabcbcd..\n]-éaabbc")
	}
	f.Fuzz(func(t *testing.T, text, input string) {
		if len(text) > 30 || len(input) > 60 {
			t.Skip()
		}
		compiled, err := compileRegex(text, false)
		if err != nil || !compiled.exact {
			return
		}
		h := newHaystack(input)
		want, err := compiled.match(h, 0, len(input), true)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compiled.search(h, 0, len(input))
		if err != nil {
			return // too complex for backtracking
		}
		if (want == nil) != (got == nil) || (want != nil && (want[0] != got[0] || want[1] != got[1])) {
			t.Errorf("%q in %q: %v by Go's regexp, %v by backtracking", text, input, want, got)
		}
		for i := 2; i+1 < len(want); i += 2 {
			inside := want[i] >= want[0] && want[i] <= want[i+1] && want[i+1] <= want[1]
			if !inside && !(want[i] == -1 && want[i+1] == -1) {
				t.Errorf("%q in %q: group %d is %v", text, input, i/2, want)
			}
		}
	})
}

func FuzzUpdate(f *testing.F) {
	addCases(f)
	f.Add("// about\nfunc.func @main() {\n", layerOutput)
	f.Fuzz(func(t *testing.T, checkText, output string) {
		if len(checkText) > 1<<10 || len(output) > 1<<10 {
			t.Skip()
		}
		first, err := Update("check", []byte(checkText), []byte(output), Options{})
		if err != nil {
			return
		}
		second, err := Update("check", first, []byte(output), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(first), string(second)); diff != "" {
			t.Errorf("the second update differs:\n%s", diff)
		}
	})
}
