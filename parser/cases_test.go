package parser_test

// This file runs the text cases whose results mlir-opt 22 has recorded.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/printer"
)

func TestValidCases(t *testing.T) {
	files, names := cases(t, "testdata/valid.txtar")
	if len(names) != 184 {
		t.Fatalf("%d cases, want 184", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			text := files[name+".mlir"]
			first, _, _ := strings.Cut(string(text), "\n")
			debug := strings.Contains(first, "--mlir-print-debuginfo") && strings.HasPrefix(first, "// flags:")
			op, _, found := read(name+".mlir", text)
			if len(found) > 0 {
				t.Fatal(found)
			}
			generic := printed(op, printer.Options{Generic: true, DebugInfo: debug})
			if diff := cmp.Diff(string(files[name+".expected"]), generic); diff != "" {
				t.Errorf("generic form (-want +got):\n%s", diff)
			}
			pretty := printed(op, printer.Options{DebugInfo: debug})
			if diff := cmp.Diff(string(files[name+".pretty"]), pretty); diff != "" {
				t.Errorf("custom form (-want +got):\n%s", diff)
			}
			again, _, found := read(name+".mlir", []byte(generic))
			if len(found) > 0 {
				t.Fatal(found)
			}
			if diff := cmp.Diff(generic, printed(again, printer.Options{Generic: true, DebugInfo: debug})); diff != "" {
				t.Errorf("read again (-first +second):\n%s", diff)
			}
		})
	}
}

func TestInvalidCases(t *testing.T) {
	files, names := cases(t, "testdata/invalid.txtar")
	if len(names) != 180 {
		t.Fatalf("%d cases, want 180", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			_, src, found := read(name+".mlir", files[name+".mlir"])
			var got strings.Builder
			for _, d := range found {
				line, column := src.LineColumn(src.Offset(d.Position))
				fmt.Fprintf(&got, "%d:%d: %s\n", line, column, d.Message)
			}
			if diff := cmp.Diff(string(files[name+".expected"]), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
