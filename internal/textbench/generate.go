// Package textbench makes large MLIR files and compares how long programs take to read, verify and print them.
package textbench

// This file makes the inputs: the same arguments always give the same bytes. Dialects "bench", "t" and "d" are registered
// nowhere, so that their operations cost every program the same; "top" operations are also verified by top-opt.

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// Generate writes an input of a kind to a file: size is in bytes for ops, top, hex and blob, the number of functions for
// wide, the depth for deep, nothing for empty.
func Generate(path, kind string, size int) error {
	write := map[string]func(*writer, int){"ops": writeOps, "top": writeTop, "wide": writeWide, "deep": writeDeep,
		"hex": writeHex, "blob": writeBlob, "empty": func(*writer, int) {}}[kind]
	if write == nil {
		return fmt.Errorf("there is no kind of input %q", kind)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &writer{out: bufio.NewWriterSize(f, 1<<20), random: rand.New(rand.NewPCG(1, 2))}
	write(w, size)
	if err := w.out.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// writer counts what is written; a failure stays in out.
type writer struct {
	out    *bufio.Writer
	random *rand.Rand
	size   int
}

func (w *writer) printf(format string, args ...any) {
	n, _ := fmt.Fprintf(w.out, format, args...)
	w.size += n
}

func (w *writer) text(s string) {
	n, _ := io.WriteString(w.out, s)
	w.size += n
}

// writeOps writes one long function as an importer makes it, every operation with an alias of its location.
func writeOps(w *writer, size int) {
	const act = "tensor<1x64x56x56xf32>"
	w.printf("\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (%s) -> %s, sym_name = \"main\"}> ({\n  ^bb0(%%arg0: %s):\n",
		act, act, act)
	last, skip, n, tail := "%arg0", "%arg0", 0, 0
	for ; w.size+tail < size; n++ {
		tail += len("#loc = loc(\"layer/Conv\")\n") + 12
		switch n % 4 {
		case 0:
			w.printf("    %%%d = \"bench.Weight\"() {scale = [%.6e, %.6e], store_mode = 0 : i64} : () -> tensor<64x64x3x3xf32>",
				n, w.random.Float64(), w.random.Float64())
		case 1:
			w.printf("    %%%d = \"bench.Conv\"(%s, %%%d) {dilations = [1, 1], do_relu = false, group = 1 : i64, kernel_shape = "+
				"[3, 3], pads = [1, 1, 1, 1], relu_limit = -1.000000e+00 : f64, strides = [1, 1]} : (%s, tensor<64x64x3x3xf32>) -> %s",
				n, last, n-1, act, act)
			skip, last = last, fmt.Sprintf("%%%d", n)
		case 2:
			w.printf("    %%%d = \"bench.Relu\"(%s) {relu_limit = -1.000000e+00 : f64} : (%s) -> %s", n, last, act, act)
			last = fmt.Sprintf("%%%d", n)
		default:
			w.printf("    %%%d = \"bench.Add\"(%s, %s) {coeff = [1.000000e+00, %.6e], do_relu = true} : (%s, %s) -> %s",
				n, last, skip, w.random.Float64(), act, act, act)
			last = fmt.Sprintf("%%%d", n)
		}
		w.printf(" loc(#loc%d)\n", n+1)
	}
	w.printf("    \"func.return\"(%s) : (%s) -> ()\n  }) : () -> ()\n}) : () -> ()\n", last, act)
	for i := range n {
		w.printf("#loc%d = loc(\"layer%d/%s_%d\")\n", i+1, i/4, [...]string{"weight", "Conv", "Relu", "Add"}[i%4], i)
	}
}

// writeTop writes functions of Top operations, one a feed-forward part of a layer, with locations.
func writeTop(w *writer, size int) {
	const x, h, weight, out = "tensor<1x64x256xf32>", "tensor<1x64x512xf32>", "tensor<256x512xf32>", "tensor<512x256xf32>"
	w.text("module @net attributes {module.chip = \"ALL\", module.platform = \"LLM\", module.state = \"TOP_F32\"} {\n")
	for i := 0; w.size < size; i++ {
		name := fmt.Sprintf("model.layers.%d.mlp", i)
		matmul := func(n int, in, inType, weight, weightType, outType, part string) {
			w.printf("    %%%d = \"top.Weight\"() : () -> %s loc(\"%s.%s.weight\")\n", n, weightType, name, part)
			w.printf("    %%%d = \"top.MatMul\"(%s, %%%d, %%0) {do_relu = false, hdim_is_batch = false, keep_dims = true, "+
				"left_transpose = false, output_transpose = false, relu_limit = -1.000000e+00 : f64, right_transpose = false} : "+
				"(%s, %s, none) -> %s loc(\"%s.%s\")\n", n+1, in, n, inType, weightType, outType, name, part)
		}
		w.printf("  func.func @mlp%d(%%arg0: %s) -> %s {\n    %%0 = \"top.None\"() : () -> none loc(unknown)\n", i, x, x)
		matmul(1, "%arg0", x, "%1", weight, h, "gate_proj")
		w.printf("    %%3 = \"top.SiLU\"(%%2) : (%s) -> %s loc(\"%s.silu\")\n", h, h, name)
		matmul(4, "%arg0", x, "%4", weight, h, "up_proj")
		w.printf("    %%6 = \"top.Mul\"(%%3, %%5) {do_relu = false, relu_limit = -1.000000e+00 : f64} : (%s, %s) -> %s loc(\"%s.mul\")\n",
			h, h, h, name)
		matmul(7, "%6", h, "%7", out, x, "down_proj")
		w.printf("    %%9 = \"top.Add\"(%%arg0, %%8) {do_relu = false, relu_limit = -1.000000e+00 : f64} : (%s, %s) -> %s loc(\"%s.add\")\n",
			x, x, x, name)
		w.printf("    return %%9 : %s loc(unknown)\n  } loc(unknown)\n", x)
	}
	w.text("} loc(unknown)\n")
}

// writeWide writes many functions with branches, calls and a nested region.
func writeWide(w *writer, functions int) {
	w.text("\"builtin.module\"() ({\n")
	for k := range functions {
		w.printf("  \"func.func\"() <{function_type = (i32, i1) -> i32, sym_name = \"f%d\"}> ({\n  ^bb0(%%arg0: i32, %%arg1: i1):\n", k)
		w.printf("    %%0 = \"t.const\"() {value = %d : i32} : () -> i32 loc(\"f.x\":%d:1)\n", w.random.Int32(), k)
		w.printf("    %%1 = \"t.add\"(%%arg0, %%0) : (i32, i32) -> i32 loc(\"f.x\":%d:2)\n", k)
		w.printf("    %%2:2 = \"t.pair\"(%%1, %%0) {k = [%d, %d], name = \"n%d\"} : (i32, i32) -> (i32, index) loc(\"f.x\":%d:3)\n",
			k, k+1, k, k)
		w.text("    \"t.cond\"(%arg1, %2#0)[^bb1, ^bb2] : (i1, i32) -> () loc(unknown)\n  ^bb1(%3: i32 loc(unknown)):\n")
		w.printf("    %%4 = \"t.call\"(%%3) {callee = @f%d} : (i32) -> i32 loc(\"f.x\":%d:5)\n", max(0, k-1), k)
		w.text("    \"t.br\"(%4)[^bb2] : (i32) -> () loc(unknown)\n  ^bb2(%5: i32 loc(unknown)):\n" +
			"    %6 = \"t.mul\"(%5, %1) : (i32, i32) -> i32 loc(unknown)\n" +
			"    \"t.scope\"(%6) ({\n    ^bb0(%7: index loc(unknown)):\n" +
			"      \"t.use\"(%7, %6) : (index, i32) -> () loc(unknown)\n    }) : (i32) -> () loc(unknown)\n")
		w.printf("    \"func.return\"(%%6) : (i32) -> () loc(unknown)\n  }) : () -> () loc(\"f.x\":%d:9)\n", k)
	}
	w.text("}) : () -> ()\n")
}

// writeDeep nests everything that nests.
func writeDeep(w *writer, depth int) {
	nested := func(open, inner, end string) string {
		return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
	}
	w.text(nested("\"d.r\"() ({\n", "\"d.leaf\"() : () -> ()\n", "}) {level = 1 : i64} : () -> ()\n"))
	w.text("\"d.array\"() {a = " + nested("[", "1", "]") + "} : () -> ()\n")
	w.text("\"d.dictionary\"() {a = " + nested("{k = ", "1", "}") + "} : () -> ()\n")
	w.text("\"d.tuple\"() : () -> " + nested("tuple<", "i1", ">") + "\n")
	w.text("\"d.function\"() : () -> (" + nested("() -> (", "i1", ")") + ")\n")
	w.text("\"d.dialect\"() {a = #d.n<" + nested("[<(", "", ")>]") + ">} : () -> ()\n")
	w.text("\"d.location\"() : () -> () loc(" + nested("\"n\"(", "unknown", ")") + ")\n")
	w.text("\"d.affine\"() {a = affine_map<(d0, d1) -> (" + nested("(", "d0", " + d1 floordiv 3)") + ")>} : () -> ()\n")
}

func (w *writer) digits(bytes int) {
	const digits = "0123456789ABCDEF"
	var piece [16]byte
	for ; bytes > 0; bytes -= 8 {
		v := w.random.Uint64()
		n := 2 * min(bytes, 8)
		for i := range n {
			piece[i] = digits[v>>(4*i)&15]
		}
		_, _ = w.out.Write(piece[:n])
		w.size += n
	}
}

const constants = 8

// writeHex writes a few constants inline, f32 and i8.
func writeHex(w *writer, size int) {
	for i := range constants {
		n, element := size/2/constants/4*4, "i8"
		if w.text(`"bench.Weight"() {value = dense<"0x`); i%2 == 0 {
			w.digits(n)
			n, element = n/4, "f32"
		} else {
			w.digits(n)
		}
		w.printf("\"> : tensor<%dx%s>} : () -> () loc(\"w%d\")\n", n, element, i)
	}
}

// writeBlob writes the same as resources.
func writeBlob(w *writer, size int) {
	n := size / 2 / constants / 4 * 4
	for i := range constants {
		w.printf("\"bench.Weight\"() {value = dense_resource<w%d> : tensor<%dxf32>} : () -> () loc(\"w%d\")\n", i, n/4, i)
	}
	w.text("{-#\n  dialect_resources: {\n    builtin: {\n")
	for i := range constants {
		w.printf("      w%d: \"0x04000000", i)
		w.digits(n)
		w.text([...]string{"\",\n", "\"\n"}[i/(constants-1)])
	}
	w.text("    }\n  }\n#-}\n")
}
