package irdl_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	"tpuir/dialect/irdl"
	"tpuir/ir"
	"tpuir/parser"
)

func parse(t *testing.T, c *ir.Context, text string) (*ir.Operation, string) {
	t.Helper()
	sources := &ir.Sources{}
	module, found := parser.Parse(context.Background(), c, sources.Add("t", []byte(text)), parser.Options{})
	if module != nil {
		found = ir.VerifySerially(context.Background(), module)
	}
	var messages []string
	for _, d := range found {
		messages = append(messages, d.Message)
	}
	return module, strings.Join(messages, "; ")
}

func load(t *testing.T, text string) (*ir.Context, string) {
	t.Helper()
	c := ir.NewContext()
	builtin.Register(c)
	irdl.Register(c)
	module, message := parse(t, c, text)
	if message != "" {
		t.Fatalf("definitions: %s", message)
	}
	if err := irdl.Load(module); err != nil {
		return c, ir.Diagnostics(err)[0].Message
	}
	return c, ""
}

// chain defines an operation with n alternatives nested into each other, every one given twice: tried one by one, they are 2^n.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("irdl.dialect @d {\n irdl.operation @o {\n %v0 = irdl.is i32\n")
	for i := range n {
		from, to := "%v"+strings.Repeat("x", i), "%v"+strings.Repeat("x", i+1)
		if i == 0 {
			from = "%v0"
		}
		b.WriteString(to + " = irdl.any_of(" + from + ", " + from + ")\n")
	}
	b.WriteString("irdl.operands(a: %v" + strings.Repeat("x", n) + ")\n }\n}\n")
	return b.String()
}

func TestNestedAlternativesTakeLinearTime(t *testing.T) {
	c, message := load(t, chain(200))
	if message != "" {
		t.Fatal(message)
	}
	_, message = parse(t, c, `%a = "builtin.unrealized_conversion_cast"() : () -> i64
"d.o"(%a) : (i64) -> ()`)
	if want := "'i64' does not satisfy the constraint"; !strings.Contains(message, want) {
		t.Errorf("error %q, want %q", message, want)
	}
}

func TestNothingIsRegisteredAfterAnError(t *testing.T) {
	c, message := load(t, `irdl.dialect @good { irdl.operation @o }
irdl.dialect @bad { irdl.operation @o {
  %0 = irdl.base "#builtin.nothing"
  irdl.attributes {"a" = %0}
} }`)
	if want := "no registered attribute with name #builtin.nothing"; message != want {
		t.Errorf("error %q, want %q", message, want)
	}
	if c.Dialect("good") != nil || c.Dialect("bad") != nil {
		t.Error("a dialect is registered")
	}
}

func TestDialectListsItsOperations(t *testing.T) {
	c, _ := load(t, "irdl.dialect @d {\n irdl.operation @b\n irdl.operation @a\n irdl.type @t\n}")
	if diff := cmp.Diff([]string{"d.a", "d.b"}, c.Dialect("d").OperationNames()); diff != "" {
		t.Error(diff)
	}
}

// Every kind of builtin attribute and type has a base of the name that mlir-opt-22 knows it by.
func TestBases(t *testing.T) {
	for text, want := range map[string]string{
		`i8`: "!builtin.integer", `index`: "!builtin.index", `none`: "!builtin.none", `bf16`: "!builtin.bf16",
		`f8E4M3FN`: "!builtin.f8E4M3FN", `complex<f32>`: "!builtin.complex", `tuple<>`: "!builtin.tuple",
		`() -> ()`: "!builtin.function", `vector<2xi8>`: "!builtin.vector", `tensor<2xi8>`: "!builtin.tensor",
		`tensor<*xi8>`: "!builtin.unranked_tensor", `memref<2xi8>`: "!builtin.memref",
		`memref<*xi8>`: "!builtin.unranked_memref", `!irdl.region`: "!irdl.region",
		`3 : i8`: "#builtin.integer", `true`: "#builtin.integer", `1.0 : f32`: "#builtin.float", `"x"`: "#builtin.string",
		`[]`: "#builtin.array", `{}`: "#builtin.dictionary", `@a::@b`: "#builtin.symbol_ref", `unit`: "#builtin.unit",
		`strided<[1]>`: "#builtin.strided_layout", `distinct[0]<unit>`: "#builtin.distinct",
		`affine_map<() -> ()>`: "#builtin.affine_map", `affine_set<() : (0 == 0)>`: "#builtin.integer_set",
		`dense<0> : tensor<2xi8>`: "#builtin.dense_int_or_fp_elements", `array<i8>`: "#builtin.dense_array",
		`dense<"a"> : tensor<2x!irdl.region>`: "#builtin.dense_string_elements",
		`sparse<0, 1> : tensor<1xi8>`:         "#builtin.sparse_elements", `loc(unknown)`: "#builtin.unknown_loc",
		`loc("a")`: "#builtin.name_loc", `loc("a":1:2)`: "#builtin.file_line_range", `loc(fused["a", "b"])`: "#builtin.fused_loc",
		`loc(callsite("a" at "b"))`: "#builtin.call_site_loc", `#irdl<variadicity single>`: "#irdl.variadicity",
	} {
		definitions := `irdl.dialect @d { irdl.operation @o {
  %0 = irdl.base "` + want + `"
  irdl.attributes {"a" = %0}
} }`
		c, message := load(t, definitions)
		if message != "" {
			t.Errorf("%s: %s", want, message)
			continue
		}
		if _, message := parse(t, c, `"d.o"() {a = `+text+`} : () -> ()`); message != "" {
			t.Errorf("%s: %s", text, message)
		}
	}
}
