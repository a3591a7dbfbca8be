package parser_test

import (
	"testing"

	"tpuir/printer"
)

// FuzzParse reads any text. What is accepted must print as a text that is accepted again and prints the same.
func FuzzParse(f *testing.F) {
	for _, archive := range []string{"testdata/valid.txtar", "testdata/invalid.txtar"} {
		files, names := cases(f, archive)
		for _, name := range names {
			f.Add(files[name+".mlir"])
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		op, _, found := read("fuzz", text)
		if len(found) > 0 {
			return
		}
		for _, options := range []printer.Options{{Generic: true, DebugInfo: true}, {}} {
			first := printed(op, options)
			again, _, found := read("fuzz", []byte(first))
			if len(found) > 0 {
				t.Fatalf("does not read back: %v\n%s", found[0], first)
			}
			if second := printed(again, options); second != first {
				t.Fatalf("changes when it is read back:\n%s\n%s", first, second)
			}
		}
	})
}
