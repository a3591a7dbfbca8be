package hostile

// This file holds inputs of many megabytes, of many errors, and of many of everything.

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"
)

// everything asks for inputs in full size: a hundred thousand of everything. Otherwise it is a fifth.
func everything() bool { return os.Getenv("TPUIR_EVERYTHING") != "" }

// hundredThousand is that, or the fifth.
func hundredThousand() int {
	if everything() {
		return 100_000
	}
	return 20_000
}

// longLine is the length of the longest line. TPUIR_HOSTILE_LINE=1g takes a gigabyte.
func longLine() int {
	if os.Getenv("TPUIR_HOSTILE_LINE") == "1g" {
		return 1 << 30
	}
	return 64 << 20
}

// lines are inputs that are one long line.
func lines() []hostile {
	n := longLine()
	filler := strings.Repeat("a", 1<<10)
	of := func(name, before, part, after, want string, memory int64) hostile {
		n := n
		if memory > 20 && !everything() {
			n /= 8
		}
		return hostile{name: "line: " + name, write: repeated(before, part, n/len(part), after, "", ""), want: want,
			memory: memory * int64(n), time: 10 * time.Minute * time.Duration(n) / (1 << 30)}
	}
	return []hostile{
		of("string", attribute+`"`, filler, `"`+behind, "", 8),
		of("string without an end", attribute+`"`, filler, "", `expected '"' in string literal`, 4),
		of("comment", "//", filler, "", "", 4),
		of("blanks", "", strings.Repeat(" ", 1<<10), "", "", 4),
		of("zeros", "", strings.Repeat("\x00", 1<<10), "", "", 4),
		of("identifier", "", filler, "", "custom op 'aaa", 16),
		of("operation name", `"`, filler, `"() : () -> ()`, "", 8),
		of("symbol", "func.func private @", filler, "()", "", 8),
		of("alias", "#", filler, " = 1", "", 4),
		of("text of a dialect", attribute+`#d<"`, filler, `">`+behind, "", 8),
		of("hex", attribute+`dense<"0x`, strings.Repeat("0a", 1<<9), fmt.Sprintf(`"> : tensor<%dxi8>`, n/2)+behind, "", 6),
		of("operations", "", `"t.a"() : () -> () `, "", "", 32),
		of("operations and an error", "", `"t.a"() : () -> () `, "x", "custom op 'x' is unknown", 32),
		of("numbers", attribute+"[0", ", 11", "]"+behind, "", 80),
		of("open braces of a dialect", attribute+"#d<", strings.Repeat("{", 1<<10), "", "unbalanced", 40),
	}
}

// mistakes are inputs with errors by the hundred thousand.
func mistakes() []hostile {
	n := hundredThousand()
	inFunction := func(name, format, flags, want string) hostile {
		return hostile{name: "errors: " + name, flags: flags, write: each("func.func @a() {\n", n, format, "return }\n"), want: want}
	}
	return []hostile{
		inFunction("not the last operation", "\"func.return\"() : () -> ()\n", "", "must be the last operation in the parent block"),
		inFunction("wrong types", "%%%d = \"top.Add\"() : () -> i32\n", "", "'top.Add' op result #0 must be tensor"),
		inFunction("wrong types, JSON", "%%%d = \"top.Add\"() : () -> i32\n", "--diagnostic-format=json", `"severity":"error"`),
		inFunction("wrong types, SARIF", "%%%d = \"top.Add\"() : () -> i32\n", "--diagnostic-format=sarif", "{"),
		inFunction("wrong types in one line", "%%%d = \"top.Add\"() : () -> i32 ", "", "'top.Add' op result #0 must be tensor"),
		inFunction("undefined values", "\"t.a\"(%%x%d) : (i32) -> ()\n", "", "use of undeclared SSA value name"),
		inFunction("undefined values in one line", "\"t.a\"(%%x%d) : (i32) -> () ", "", "use of undeclared SSA value name"),
		inFunction("use before the definition", "\"t.a\"(%%x%[1]d) : (i32) -> ()\n%%x%[1]d = \"t.b\"() : () -> i32\n", "", "does not dominate this use"),
		inFunction("not expected", "%%%d = \"top.Add\"() : () -> i32 // expected-error {{never said}}\n", "--verify-diagnostics", `unexpected error: `),
		inFunction("expected", "// expected-error@+2 {{result #0 must be tensor}}\n// expected-note@+1 {{see current operation}}\n"+
			"%%%d = \"top.Add\"() : () -> i32\n", "--verify-diagnostics --mlir-print-op-on-diagnostic=false", "was not produced"),
		{name: "errors: undefined blocks in one line", write: each("func.func @a() {\n\"t.a\"() [^b", n, ", ^b%d", "] : () -> () }\n"),
			want: "reference to an undefined block"},
		{name: "errors: doubled symbols", write: repeated("", "func.func private @a()\n", n, "", "", ""), want: "redefinition of symbol named 'a'"},
		{name: "errors: functions", write: repeated("", "func.func @a() {\n return %x : i32 }\n", n, "", "", ""), want: "use of undeclared SSA value name"},
		{name: "errors: parts", flags: "--split-input-file", write: repeated("", "\"t.a\" : () -> ()\n// -----\n", n, "", "", ""),
			want: "expected '(' to start operand list"},
	}
}

// scale are inputs with a hundred thousand of something, and what is done with them.
func scale() []hostile {
	n := hundredThousand()
	function := func(before, format string, n int, after string) func(*bufio.Writer) {
		return each("func.func @f(%arg0: i32) -> i32 {\n"+before, n, format, after+"return %arg0 : i32\n}\n")
	}
	var cases []hostile
	add := func(name string, write func(*bufio.Writer), flags ...string) {
		for _, f := range flags {
			cases = append(cases, hostile{name: strings.TrimSpace("many " + name + " " + f), flags: f, write: write})
		}
	}
	passes := []string{"--canonicalize --cse", "--inline --symbol-dce --symbol-privatize --topological-sort --location-snapshot",
		"--print-op-stats --mlir-print-ir-diff --cse", "--verify-roundtrip --mlir-print-debuginfo"}
	add("operations", function("", "%%%[1]d = \"t.a\"(%%arg0) {i = %[1]d} : (i32) -> i32\n", n, ""), append(passes, "--remove-dead-values")...)
	add("operations in a chain", each("func.func @f(%0: i32) {\n", n, "%%%[2]d = \"t.a\"(%%%[1]d) : (i32) -> i32\n", "return\n}\n"), passes...)
	add("operations before what they use", each("\"t.g\"() ({\n", n, "%%%[1]d = \"t.a\"(%%%[2]d) : (i32) -> i32\n",
		fmt.Sprintf("%%%d = \"t.z\"() : () -> i32\n}) : () -> ()\n", n)), "", "--topological-sort", "--cse")
	add("blocks", each("func.func @f() {\ncf.br ^b0\n", n, "^b%d:\n\"t.a\"() : () -> ()\ncf.br ^b%d\n", fmt.Sprintf("^b%d:\nreturn\n}\n", n)), passes...)
	add("blocks nobody comes to", each("func.func @f() {\nreturn\n", n, "^b%[1]d:\n\"t.a\"() : () -> ()\ncf.br ^b%[1]d\n", "}\n"), passes...)
	add("blocks that go back", each("func.func @f() {\ncf.br ^b0\n", n, "^b%d:\n\"t.s\"() [^b%d, ^b0] : () -> ()\n", fmt.Sprintf("^b%d:\nreturn\n}\n", n)), passes...)
	add("functions", each("", n, "func.func @f%d(%%x: i32) -> i32 {\nreturn %%x : i32\n}\n", ""), passes...)
	add("calls", each("func.func private @g(%x: i32) -> i32 {\nreturn %x : i32\n}\nfunc.func @f(%0: i32) {\n", n,
		"%%%[2]d = call @g(%%%[1]d) : (i32) -> i32\n", "return\n}\n"), "--inline", "--remove-dead-values")
	add("attributes", each("\"t.a\"() {", n, "a%[1]d = %[1]d, ", "z} : () -> ()\n"), "", "--cse --canonicalize")
	add("successors", each("func.func @f() {\n\"t.a\"() [^b", n, ", ^b", "] : () -> ()\n^b:\nreturn\n}\n"), "", "--cse --canonicalize")
	add("operands", function("\"t.a\"(%arg0", ", %%arg0", n, ") : ("+strings.Repeat("i32, ", n)+"i32) -> ()\n"), "", "--cse --canonicalize --mlir-print-value-users")
	add("regions", each("\"t.a\"() ({}", n, ", {}", ") : () -> ()\n"), "", "--cse --canonicalize")
	add("uses", function("", "\"t.b\"(%%arg0) : (i32) -> ()\n", 10*n, ""), "", "--canonicalize --cse --mlir-print-value-users")
	add("symbols", each("", n, "func.func private @f%d()\n", ""), "--symbol-dce", "--verify-roundtrip")
	add("symbols that are used", func(w *bufio.Writer) {
		each("", n, "func.func private @f%d()\n", "")(w)
		each("func.func @m() {\n", n, "call @f%d() : () -> ()\n", "return\n}\n")(w)
	}, "--symbol-dce", "--inline", "--cse")
	cases = append(cases, hostile{name: "many calls, doubled at every level", flags: "--inline", want: "inlining makes more than", memory: 1 << 30,
		write: each("func.func private @f0(%x: i32) -> i32 {\n%0 = \"t.a\"(%x) : (i32) -> i32\nreturn %0 : i32\n}\n", 40,
			"func.func private @f%[2]d(%%x: i32) -> i32 {\n%%0 = call @f%[1]d(%%x) : (i32) -> i32\n%%1 = call @f%[1]d(%%0) : (i32) -> i32\nreturn %%1 : i32\n}\n",
			"func.func @main(%x: i32) -> i32 {\n%0 = call @f40(%x) : (i32) -> i32\nreturn %0 : i32\n}\n")})
	add("calls in a chain", each("func.func private @f0(%x: i32) -> i32 {\nreturn %x : i32\n}\n", 20_000,
		"func.func @f%[2]d(%%x: i32) -> i32 {\n%%0 = call @f%[1]d(%%x) : (i32) -> i32\nreturn %%0 : i32\n}\n", ""), "--inline")
	add("aliases", each("", n, "#a%[1]d = loc(\"x%[1]d\")\n!t%[1]d = tensor<%[1]dxf32>\n\"t.a\"() : () -> !t%[1]d loc(#a%[1]d)\n", ""),
		"--mlir-print-debuginfo", "--emit-bytecode", "--mlir-use-nameloc-as-prefix")
	add("values of one name", each("", n, "%%n%d = \"t.a\"() : () -> i32 loc(\"same\")\n", ""), "--mlir-use-nameloc-as-prefix")
	add("dialects", each("", n, "\"t%d.a\"() : () -> ()\n", ""), "", "--print-op-stats", "--emit-bytecode")
	add("resources", func(w *bufio.Writer) {
		each("", n, "\"t.a\"() {k = dense_resource<r%d> : tensor<1xi8>} : () -> ()\n", "")(w)
		each("{-# dialect_resources: {builtin: {r", n, ": \"0x0100000001\", r%d", ": \"0x0100000001\"}} #-}\n")(w)
	}, "", "--emit-bytecode")
	add("levels", repeated("", "\"t.a\"() ({\n", 2000, "\"t.b\"() : () -> ()\n", "}) : () -> ()\n", ""), "--canonicalize --cse", "--topological-sort --location-snapshot",
		"--print-op-stats --mlir-print-ir-diff --cse", "--verify-roundtrip --mlir-print-debuginfo")
	return cases
}
