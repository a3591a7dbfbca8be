package parser_test

// This file reads every MLIR file of the golden corpus and writes it again, byte for byte.

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/printer"
)

func TestGoldenFiles(t *testing.T) {
	root := shareddata.Golden(t)
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".mlir") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		op, _, found := read(path, text)
		if len(found) > 0 {
			t.Errorf("%s: %v", path, found[0])
			continue
		}
		got := bytes.TrimRight(printer.Append(nil, op, printer.Options{DebugInfo: true}), "\n")
		if want := bytes.TrimRight(text, "\n"); !bytes.Equal(got, want) && !onlyDefaultsAdded(got, want) {
			t.Errorf("%s prints otherwise", path)
		}
	}
}

// onlyDefaultsAdded reports whether the files differ only in default attributes that a pass of the peer had removed.
func onlyDefaultsAdded(got, want []byte) bool {
	for _, added := range []string{"other_down_overlap_op = [], ", "other_up_overlap_op = [], ", "self_down_overlap_op = [], ",
		"self_up_overlap_op = [], "} {
		got = bytes.ReplaceAll(got, []byte(added), nil)
		want = bytes.ReplaceAll(want, []byte(added), nil)
	}
	return bytes.Equal(got, want)
}
