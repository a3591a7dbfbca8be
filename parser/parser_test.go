package parser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/ir"
	"tpuir/parser"
)

func TestParseTypeAndAttribute(t *testing.T) {
	c := newContext()
	for _, text := range []string{"tensor<1x?x4xf32>", "(i32, index) -> (tuple<>, memref<?xi8, strided<[?], offset: 3>>)",
		"!quant.uniform<i8:f32, 1.000000e-01:3>", "vector<[4]x2xbf16>", "!d.t<[(1)]>"} {
		got, err := parser.ParseType(c, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got.String() != text {
			t.Errorf("%s reads as %s", text, got)
		}
		if again, _ := parser.ParseType(c, text); again != got {
			t.Errorf("%s is not the same type twice", text)
		}
	}
	for _, text := range []string{"[1 : i8, -2.500000e+00 : f16, \"a\\22b\", @a::@b, true, unit]",
		"{a = affine_map<(d0) -> (d0 floordiv 2)>, b = array<i32: 1, -2>, c}", "dense<[1, 2]> : tensor<2xi4>",
		"#tpu<round_mode HalfAwayFromZero>", "loc(fused<1 : i64>[\"a\", \"f\":1:2])"} {
		got, err := parser.ParseAttribute(c, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got.String() != text {
			t.Errorf("%s reads as %s", text, got)
		}
	}
	// Other spellings, and what they are: the values are those of mlir-opt 22.
	for text, want := range map[string]string{
		"affine_set<(d0) : (0 > <= d0)>":                "affine_set<(d0) : (d0 >= 0)>",
		"0x00010000000000000000 : f80":                  "0x7FFF0000000000000000 : f80",
		"-3.0 : f8E8M0FNU":                              "-4.000000e+00 : f8E8M0FNU",
		"dense<[-1.0, -2.0]> : tensor<2xf8E8M0FNU>":     "dense<[0xFF, 2.000000e+00]> : tensor<2xf8E8M0FNU>",
		"dense<0x00008000000000000000> : tensor<1xf80>": "dense<0x18000000000000000> : tensor<1xf80>",
	} {
		got, err := parser.ParseAttribute(c, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got.String() != want {
			t.Errorf("%s reads as %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"tensor<4xf32> x": "-:1:15: error: found trailing characters: 'x'",
		"tensor<4":        "-:1:8: error: expected 'x' in dimension list",
	} {
		if _, err := parser.ParseType(c, text); err == nil || fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestRefused holds inputs that must give an error, and nothing worse.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"array depth":    {`"t.a"() {k = ` + strings.Repeat("[", 200_000), "nested deeper than 100000 levels"},
		"tuple depth":    {`"t.a"() : () -> ` + strings.Repeat("tuple<", 200_000), "nested deeper than 100000 levels"},
		"location depth": {`"t.a"() : () -> () loc(` + strings.Repeat(`"a"(`, 200_000), "nested deeper than 100000 levels"},
		"affine depth": {`"t.a"() {k = affine_map<() -> (` + strings.Repeat("(", 200_000),
			"nested deeper than 100000 levels"},
		"region depth":    {strings.Repeat(`"t.a"() ({`, 20_000), "regions nested deeper than 10000 levels"},
		"module depth":    {strings.Repeat("module {\n", 20_000), "regions nested deeper than 10000 levels"},
		"result count":    {`%0:18446744073709551615 = "t.a"() : () -> i32`, "operation defines 1 results but was provided"},
		"result number":   {`"t.a"(%0#4294967295) : (i32) -> ()`, "use of undeclared SSA value name"},
		"huge integer":    {`"t.a"() {k = ` + strings.Repeat("9", 1<<20) + `}`, "integer constant out of range for attribute"},
		"too few values":  {`"t.a"() {k = dense<(1, 2)> : tensor<1000000x1000000xi8>} : () -> ()`, "parsed 2 elements"},
		"hex too short":   {`"t.a"() {k = dense<"0x0102"> : tensor<1000000x1000000xi8>} : () -> ()`, "hex data size is invalid"},
		"bits too short":  {`"t.a"() {k = dense<"0x01"> : tensor<9223372036854775807xi1>} : () -> ()`, "hex data size is invalid"},
		"alias cycle":     {"#a = [#b]\n#b = [#a]", "undefined symbol alias id 'b'"},
		"type cycle":      {"!a = tuple<!a>", "undefined symbol alias id 'a'"},
		"location cycle":  {"#a = loc(\"x\"(#a))", "undefined symbol alias id 'a'"},
		"byte order mark": {"\xef\xbb\xbf\"t.a\"() : () -> ()", "unexpected character"},
		"not UTF-8":       {"\xff", "unexpected character"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, found := read("f.mlir", []byte(c.text))
			if len(found) == 0 {
				t.Fatal("accepted")
			}
			if got := found[0].Message; !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDimensions(t *testing.T) {
	for shape, want := range map[string]string{
		"1x?x2xf32":              "tensor<1x?x2xf32>",
		"0x0xf32":                "tensor<0x0xf32>",
		"007x1 x 2xf32":          "tensor<7x1x2xf32>",
		"9223372036854775807xi8": "tensor<9223372036854775807xi8>",
		"?1xf32":                 "expected 'x' in dimension list",
		"0x1Fxf32":               "expected 'x' in dimension list",
		"9223372036854775808xi8": "invalid dimension",
		"1x2":                    "expected 'x' in dimension list",
		"1x2xx":                  "expected non-function type",
	} {
		got, err := parser.ParseType(newContext(), "tensor<"+shape+">")
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", shape, err, want)
			}
		} else if got.String() != want {
			t.Errorf("%s reads as %s, want %s", shape, got, want)
		}
	}
	many := "tensor<" + strings.Repeat("1x", 200_000) + "f32>" // in time that grows with the length only
	if _, err := parser.ParseType(newContext(), many); err != nil {
		t.Error(err)
	}
}

// TestNoElementsInMemory reads constants whose elements would not fit in memory.
func TestNoElementsInMemory(t *testing.T) {
	text := `"t.a"() {a = dense<0> : tensor<1000000x1000000xi64>, b = dense<"0x01"> : tensor<9223372036854775807xi8>,
		c = dense<1.5> : tensor<9223372036854775807x9223372036854775807xf64>, d = dense<(1, 2)> : tensor<1000000000x9xcomplex<i8>>} : () -> ()`
	op, _, found := read("f.mlir", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	first := op.Region(0).First().First()
	for _, name := range []string{"a", "b", "c", "d"} {
		if d, ok := first.Attr(name).(*ir.DenseElementsAttr); !ok || !d.Splat || d.Len() > 8 {
			t.Errorf("%s is no splat", name)
		}
	}
}

func TestPositions(t *testing.T) {
	text := "module {\n  %0 = \"t.a\"() : () -> i32 loc(\"x\")\n}\n"
	op, src, found := read("f.mlir", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	first := op.Region(0).First().First()
	if line, column := src.LineColumn(src.Offset(first.Position())); line != 2 || column != 8 {
		t.Errorf("the operation stands at %d:%d", line, column)
	}
	if got := ir.LocationText(op.Loc()); got != "f.mlir:1:1" {
		t.Errorf("the module is at %s", got)
	}
}

func TestCancelledParse(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var sources ir.Sources
	text := strings.Repeat("\"t.a\"() : () -> ()\n", 5000)
	_, found := parser.Parse(ctx, newContext(), sources.Add("f.mlir", []byte(text)), parser.Options{})
	if len(found) != 1 || found[0].Message != context.Canceled.Error() {
		t.Errorf("got %v", found)
	}
}

// TestSplit has the parts that mlir-opt 22 makes, except for a marker at the very start, which it takes into the first part.
func TestSplit(t *testing.T) {
	type part struct {
		Text         string
		Line, Column int
	}
	for _, c := range []struct {
		text       string
		want       []part
		nearMisses []int
	}{
		{"", []part{{"", 1, 1}}, nil},
		{"a\nb\n", []part{{"a\nb\n", 1, 1}}, nil},
		{"a\n// -----\nb\n", []part{{"a\n", 1, 1}, {"\nb\n", 2, 9}}, nil},
		{"a\n// -----\n\n// -----\nb", []part{{"a\n", 1, 1}, {"\n\n", 2, 9}, {"\nb", 4, 9}}, nil},
		{"a // -----\nb\n// ----- c\n", []part{{"a ", 1, 1}, {"\nb\n", 1, 11}, {" c\n", 3, 9}}, nil},
		{"a\n// -----", []part{{"a\n// -----", 1, 1}}, []int{8}},
		{"a\n// ----\nb", []part{{"a\n// ----\nb", 1, 1}}, []int{8}},
		{"a// -----// -----b", []part{{"a// -----", 1, 1}, {"b", 1, 18}}, []int{7}},
		{"// -----\n", []part{{"", 1, 1}, {"\n", 1, 9}}, nil},
	} {
		var sources ir.Sources
		parts, nearMisses := parser.Split(&sources, sources.Add("f", []byte(c.text)), "")
		var got []part
		for _, p := range parts {
			line, column := p.LineColumn(0)
			got = append(got, part{string(p.Text), line, column})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		if diff := cmp.Diff(c.nearMisses, nearMisses); diff != "" {
			t.Errorf("%q: near misses (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestResourceKeysOfTwoTexts(t *testing.T) {
	c := newContext()
	var sources ir.Sources
	text := "\"t.a\"() {k = dense_resource<k> : tensor<1xi8>} : () -> ()\n" +
		"{-# dialect_resources: {builtin: {k: \"0x010000000%d\"}} #-}\n"
	for i, want := range []string{"k", "k_1"} {
		src := sources.Add("f.mlir", fmt.Appendf(nil, text, i))
		op, found := parser.Parse(context.Background(), c, src, parser.Options{})
		if len(found) > 0 {
			t.Fatal(found)
		}
		key := op.Region(0).First().First().Attr("k").(*ir.DenseResourceElementsAttr).Key
		if key != want || c.Resource(key).Data()[0] != byte(i) {
			t.Errorf("text %d: key %s", i, key)
		}
	}
}

func TestSeveralErrors(t *testing.T) {
	text := `module {
  func.func @a() {
    "t.a"() : () -> i32 i32
    return
  }
  func.func @good() {
    return
  }
  func.func @b(%x: i32) {
    "t.r"() ({
      %0 = "t.b"(%x) : (f32) -> i32
    }) : () -> ()
    return
  }
  func.func @c() {
    "t.c"()[^nowhere] : () -> ()
  ^end:
    "t.u"(%later) : (i32) -> ()
    return
  }
}
`
	_, src, found := read("f.mlir", []byte(text))
	var got []string
	for _, d := range found {
		line, column := src.LineColumn(src.Offset(d.Position))
		got = append(got, fmt.Sprintf("%d:%d: %s", line, column, d.Message))
	}
	want := []string{
		"3:24: expected operation name in quotes",
		"11:18: use of value '%x' expects different type than prior uses: 'f32' vs 'i32'",
		"16:13: reference to an undefined block",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
