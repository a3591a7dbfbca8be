package interp

import (
	"os"
	"testing"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/quant"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/parser"
)

// parseText returns the module that a text holds.
func parseText(t testing.TB, text string) *ir.Operation {
	t.Helper()
	c := ir.NewContext()
	for _, register := range []func(*ir.Context){builtin.Register, funcdialect.Register, quant.Register, top.Register, tpu.Register} {
		register(c)
	}
	var sources ir.Sources
	module, diagnostics := parser.Parse(t.Context(), c, sources.Add(t.Name(), []byte(text)), parser.Options{})
	if len(diagnostics) > 0 {
		t.Fatalf("%v\n%s", diagnostics[0], text)
	}
	return module
}

// verify fails where a module is not valid.
func verify(t testing.TB, module *ir.Operation) {
	t.Helper()
	if diagnostics := ir.Verify(t.Context(), module); len(diagnostics) > 0 {
		t.Fatal(diagnostics[0])
	}
}

// parseFile returns the verified module of a file.
func parseFile(t testing.TB, file string) *ir.Operation {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	module := parseText(t, string(text))
	verify(t, module)
	return module
}
