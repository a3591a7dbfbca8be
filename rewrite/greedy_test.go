package rewrite_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
	"tpuir/rewrite"
)

func parse(t *testing.T, text string) *ir.Operation {
	t.Helper()
	c := registry.NewContext()
	c.AllowUnregisteredDialects = true
	sources := &ir.Sources{}
	module, found := parser.Parse(t.Context(), c, sources.Add("in.mlir", []byte(text)), parser.Options{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	return module
}

// rename makes "t.from" "t.to".
func rename(from, to string) rewrite.Pattern {
	return rewrite.Pattern{Name: from, Root: from, Rewrite: func(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
		r.ReplaceWith(op, r.Build(to, op.Loc(), op.Operands(), op.Attributes(), op.ResultTypes()...))
		return true, nil
	}}
}

func TestGreedy(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
		greedy         rewrite.Greedy
		result         rewrite.Result
	}{
		{"patterns until nothing changes", `%0 = "t.a"() : () -> i32
"t.use"(%0) : (i32) -> ()`, `module {
  %0 = "t.c"() : () -> i32
  "t.use"(%0) : (i32) -> ()
}
`, rewrite.Greedy{Patterns: []rewrite.Pattern{rename("t.a", "t.b"), rename("t.b", "t.c")}}, rewrite.Result{Changed: true, Converged: true, Iterations: 2}},
		{"what is dead goes", `%0 = builtin.unrealized_conversion_cast to i32
%1 = builtin.unrealized_conversion_cast %0 : i32 to i64`, "module {\n}\n", rewrite.Greedy{}, rewrite.Result{Changed: true, Converged: true, Iterations: 2}},
		{"a constant that is used stays", `func.func private @f()
%0 = "func.constant"() {value = @f} : () -> (() -> ())
"t.use"(%0) : (() -> ()) -> ()`, `module {
  func.func private @f()
  %f = func.constant @f : () -> ()
  "t.use"(%f) : (() -> ()) -> ()
}
`, rewrite.Greedy{}, rewrite.Result{Converged: true, Iterations: 1}},
		{"no end is reached", `"t.a"() : () -> ()`, "module {\n  \"t.a\"() : () -> ()\n}\n",
			rewrite.Greedy{Patterns: []rewrite.Pattern{rename("t.a", "t.b"), rename("t.b", "t.a")}, MaxIterations: 3, MaxRewrites: 2},
			rewrite.Result{Changed: true, Iterations: 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			module := parse(t, test.in)
			result, err := test.greedy.Apply(context.Background(), module)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, printer.String(module)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.result, result); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConvertVisitsOnce(t *testing.T) {
	module := parse(t, `"t.a"() : () -> ()
"t.b"() : () -> ()`)
	converted, err := rewrite.Convert(t.Context(), module, []rewrite.Pattern{rename("t.a", "t.b"), rename("t.b", "t.c")})
	if err != nil || converted != 2 {
		t.Errorf("converted %d, %v", converted, err)
	}
	if diff := cmp.Diff("module {\n  \"t.b\"() : () -> ()\n  \"t.c\"() : () -> ()\n}\n", printer.String(module)); diff != "" {
		t.Error(diff)
	}
}
