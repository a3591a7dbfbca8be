package builtin_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	"tpuir/ir"
	"tpuir/parser"
)

// TestErrors compares messages with those of mlir-opt 22.
func TestErrors(t *testing.T) {
	cases := []struct{ text, want string }{
		{`module @m attributes {plain = 1} {}`,
			"'builtin.module' op can only contain attributes with dialect-prefixed names, found: 'plain'"},
		{`"builtin.module"() ({ ^b(%x: i32): "t.a"() : () -> () }) : () -> ()`, "'builtin.module' op region should have no arguments"},
		{`"builtin.module"() : () -> ()`, "'builtin.module' op requires one region"},
		{`module @m attributes {sym_visibility = "secret"} {}`,
			`'builtin.module' op visibility expected to be one of ["public", "private", "nested"], but got "secret"`},
		{`"builtin.unrealized_conversion_cast"() : () -> ()`,
			"'builtin.unrealized_conversion_cast' op expected at least one result for cast operation"},
	}
	for _, c := range cases {
		c2 := ir.NewContext()
		c2.AllowUnregisteredDialects = true
		builtin.Register(c2)
		op, found := parser.Parse(context.Background(), c2, &ir.Source{Name: "f", Text: []byte(c.text)}, parser.Options{})
		if len(found) == 0 {
			found = ir.Verify(context.Background(), op)
		}
		got := "accepted"
		if len(found) > 0 {
			got = found[0].Message
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n-want +got:\n%s", c.text, diff)
		}
	}
}

// TestModule checks the wrapper.
func TestModule(t *testing.T) {
	c := ir.NewContext()
	builtin.Register(c)
	m := builtin.NewModule(c, c.UnknownLoc(), "net")
	if m.Name() != "net" || m.Body() == nil || !m.Body().Empty() {
		t.Errorf("name %q, body %v", m.Name(), m.Body())
	}
	if _, ok := builtin.AsModule(m.Operation); !ok {
		t.Error("a module is none")
	}
	if _, ok := builtin.AsModule(nil); ok {
		t.Error("nothing is a module")
	}
}
