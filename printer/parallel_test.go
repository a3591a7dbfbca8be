package printer

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tpuir/ir"
	"tpuir/parser"
)

// largeModule returns functions and a long row of operations, with resources that are used again, aliases, blocks.
func largeModule() string {
	var text strings.Builder
	text.WriteString("\"builtin.module\"() ({\n")
	for i := range 300 {
		fmt.Fprintf(&text, `  "t.func"() ({
  ^bb0(%%a: i32):
    %%0:2 = "t.pair"(%%a) {k = dense_resource<k%d> : tensor<4xi8>} : (i32) -> (i32, i32) loc("f%d")
    "t.br"(%%0#1)[^bb1] : (i32) -> ()
  ^bb1(%%b: i32):
    "t.br"(%%b)[^bb1] : (i32) -> ()
  }) {t = tuple<%si1>} : () -> ()
`, (i*7)%40, i, strings.Repeat("i1, ", i%20))
	}
	for i := range 9000 {
		fmt.Fprintf(&text, "  %%x%d = \"t.add\"(%%x%d) {n = %d : i32} : (i32) -> i32 loc(\"x\":%d:1)\n", i, max(0, i-3), i, i)
	}
	text.WriteString("}) : () -> ()\n{-#\n  dialect_resources: {\n    builtin: {\n")
	for i := range 40 {
		if i > 0 {
			text.WriteString(",\n")
		}
		fmt.Fprintf(&text, "      k%d: \"0x0400000001020304\"", i)
	}
	text.WriteString("\n    }\n  }\n#-}\n")
	return text.String()
}

func TestParallelIsSerial(t *testing.T) {
	c := ir.NewContext()
	c.AllowUnregisteredDialects = true
	source := (&ir.Sources{}).Add("large.mlir", []byte(largeModule()))
	module, diagnostics := parser.Parse(context.Background(), c, source, parser.Options{})
	if module == nil {
		t.Fatal(diagnostics)
	}
	for _, options := range []Options{{}, {DebugInfo: true}, {ValueUsers: true}, {NameLocAsPrefix: true, UniqueSSAIDs: true}} {
		serial := options
		serial.Serial = true
		want := Append(nil, module, serial)
		for _, processors := range []int{1, 2, 5} {
			before := runtime.GOMAXPROCS(processors)
			var out bytes.Buffer
			err := Print(&out, module, options)
			appended := Append(nil, module, options)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want) || !bytes.Equal(appended, want) {
				t.Errorf("%+v on %d processors: another text than on one goroutine", options, processors)
			}
		}
	}
}
