package printer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/printer"
)

// TestGoldenFiles reads every file of the golden nets and prints it as it was, up to the ends of line at its end. Two
// files differ: they lack default attributes that their peer adds back, too.
func TestGoldenFiles(t *testing.T) {
	root := shareddata.Golden(t)
	equal, different := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".mlir" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		op := parse(t, filepath.Base(path), text)
		got := string(printer.Append(nil, op, printer.Options{DebugInfo: true}))
		if strings.TrimRight(got, "\n") == strings.TrimRight(string(text), "\n") {
			equal++
			return nil
		}
		if different++; different <= 3 {
			name, _ := filepath.Rel(root, path)
			t.Logf("%s: %s", name, firstDifference(string(text), got))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if different > 2 {
		t.Errorf("%d files equal, %d different; want at most 2 different", equal, different)
	}
	t.Logf("%d equal, %d different", equal, different)
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "\nwant " + a[i] + "\ngot  " + b[i]
		}
	}
	return "one is longer"
}
