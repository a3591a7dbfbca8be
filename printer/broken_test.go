package printer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// What does not verify is written in the generic form, and says why.
func TestBrokenSaysWhy(t *testing.T) {
	sources := &ir.Sources{}
	module, found := parser.Parse(t.Context(), registry.NewContext(), sources.Add("in.mlir", []byte("func.func @f() -> i32 { return }")), parser.Options{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	want := `// in the generic form, since it does not verify: 'func.return' op has 0 operands, but enclosing function (@f) returns 1
"builtin.module"() ({
  "func.func"() <{function_type = () -> i32, sym_name = "f"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
`
	if diff := cmp.Diff(want, printer.String(module)); diff != "" {
		t.Error(diff)
	}
}
