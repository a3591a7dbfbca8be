package odsgen

import (
	"os"
	"testing"
)

// FuzzParse reads definition files: whatever the text, there is an error with words or a file that generates.
func FuzzParse(f *testing.F) {
	f.Add(small)
	for _, name := range []string{"../../dialect/top/top.ods", "../../dialect/tpu/tpu.ods"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text[:4000]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("fuzz.ods", text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, op := range file.Ops() {
			op.OperandCount()
			op.Class()
		}
	})
}
