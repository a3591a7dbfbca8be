package reduce

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
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

const input = `
func.func @f(%x: i32) -> i32 {
  %0 = "t.a"(%x) : (i32) -> i32
  %1 = "t.wanted"(%0) : (i32) -> i32
  %2 = "t.c"(%1) : (i32) -> i32
  return %2 : i32
}
func.func @g() {
  "t.region"() ({
    "t.inner"() : () -> ()
  }) : () -> ()
  return
}`

func TestModule(t *testing.T) {
	module := parse(t, input)
	before := printer.String(module)
	result, err := Module(t.Context(), module, func(_ context.Context, m *ir.Operation) (bool, error) {
		return strings.Contains(printer.String(m), "t.wanted"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `module {
  func.func @f(%arg0: i32) -> i32 {
    %0 = "t.wanted"(%arg0) : (i32) -> i32
    return %0 : i32
  }
}
`
	if diff := cmp.Diff(want, printer.String(result.Module)); diff != "" {
		t.Error(diff)
	}
	if result.Before != 10 || result.After != 4 {
		t.Errorf("%d operations before and %d after, want 10 and 4", result.Before, result.After)
	}
	if diff := cmp.Diff(before, printer.String(module)); diff != "" {
		t.Errorf("the module itself changed:\n%s", diff)
	}
}

func TestModuleStops(t *testing.T) {
	stop := errors.New("stop")
	if _, err := Module(t.Context(), parse(t, input), func(context.Context, *ir.Operation) (bool, error) { return false, stop }); err != stop {
		t.Errorf("error of the test: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Module(ctx, parse(t, input), func(context.Context, *ir.Operation) (bool, error) { return true, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
