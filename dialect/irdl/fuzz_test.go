package irdl_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/dialect/builtin"
	"tpuir/dialect/irdl"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// FuzzLoad reads a text as definitions and another as an input that uses them. Nothing may crash, and what is accepted prints to a
// text that is accepted, too, and prints the same. Run it with
//
//	go test ./dialect/irdl -fuzz FuzzLoad -fuzztime 10m
func FuzzLoad(f *testing.F) {
	for _, pair := range [][2]string{{"definitions.mlir", "definitions.mlir"}, {"uses.irdl.mlir", "uses.mlir"},
		{"variables.irdl.mlir", "variables.mlir"}, {"loading.irdl.mlir", "uses.mlir"}} {
		inputs := parts(f, pair[1])
		for i, definitions := range parts(f, pair[0]) {
			f.Add(definitions, inputs[i%len(inputs)])
		}
		for _, input := range inputs {
			f.Add(parts(f, pair[0])[0], input)
		}
	}
	f.Fuzz(func(t *testing.T, definitions, input string) {
		again := print(t, definitions, "")
		if again != "" && print(t, again, "") != again {
			t.Errorf("definitions print another text when read again:\n%s", again)
		}
		again = print(t, definitions, input)
		if again != "" && print(t, definitions, again) != again {
			t.Errorf("an input prints another text when read again:\n%s", again)
		}
	})
}

// print reads definitions and, where it is not empty, an input that uses them, and prints the last of them, "" after an error.
func print(t *testing.T, definitions, input string) string {
	t.Helper()
	c := ir.NewContext()
	builtin.Register(c)
	irdl.Register(c)
	if input != "" {
		c = registry.NewContext()
	}
	module := accepted(c, definitions)
	if module == nil {
		return ""
	}
	if input != "" {
		if irdl.Load(module) != nil {
			return ""
		}
		c.AllowUnregisteredDialects = true
		if module = accepted(c, input); module == nil {
			return ""
		}
	}
	return string(printer.Append(nil, module, printer.Options{}))
}

func accepted(c *ir.Context, text string) *ir.Operation {
	module, _ := parser.Parse(context.Background(), c, (&ir.Sources{}).Add("t", []byte(text)), parser.Options{})
	if module == nil || len(ir.VerifySerially(context.Background(), module)) > 0 {
		return nil
	}
	return module
}

func parts(t testing.TB, name string) []string {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "// -----\n")
}
