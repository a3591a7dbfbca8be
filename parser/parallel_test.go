package parser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// repeat returns the text of n numbers with the head before and the tail behind.
func repeat(n int, head, tail string, part func(i int) string) string {
	var out strings.Builder
	out.WriteString(head)
	for i := range n {
		out.WriteString(part(i))
	}
	out.WriteString(tail)
	return out.String()
}

func function(i int, body string) string {
	return fmt.Sprintf("  func.func @f%d(%%arg0: i32) -> i32 {\n    %%0 = \"t.a\"(%%arg0) {number = %d : i64} : (i32) -> i32 loc(#loc%d)\n%s    return %%0 : i32\n  } loc(#loc)\n",
		i, i, i%1200+1, body)
}

func locations(n int) string {
	return repeat(n, "#loc = loc(unknown)\n", "", func(i int) string { return fmt.Sprintf("#loc%d = loc(\"name %d\")\n", i+1, i) })
}

// TestWorkers reads texts with one and with several goroutines: the same IR or the same errors must come out.
func TestWorkers(t *testing.T) {
	plain := func(i int) string { return function(i, "") }
	odd := func(at int, body string) func(i int) string {
		return func(i int) string {
			if i == at {
				return function(i, body)
			}
			return function(i, "")
		}
	}
	for name, text := range map[string]string{
		"functions":         repeat(1200, "module {\n", "}\n"+locations(1500), plain),
		"golden":            string(manyTop(t, 100)),
		"modules":           repeat(1200, "module {\n", "}\n"+locations(1500), func(i int) string { return fmt.Sprintf("  module @m%d {\n  %s  }\n", i, plain(i)) }),
		"module of modules": "module {\n" + repeat(600, "  module @a {\n", "  }\n", plain) + repeat(600, "  module @b {\n", "  }\n}\n", plain) + locations(1500),
		"generic":           repeat(1200, "\"builtin.module\"() ({\n", "}) : () -> ()\n"+locations(1500), func(i int) string { return fmt.Sprintf("  \"t.f\"() ({\n%s  }) : () -> ()\n", plain(i)) }),
		"no module":         repeat(1200, "", locations(1500), plain),
		"syntax error":      repeat(1200, "module {\n", "}\n"+locations(1500), odd(900, "    \"t.b\"() : () -> \n")),
		"two errors":        repeat(1200, "module {\n", "}\n"+locations(1500), odd(900, "    %0 = \"t.b\"() : () -> i32\n    \"t.c\"(%1) : (i32) -> ()\n")),
		"undefined name":    repeat(1200, "module {\n", "}\n"+locations(1500), odd(900, "    \"t.b\"(%x) : (i32) -> ()\n")),
		"later name":        repeat(1200, "module {\n", "  %x = \"t.x\"() : () -> i32\n}\n"+locations(1500), odd(900, "    \"t.b\"(%x) : (i32) -> ()\n")),
		"earlier name":      repeat(1200, "module {\n  %x = \"t.x\"() : () -> i32\n", "}\n"+locations(1500), odd(900, "    \"t.b\"(%x) : (i32) -> ()\n")),
		"name between": "module {\n" + repeat(600, "", "  %x = \"t.x\"() : () -> i32\n", plain) +
			repeat(600, "", "}\n", odd(7, "    \"t.b\"(%x) : (i32) -> ()\n")) + locations(1500),
		"label": "\"t.m\"() ({\n" + repeat(600, "", "^b:\n", plain) + repeat(600, "", "}) : () -> ()\n", plain) + locations(1500),
		"misleading layout": repeat(600, "module {\n", "}\n"+locations(1500), func(i int) string {
			return "  func.func private @p" + fmt.Sprint(i) + "()\n  module @m" + fmt.Sprint(i) + " {\n" + plain(i) + "  }\n"
		}),
		"distinct": repeat(1200, "module {\n", "}\n"+locations(1500), func(i int) string {
			return function(i, "    \"t.d\"() {d = distinct[0]<>, e = distinct[1]<1>} : () -> ()\n")
		}),
		"resource": repeat(1200, "module {\n", "}\n{-# dialect_resources: {builtin: {k: \"0x0100000001\"}} #-}\n"+locations(1500), func(i int) string {
			return function(i, "    \"t.d\"() {d = dense_resource<k> : tensor<1xi8>} : () -> ()\n")
		}),
		"undefined location": repeat(1200, "module {\n", "}\n"+locations(1000), plain),
		"location twice":     repeat(1200, "#loc7 = loc(\"x\")\nmodule {\n", "}\n"+locations(1500), plain),
		"location between":   "#loc1450 = loc(\"head\")\nmodule {\n" + repeat(1200, "", "}\n#loc1451 = loc(\"middle\")\n\"t.z\"() : () -> ()\n", plain) + locations(1400),
		"twice in between":   "module {\n" + repeat(1200, "", "}\n#loc7 = loc(\"middle\")\n\"t.z\"() : () -> ()\n", plain) + locations(1500),
		"use of the tail":    repeat(1200, "#other = loc(\"x\"(#loc7))\nmodule {\n", "}\n"+locations(1500), plain),
		"fused tail":         repeat(1200, "#x = loc(\"x\")\nmodule {\n", "}\n"+locations(1500)+"#y = loc(fused[#x, #loc7])\n", plain),
		"attribute alias":    repeat(1200, "#a = 7 : i8\n!t = tensor<4xf32>\nmodule {\n", "}\n"+locations(1500), odd(900, "    \"t.b\"() {a = #a, t = !t} : () -> !t\n")),
		"no attribute alias": repeat(1200, "module {\n", "}\n#a = 7 : i8\n"+locations(1500), odd(900, "    \"t.b\"() {a = #a} : () -> ()\n")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			serial := outcome(text, 1)
			for _, workers := range []int{3} {
				if diff := cmp.Diff(strings.Split(serial, "\n"), strings.Split(outcome(text, workers), "\n")); diff != "" {
					t.Errorf("%d workers (-one +several):\n%.2000s", workers, diff)
				}
			}
		})
	}
}

// outcome returns the errors of a text, or what it prints as.
func outcome(text string, workers int) string {
	var sources ir.Sources
	src := sources.Add("f.mlir", []byte(text))
	op, found := parser.Parse(context.Background(), newContext(), src, parser.Options{Workers: workers})
	if len(found) == 0 {
		return printed(op, printer.Options{DebugInfo: true})
	}
	var out strings.Builder
	renderer := ir.Renderer{Out: &out, Sources: &sources}
	for _, d := range found {
		renderer.Write(d)
	}
	return out.String()
}
