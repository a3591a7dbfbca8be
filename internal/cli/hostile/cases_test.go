package hostile

// This file holds the inputs.

import (
	"bufio"
	"fmt"
	"strings"
)

// text is an input that is short.
func text(s string) func(*bufio.Writer) { return func(w *bufio.Writer) { w.WriteString(s) } }

// repeated is an input with a part that comes n times, and one more behind the middle that comes as often.
func repeated(before, opening string, n int, middle, closing, after string) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		w.WriteString(before)
		for range n {
			w.WriteString(opening)
		}
		w.WriteString(middle)
		for range n {
			w.WriteString(closing)
		}
		w.WriteString(after)
	}
}

// each is an input of n parts, which may hold their number and the next.
func each(before string, n int, format, after string) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		w.WriteString(before)
		for i := range n {
			fmt.Fprintf(w, format+"%[3]s", i, i+1, "") // the index says that not all arguments have to be used
		}
		w.WriteString(after)
	}
}

// million is how deep and how long the inputs are.
const million = 1_000_000

const (
	attribute = `"t.a"() {k = `
	behind    = "} : () -> ()\n"
	typed     = `"t.a"() : () -> `
	located   = `"t.a"() : () -> () loc(`
)

// nested are inputs that are nested a million deep, or grow to one side a million times.
func nested() []hostile {
	const tooDeep, tooDeepRegion = "nested deeper than 100000 levels", "regions nested deeper than 10000 levels"
	deep := func(name, before, opening, middle, closing, after, want string) hostile {
		return hostile{name: "nested " + name, write: repeated(before, opening, million, middle, closing, after), want: want}
	}
	return []hostile{
		deep("regions", "", `"t.a"() ({`, "", "}) : () -> ()", "\n", tooDeepRegion),
		deep("modules", "", "module {", "", "}", "\n", tooDeepRegion),
		deep("functions", "", `func.func @a() { "t.a"() ({`, "", "}) : () -> () return }", "\n", tooDeepRegion),
		deep("arrays", attribute, "[", "1", "]", behind, tooDeep),
		deep("dictionaries", attribute, "{a = ", "1", "}", behind, tooDeep),
		deep("arrays of dictionaries", attribute, "[{a = ", "1", "}]", behind, tooDeep),
		deep("properties", `"t.a"() <`, "{a = ", "1", "}", "> : () -> ()\n", tooDeep),
		deep("tuples", typed, "tuple<", "i1", ">", "\n", tooDeep),
		deep("tensors", typed, "tensor<1x", "i1", ">", "\n", tooDeep),
		deep("memrefs", typed, "memref<1x", "i1", ">", "\n", tooDeep),
		deep("vectors", typed, "vector<1x", "i1", ">", "\n", tooDeep),
		deep("complex types", typed, "complex<", "i1", ">", "\n", tooDeep),
		deep("encodings", typed, "tensor<1xi1, ", "1", ">", "\n", tooDeep),
		deep("memory spaces", typed, "memref<1xi1, ", "1", ">", "\n", tooDeep),
		deep("function inputs", attribute, "(", "i1", ") -> ()", behind, tooDeep),
		deep("function results", attribute, "() -> (", "i1", ")", behind, tooDeep),
		deep("types of strings", attribute+`"a" : `, "tuple<", "i1", ">", behind, tooDeep),
		deep("quantized types", typed, "!quant.calibrated<", "f32", "<-1.0:1.0>>", "\n", tooDeep),
		deep("name locations", located, `"a"(`, `"b"`, ")", ")\n", tooDeep),
		deep("callers", located, `callsite("a" at `, `"b"`, ")", ")\n", tooDeep),
		deep("callees", located, "callsite(", `"b"`, ` at "a")`, ")\n", tooDeep),
		deep("fused locations", located, `fused["c", `, `"b"`, "]", ")\n", tooDeep),
		deep("metadata", located, "fused<loc(", `"x"`, `)>["b"]`, ")\n", tooDeep),
		deep("distinct attributes", attribute, "distinct[0]<", "1", ">", behind, tooDeep),
		deep("lists of elements", attribute+"dense<", "[", "1", "]", "> : tensor<1xi1>"+behind, tooDeep),
		deep("complex elements", attribute+"dense<", "(", "1", ",1)", "> : tensor<1xcomplex<i1>>"+behind, tooDeep),
		deep("sparse indices", attribute+"sparse<", "[", "1", "]", ", 1> : tensor<1xi1>"+behind, tooDeep),
		deep("affine parentheses", attribute+"affine_map<(d0) -> (", "(", "d0", ")", ")>"+behind, tooDeep),
		deep("affine signs", attribute+"affine_map<(d0) -> (", "-", "d0", "", ")>"+behind, tooDeep),
		deep("affine sums to the right", attribute+"affine_map<(d0) -> (", "(d0 mod 3 + ", "d0", ")", ")>"+behind, tooDeep),
		deep("affine sums to the left", attribute+"affine_map<(d0, d1) -> (", "d0 * 2 + d1 mod 5 - ", "d0", "", ")>"+behind, tooDeep),
		deep("affine divisions", attribute+"affine_map<(d0) -> (d0", "", "", " floordiv 7", ")>"+behind, tooDeep),
		deep("affine products", attribute+"affine_map<(d0)[s0] -> (d0", "", "", " * s0", ")>"+behind, tooDeep),
		// These become one term, or have nothing in each other.
		deep("affine sums of one term", attribute+"affine_map<(d0) -> (", "d0 * 2 + ", "d0", "", ")>"+behind, ""),
		deep("constraints", attribute+"affine_set<(d0) : (", "d0 == 0, ", "d0 == 0", "", ")>"+behind, ""),
		deep("symbols", attribute+"@a", "::@b", "", "", behind, ""),
		deep("brackets of a dialect", attribute+"#d.a", "<", "", ">", behind, ""),
		// MLIR allows no function type without parentheses as a result.
		deep("arrows", attribute, "() -> ", "i1", "", behind, "expected"),
	}
}

// chain is n aliases, of which each is made of the one before, and a use of the last.
func chain(first, format string, n int, use string) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		w.WriteString(first + "\n")
		for i := 1; i <= n; i++ {
			w.WriteString(strings.NewReplacer("NEXT", fmt.Sprint("a", i), "LAST", fmt.Sprint("a", i-1), "NUMBER", fmt.Sprint(i)).Replace(format) + "\n")
		}
		w.WriteString(strings.ReplaceAll(use, "LAST", fmt.Sprint("a", n)) + "\n")
	}
}

// chains are aliases made of aliases: deep ones, those that stand for a text longer than any memory, and cycles.
func chains() []hostile {
	const tooDeep, tooLong = "nested deeper than 100000 levels", "stands for too long a text"
	var cases []hostile
	add := func(name, first, format string, n int, use, flags, want string) {
		cases = append(cases, hostile{name: name + strings.ReplaceAll(" "+flags, " --mlir-print-", ", "), flags: flags,
			write: chain(first, format, n, use), want: want})
	}
	deep := func(name, first, format, use string) {
		add("chain of "+name, first, format, million/4, use, "", tooDeep)
	}
	deep("arrays", "#a0 = [1]", "#NEXT = [#LAST]", attribute+"#LAST"+behind)
	deep("dictionaries", "#a0 = [1]", "#NEXT = {x = #LAST}", attribute+"#LAST"+behind)
	deep("distinct attributes", "#a0 = [1]", "#NEXT = distinct[NUMBER]<#LAST>", attribute+"#LAST"+behind)
	deep("tuples", "!a0 = i1", "!NEXT = tuple<!LAST>", typed+"!LAST")
	deep("functions", "!a0 = i1", "!NEXT = (!LAST) -> ()", attribute+"!LAST"+behind)
	deep("memrefs", "!a0 = i1", "!NEXT = memref<1x!LAST>", typed+"!LAST")
	deep("encodings", "#a0 = 1", "#NEXT = tensor<1xi1, #LAST>", attribute+"#LAST"+behind)
	deep("name locations", `#a0 = loc("a")`, `#NEXT = loc("x"(#LAST))`, located+"#LAST)")
	deep("call sites", `#a0 = loc("a")`, `#NEXT = loc(callsite(#LAST at "x"))`, located+"#LAST)")
	deep("metadata", `#a0 = loc("a")`, `#NEXT = loc(fused<#LAST>["x"])`, located+"#LAST)")
	deep("texts of a dialect", "#a0 = #llvm.di_file<\"x\">", "#NEXT = #llvm.di_x<#LAST>", attribute+"#LAST"+behind)

	doubled := func(name, first, format, use string) { add("doubled "+name, first, format, 200, use, "", tooLong) }
	doubled("arrays", "#a0 = [1]", "#NEXT = [#LAST, #LAST]", attribute+"#LAST"+behind)
	doubled("dictionaries", "#a0 = [1]", "#NEXT = {x = #LAST, y = #LAST}", attribute+"#LAST"+behind)
	doubled("distinct attributes", "#a0 = [1]", "#NEXT = [distinct[NUMBER]<#LAST>, #LAST]", attribute+"#LAST"+behind)
	doubled("tuples", "!a0 = i1", "!NEXT = tuple<!LAST, !LAST>", typed+"!LAST")
	doubled("functions", "!a0 = i1", "!NEXT = (!LAST) -> !LAST", attribute+"!LAST"+behind)
	doubled("encodings", "#a0 = 1", "#NEXT = [tensor<1xi1, #LAST>, #LAST]", attribute+"#LAST"+behind)
	doubled("texts of a dialect", "#a0 = #llvm.di_file<\"x\">", "#NEXT = #llvm.di_x<#LAST, #LAST>", attribute+"#LAST"+behind)

	for _, l := range []struct{ name, format string }{
		{"call sites", `#NEXT = loc(callsite(#LAST at #LAST))`},
		{"metadata", `#NEXT = loc(fused<#LAST>[#LAST, "x"])`},
		{"fused names", `#NEXT = loc("x"(fused["a"(#LAST), "b"(#LAST)]))`},
	} {
		for _, flags := range []string{"", "--mlir-print-debuginfo", "--mlir-print-debuginfo --mlir-pretty-debuginfo", "--canonicalize --cse",
			"--strip-debuginfo", "--emit-bytecode", "--verify-roundtrip", "--mlir-use-nameloc-as-prefix"} {
			add("doubled "+l.name, `#a0 = loc("a")`, l.format, 200, located+"#LAST)", flags, "")
		}
		add("doubled "+l.name, `#a0 = loc("a")`, l.format, 200, located+"#LAST)", "--mlir-print-debuginfo --mlir-print-local-scope",
			"locations written in place have more than 1073741824 characters")
		for _, flags := range []string{"", "--diagnostic-format=json", "--diagnostic-format=sarif", "--mlir-print-debuginfo"} {
			want := map[bool]string{true: "{", false: "'func.return' op"}[flags == "--diagnostic-format=sarif"]
			add("doubled "+l.name+" of an error", `#a0 = loc("a")`, l.format, 200, `"func.return"() : () -> () loc(#LAST)`, flags, want)
		}
	}
	return append(cases,
		hostile{name: "cycle of attributes", write: text("#a = [#b]\n#b = [#a]\n"), want: "undefined symbol alias id 'b'"},
		hostile{name: "cycle of types", write: text("!a = tuple<!a>\n"), want: "undefined symbol alias id 'a'"},
		hostile{name: "cycle of locations", write: text("#a = loc(\"x\"(#a))\n"), want: "undefined symbol alias id 'a'"},
		hostile{name: "cycle of locations, used before", write: text(located + "#a)\n#a = loc(\"x\"(#b))\n#b = loc(\"x\"(#a))\n"),
			want: "undefined symbol alias id 'b'"},
	)
}

// sizes are types and constants of sizes that no memory holds.
func sizes() []hostile {
	of := func(name, value, want string) hostile {
		return hostile{name: "size: " + name, write: text(attribute + value + behind), want: want}
	}
	return []hostile{
		of("splat", "dense<0> : tensor<1000000x1000000xi64>", ""),
		of("float splat", "dense<0.0> : tensor<1000000x1000000xf64>", ""),
		of("splat written as an integer", "dense<0> : tensor<1000000x1000000xf64>", "unexpected decimal integer literal"),
		of("splat of a product beyond 64 bits", "dense<0> : vector<4294967296x4294967296x4294967296xi8>", ""),
		of("nothing", "dense<> : tensor<0x9223372036854775807x9223372036854775807xf32>", ""),
		of("list too short", "dense<[1]> : tensor<9223372036854775807xi1>", "does not match type"),
		of("hex too short", `dense<"0x0000"> : tensor<1000000x1000000xi32>`, "elements hex data size is invalid"),
		of("hex of a product beyond 64 bits", `dense<"0x00000000"> : tensor<4611686018427387904x4xi16>`, "elements hex data size is invalid"),
		of("hex splat", `dense<"0x0000"> : tensor<1000000x1000000xi16>`, ""),
		of("complex splat", "dense<(0,0)> : tensor<1000000x1000000xcomplex<i64>>", ""),
		of("string splat", `dense<"a"> : tensor<1000000x1000000x!d.s>`, ""),
		of("sparse", "sparse<[[999999, 999999]], [1]> : tensor<1000000x1000000xi8>", ""),
		of("sparse index below", "sparse<-1, 1> : tensor<4xi8>", "is not contained within the value shape"),
		of("sparse index beyond", "sparse<18446744073709551615, 1> : tensor<4xi8>", "is not contained within the value shape"),
		of("resource", "dense_resource<k> : tensor<1000000x1000000xf64>", ""),
		of("memref", "memref<4611686018427387904x4611686018427387904xi8>", ""),
		of("vector", "vector<4611686018427387904x4611686018427387904xi8>", ""),
		of("vector of nothing", "vector<0xi8>", "vector types must have positive constant sizes but got 0"),
		of("dimension beyond 63 bits", "tensor<9223372036854775808xi8>", "invalid dimension"),
		of("strides", "memref<1xi8, strided<[9223372036854775807], offset: 9223372036854775807>>", ""),
		of("stride beyond 63 bits", "strided<[9223372036854775808]>", "expected a 64-bit signed integer"),
		of("line of a location", `loc("a":4294967296:1)`, "expected integer line number"),
		of("distinct", "distinct[18446744073709551616]<1>", "expected an unsigned 64-bit integer"),
		of("affine constants", "affine_map<(d0) -> (9223372036854775807 * 9223372036854775807 + 9223372036854775807, d0 floordiv 0, "+
			"5 mod 0, 5 floordiv 0, (0 - 9223372036854775807 - 1) floordiv -1)>", ""),
		{name: "size: dimensions", write: repeated(typed+"tensor<", "1x", million, "f32>\n", "", "")},
		{name: "size: dimensions of a vector", write: repeated(typed+"vector<", "1x", million, "f32>\n", "", "")},
		{name: "size: affine inputs", write: each(attribute+"affine_map<(x", million/4, ", d%d", ") -> (x)>"+behind)},
		{name: "size: results that are named", write: text(`%a:4294967295 = "t.a"() : () -> i1`),
			want: "operation defines 1 results but was provided 4294967295 to bind"},
		{name: "size: results that are used", write: text(`"t.b"(%a#4294967295) : (i1) -> ()` + "\n" + `%a = "t.a"() : () -> i1`),
			want: "use of undeclared SSA value name"},
		{name: "size: a million results", write: repeated(`%a:1000001 = "t.a"() : () -> (`, "i1, ", million, "i1)\n", "", "")},
		{name: "size: values by their number", write: text("%4294967295 = \"t.a\"() : () -> i1\n\"t.b\"(%4294967295) : (i1) -> ()\n")},
		{name: "size: aliases by their number", write: each("", 100_000, "#loc%d00000%d = loc(\"a\")\n", "")},
	}
}

// numbers are literals of a million digits.
func numbers() []hostile {
	digits := func(name, before, after, want string) hostile {
		return hostile{name: "digits: " + name, write: repeated(before, "9", million, after, "", ""), want: want}
	}
	return []hostile{
		digits("integer", attribute, " : i16777215"+behind, ""),
		digits("integer of 64 bits", attribute, behind, "integer constant out of range"),
		digits("hex", attribute+"0x", " : i16777215"+behind, ""),
		digits("element", attribute+"dense<[", ", 1]> : tensor<2xi16777215>"+behind, ""),
		digits("element of an array", attribute+"array<i64: ", ">"+behind, "integer constant out of range"),
		digits("width", typed+"i", "\n", "invalid integer width"),
		digits("dimension", typed+"tensor<", "xf32>\n", "invalid dimension"),
		digits("fraction", attribute+"1.", behind, ""),
		digits("exponent", attribute+"1.0e", behind, ""),
		digits("exponent below", attribute+"1.0e-", " : f128"+behind, ""),
		digits("float", attribute, ".0e-1000000 : f128"+behind, ""),
		digits("float without a point", attribute, " : f64"+behind, "unexpected decimal integer literal"),
		digits("value", "%", " = \"t.a\"() : () -> i1\n", ""),
		digits("results", "%a:", " = \"t.a\"() : () -> i1\n", "expected named operation to have at least 1 result"),
		digits("line", located+`"f":`, ":1)\n", "expected integer line number"),
		{name: "digits: widest type", write: text(typed + "i16777215\n")},
		{name: "digits: wider than the widest type", write: text(typed + "i16777216\n"), want: "integer bitwidth is limited to 16777215 bits"},
		{name: "digits: splat of the widest type", write: text(attribute + "dense<1> : tensor<100000xi16777215>" + behind)},
		{name: "digits: elements of the widest type", write: repeated(attribute+"dense<[1", ", 1", 99_999, "]> : tensor<100000xi16777215>"+behind, "", ""),
			want: "take more than 268435456 bytes"},
	}
}
