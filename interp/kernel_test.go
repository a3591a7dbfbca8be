package interp

import (
	"fmt"
	"math"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// kernelCase is one op on given operands.
type kernelCase struct {
	name      string
	op        string    // name and attributes: `top.Add`, `top.Concat {axis = 1 : si32}`
	operands  []*Tensor // nil for none
	results   []string  // types; "none" for one that is absent
	want      []*Tensor
	wantError string
}

var elementNames = map[Kind]string{F32: "f32", BF16: "bf16", F16: "f16", Integer: "si32"}

func typeText(t *Tensor) string {
	if t == nil {
		return "none"
	}
	text := "tensor<"
	for _, size := range t.Shape {
		text += fmt.Sprintf("%dx", size)
	}
	return text + elementNames[t.Kind] + ">"
}

// program writes the function whose only op is the case's.
func (c kernelCase) program() string {
	name, attributes, _ := strings.Cut(c.op, " ")
	var arguments, operands, types, results, returned []string
	for i, t := range c.operands {
		types = append(types, typeText(t))
		if t == nil {
			operands = append(operands, "%none")
			continue
		}
		operands = append(operands, fmt.Sprintf("%%a%d", i))
		arguments = append(arguments, fmt.Sprintf("%%a%d: %s", i, typeText(t)))
	}
	var returnTypes []string
	for i, r := range c.results {
		results = append(results, r)
		if r != "none" {
			returned = append(returned, fmt.Sprintf("%%r#%d", i))
			returnTypes = append(returnTypes, r)
		}
	}
	list := func(s []string) string { return strings.Join(s, ", ") }
	return fmt.Sprintf(`module attributes {module.top_run_mode = "STATIC"} {
  func.func @main(%s) -> (%s) {
    %%none = "top.None"() : () -> none
    %%r:%d = "%s"(%s) %s : (%s) -> (%s) loc("under test")
    return %s : %s
  }
}`, list(arguments), list(returnTypes), len(results), name, list(operands), attributes, list(types), list(results),
		list(returned), list(returnTypes))
}

func (c kernelCase) run(t *testing.T) {
	var inputs []*Tensor
	for _, o := range c.operands {
		if o != nil {
			inputs = append(inputs, o)
		}
	}
	module := parseText(t, c.program())
	if c.wantError == "" { // the verifier finds most errors before the evaluator does
		verify(t, module)
	}
	program, err := Compile(t.Context(), module, nil, Options{})
	var got []*Tensor
	if err == nil {
		got, err = program.Run(t.Context(), inputs)
	}
	if c.wantError != "" {
		if err == nil || !strings.Contains(err.Error(), c.wantError) || !strings.Contains(err.Error(), "under test") {
			t.Fatalf("error %v, want one with %q and the location", err, c.wantError)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-6, 1e-7), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, c.program())
	}
}

// f makes an f32 value of one row.
func f(values ...float32) *Tensor { return NewFloats(values, int64(len(values))) }

// ints makes an integer value of one row.
func ints(values ...int64) *Tensor { return NewIntegers(values, int64(len(values))) }

// shaped gives a value another shape.
func shaped(t *Tensor, shape ...int64) *Tensor {
	t.Shape = shape
	return t
}

// as gives a value another kind.
func as(k Kind, t *Tensor) *Tensor {
	t.Kind = k
	return t
}

func count(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i)
	}
	return values
}

// attend is an FAttention over one key head of two channels.
func attend(heads, queries, keys int, more string) string {
	text := fmt.Sprintf("scale = 1.0 : f64, batch = 1 : i64, q_head = %d : i64, kv_head = 1 : i64, dim = 2 : i64, mq = %d : i64, mk = %d : i64",
		heads, queries, keys)
	if more != "" {
		text += ", " + more
	}
	return "top.FAttention {" + text + "}"
}

var inf = float32(math.Inf(1))

var kernelCases = []kernelCase{
	{name: "add", op: "top.Add", operands: []*Tensor{f(1, 2, 3), f(10, 20, 30)}, results: []string{"tensor<3xf32>"},
		want: []*Tensor{f(11, 22, 33)}},
	{name: "add broadcast", op: "top.Add", operands: []*Tensor{shaped(f(1, 2, 3), 3, 1), f(10, 20)},
		results: []string{"tensor<3x2xf32>"}, want: []*Tensor{shaped(f(11, 21, 12, 22, 13, 23), 3, 2)}},
	{name: "add coefficients and relu", op: "top.Add {coeff = [2.0, -1.0], do_relu = true, relu_limit = 3.0 : f64}",
		operands: []*Tensor{f(1, 2, 3), f(4, 1, 1)}, results: []string{"tensor<3xf32>"}, want: []*Tensor{f(0, 3, 3)}},
	{name: "add three", op: "top.Add", operands: []*Tensor{f(1), f(2, 3), shaped(f(4, 5), 2, 1)},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(7, 8, 8, 9), 2, 2)}},
	{name: "add three of which two are single", op: "top.Add", operands: []*Tensor{f(1), f(2), f(4, 5)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(7, 8)}},
	{name: "mul three of which two are single", op: "top.Mul", operands: []*Tensor{f(2), f(3), f(4, 5)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(24, 30)}},
	{name: "add rounds to bf16", op: "tpu.Add", operands: []*Tensor{as(BF16, f(256, 256, 1)), as(BF16, f(1, 3, 0.5))},
		results: []string{"tensor<3xbf16>"}, want: []*Tensor{as(BF16, f(256, 260, 1.5))}},
	{name: "add rounds to f16", op: "tpu.Add", operands: []*Tensor{as(F16, f(2048, 65504)), as(F16, f(1, 32))},
		results: []string{"tensor<2xf16>"}, want: []*Tensor{as(F16, f(2048, inf))}},
	{name: "add shapes that do not meet", op: "top.Add", operands: []*Tensor{f(1, 2, 3), f(1, 2)},
		results: []string{"tensor<3xf32>"}, wantError: "do not broadcast"},
	{name: "sub", op: "top.Sub", operands: []*Tensor{f(1, 2), f(5)}, results: []string{"tensor<2xf32>"},
		want: []*Tensor{f(-4, -3)}},
	{name: "sub reverse", op: "top.Sub {is_reverse = true}", operands: []*Tensor{f(1, 2), f(5)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(4, 3)}},
	{name: "mul", op: "top.Mul", operands: []*Tensor{shaped(f(1, 2, 3, 4), 2, 2), shaped(f(10, 100), 2, 1)},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(10, 20, 300, 400), 2, 2)}},
	{name: "div", op: "top.Div", operands: []*Tensor{f(1, -2), f(4)}, results: []string{"tensor<2xf32>"},
		want: []*Tensor{f(0.25, -0.5)}},
	{name: "max", op: "top.Max", operands: []*Tensor{f(1, 5), f(3)}, results: []string{"tensor<2xf32>"},
		want: []*Tensor{f(3, 5)}},
	{name: "add constant", op: "top.AddConst {const_val = 1.5 : f64}", operands: []*Tensor{f(1, 2)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(2.5, 3.5)}},
	{name: "mul constant", op: "top.MulConst {const_val = -2.0 : f64, do_relu = true}", operands: []*Tensor{f(1, -2)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(0, 4)}},
	{name: "compare", op: `top.Compare {mode = "Less"}`, operands: []*Tensor{f(1, 2, 3), f(2)},
		results: []string{"tensor<3xf32>"}, want: []*Tensor{f(1, 0, 0)}},
	{name: "compare constant", op: `top.CompareConst {const_val = 2.0 : f64, inversed = true, mode = "GreaterOrEqual"}`,
		operands: []*Tensor{f(1, 2, 3)}, results: []string{"tensor<3xf32>"}, want: []*Tensor{f(1, 1, 0)}},
	{name: "where", op: "top.Where", operands: []*Tensor{shaped(f(1, 0), 2, 1), f(5), f(7, 8)},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(5, 5, 7, 8), 2, 2)}},
	{name: "where constant", op: "top.Where {y_is_const = true, y_const_val = -1000.0 : f64}",
		operands: []*Tensor{f(1, 0), f(5, 6), nil}, results: []string{"tensor<2xf32>"}, want: []*Tensor{f(5, -1000)}},
	{name: "masked fill", op: "top.MaskedFill {inversed = false, const_val = 9.0 : f64}",
		operands: []*Tensor{f(1, 0), f(5, 6)}, results: []string{"tensor<2xf32>"}, want: []*Tensor{f(9, 6)}},
	{name: "silu", op: "top.SiLU", operands: []*Tensor{f(0, 1, -1, 100)}, results: []string{"tensor<4xf32>"},
		want: []*Tensor{f(0, 0.7310586, -0.26894143, 100)}},
	{name: "active silu in bf16", op: "tpu.Active {mode = #tpu<active_mode SILU>}",
		operands: []*Tensor{as(BF16, f(1, -1))}, results: []string{"tensor<2xbf16>"},
		want: []*Tensor{as(BF16, f(0.73046875, -0.26953125))}},
	{name: "gelu", op: "top.GELU", operands: []*Tensor{f(1, -1)}, results: []string{"tensor<2xf32>"},
		want: []*Tensor{f(0.8413447, -0.15865525)}},
	{name: "gelu tanh", op: `top.GELU {approx_mode = "tanh"}`, operands: []*Tensor{f(1, -1)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(0.841192, -0.158808)}},
	{name: "cast to bf16 ties to even", op: "tpu.Cast", operands: []*Tensor{f(257, 259, 1e-40, -1e-40)},
		results: []string{"tensor<4xbf16>"}, want: []*Tensor{as(BF16, f(256, 260, 0, 0))}},
	{name: "cast to f16", op: "tpu.Cast", operands: []*Tensor{f(65519.9, 65520, 0x1p-25, 2049)},
		results: []string{"tensor<4xf16>"}, want: []*Tensor{as(F16, f(65504, inf, 0, 2048))}},
	{name: "cast of integers", op: "tpu.Cast", operands: []*Tensor{ints(3, -4)}, results: []string{"tensor<2xf32>"},
		want: []*Tensor{f(3, -4)}},
	{name: "rms norm", op: "top.RMSNorm {eps = 0.0 : f64}", operands: []*Tensor{shaped(f(3, 4, 1, 1), 2, 2), f(1, 2)},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(0.84852814, 2.2627418, 1, 2), 2, 2)}},
	{name: "rms norm without gamma", op: "top.RMSNorm {eps = 0.0 : f64}", operands: []*Tensor{f(3, 4), nil},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(0.84852814, 1.1313709)}},
	// 1/√12.5 = 0.28284 is 0.283203125 in bf16; 3 times that 0.849609375 rounds to 0.8515625, 4 times that 1.1328125.
	{name: "rms norm in bf16", op: "tpu.RMSNorm {eps = 0.0 : f64}",
		operands: []*Tensor{as(BF16, f(3, 4)), as(BF16, f(1.5, 2))}, results: []string{"tensor<2xbf16>"},
		want: []*Tensor{as(BF16, f(1.28125, 2.265625))}},
	{name: "layer norm", op: "top.LayerNorm {normalized_shape = [2], axis = -1 : si32, eps = 0.0 : f64}",
		operands: []*Tensor{shaped(f(1, 3, 5, 1), 2, 2), f(1, 2), f(0, 1)}, results: []string{"tensor<2x2xf32>"},
		want: []*Tensor{shaped(f(-1, 3, 1, -1), 2, 2)}},
	{name: "rope halves", op: `top.Rope {rope_mode = "contiguous_halves"}`,
		operands: []*Tensor{shaped(f(1, 2, 3, 4), 1, 1, 1, 4), shaped(f(0, 1, 0, 1), 1, 1, 1, 4), shaped(f(1, 0, 1, 0), 1, 1, 1, 4)},
		results:  []string{"tensor<1x1x1x4xf32>"}, want: []*Tensor{shaped(f(1, -4, 3, 2), 1, 1, 1, 4)}},
	{name: "rope neighbours", op: `top.Rope {rope_mode = "interleaved_pairs"}`,
		operands: []*Tensor{shaped(f(1, 2, 3, 4), 1, 1, 1, 4), shaped(f(0, 0, 1, 1), 1, 1, 1, 4), shaped(f(1, 1, 0, 0), 1, 1, 1, 4)},
		results:  []string{"tensor<1x1x1x4xf32>"}, want: []*Tensor{shaped(f(1, 2, -4, 3), 1, 1, 1, 4)}},
	{name: "softmax", op: "top.Softmax {axis = 0 : si32}", operands: []*Tensor{shaped(f(0, 1, 0, 1), 2, 2)},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(0.5, 0.5, 0.5, 0.5), 2, 2)}},
	{name: "log softmax", op: "top.Softmax {axis = -1 : si32, log = true}", operands: []*Tensor{f(1, 1)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(-0.6931472, -0.6931472)}},
	{name: "cumulative sum", op: "top.CumSum {axis = 1 : i64}", operands: []*Tensor{shaped(f(1, 2, 3, 4), 2, 2), nil},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(1, 3, 3, 7), 2, 2)}},
	{name: "reduce mean", op: `top.Reduce {axes = [0, 2], keepdims = false, mode = "ReduceMean"}`,
		operands: []*Tensor{NewFloats(count(8), 2, 2, 2)}, results: []string{"tensor<2xf32>"},
		want: []*Tensor{f(2.5, 4.5)}},
	{name: "reduce max kept", op: `top.Reduce {axes = [-1], keepdims = true, mode = "ReduceMax"}`,
		operands: []*Tensor{NewFloats(count(4), 2, 2)}, results: []string{"tensor<2x1xf32>"},
		want: []*Tensor{shaped(f(1, 3), 2, 1)}},
	{name: "argmax", op: `top.Arg {axis = 1 : i64, keepdims = false, mode = "ArgMax"}`,
		operands: []*Tensor{shaped(f(1, 5, 5, 9, 2, 3), 2, 3)}, results: []string{"tensor<2xf32>", "none"},
		want: []*Tensor{f(1, 0)}},
	{name: "top k", op: "top.TopK {axis = 1 : i64, K = 3 : i64}", operands: []*Tensor{shaped(f(1, 7, 5, 7, 2), 1, 5)},
		results: []string{"tensor<1x3xf32>", "tensor<1x3xf32>"},
		want:    []*Tensor{shaped(f(7, 7, 5), 1, 3), shaped(f(1, 3, 2), 1, 3)}},
	{name: "top k smallest", op: "top.TopK {axis = 0 : i64, K = 2 : i64, largest = false}",
		operands: []*Tensor{f(3, 1, 2)}, results: []string{"tensor<2xf32>", "tensor<2xf32>"},
		want: []*Tensor{f(1, 2), f(1, 2)}},
	{name: "top k given at run time", op: "top.TopK {axis = 0 : i64, K = 3 : i64}",
		operands: []*Tensor{f(3, 1, 2), f(2)}, results: []string{"tensor<3xf32>", "tensor<3xf32>"},
		want: []*Tensor{f(3, 2), f(0, 2)}},
	{name: "top k of too few", op: "top.TopK {axis = 0 : i64, K = 4 : i64}", operands: []*Tensor{f(3, 1, 2)},
		results: []string{"tensor<4xf32>", "tensor<4xf32>"}, wantError: "takes 4 of 3"},
	{name: "sort", op: "top.Sort {axis = 0 : i64, descending = false}", operands: []*Tensor{f(3, 1, 2)},
		results: []string{"tensor<3xf32>", "tensor<3xf32>"}, want: []*Tensor{f(1, 2, 3), f(1, 2, 0)}},
	{name: "gather", op: "top.Gather {axis = 0 : si32}",
		operands: []*Tensor{NewFloats(count(6), 3, 2), shaped(ints(2, 0, -1), 1, 3)},
		results:  []string{"tensor<1x3x2xf32>"}, want: []*Tensor{shaped(f(4, 5, 0, 1, 4, 5), 1, 3, 2)}},
	{name: "gather inner axis", op: "top.Gather {axis = 1 : si32}",
		operands: []*Tensor{NewFloats(count(6), 3, 2), f(1)}, results: []string{"tensor<3x1xf32>"},
		want: []*Tensor{shaped(f(1, 3, 5), 3, 1)}},
	{name: "gather beyond", op: "top.Gather {axis = 0 : si32}",
		operands: []*Tensor{NewFloats(count(6), 3, 2), ints(3)}, results: []string{"tensor<1x2xf32>"},
		wantError: "index 3"},
	{name: "gather elements", op: "top.GatherElements {axis = 1 : i64}",
		operands: []*Tensor{NewFloats(count(6), 2, 3), shaped(ints(2, 0, 1, 1), 2, 2)},
		results:  []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(2, 0, 4, 4), 2, 2)}},
	{name: "scatter elements", op: "top.ScatterElements {axis = 1 : i64}",
		operands: []*Tensor{NewFloats(count(3), 1, 3), shaped(ints(2, 0), 1, 2), shaped(f(9, 8), 1, 2)},
		results:  []string{"tensor<1x3xf32>"}, want: []*Tensor{shaped(f(8, 1, 9), 1, 3)}},
	{name: "scatter elements adds", op: "top.ScatterElements {axis = 1 : i64, reduction = 1 : i64}",
		operands: []*Tensor{NewFloats(count(3), 1, 3), shaped(ints(2, 2), 1, 2), shaped(f(9, 8), 1, 2)},
		results:  []string{"tensor<1x3xf32>"}, want: []*Tensor{shaped(f(0, 1, 19), 1, 3)}},
	{name: "scatter nd", op: "top.ScatterND",
		operands: []*Tensor{NewFloats(count(4), 2, 2), shaped(ints(1), 1, 1), shaped(f(7, 8), 1, 2)},
		results:  []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(0, 1, 7, 8), 2, 2)}},
	{name: "concat", op: "top.Concat {axis = 1 : si32}",
		operands: []*Tensor{shaped(f(1, 2), 2, 1), shaped(f(3, 4, 5, 6), 2, 2)}, results: []string{"tensor<2x3xf32>"},
		want: []*Tensor{shaped(f(1, 3, 4, 2, 5, 6), 2, 3)}},
	{name: "reshape", op: "top.Reshape", operands: []*Tensor{NewFloats(count(6), 2, 3)},
		results: []string{"tensor<3x2xf32>"}, want: []*Tensor{NewFloats(count(6), 3, 2)}},
	{name: "squeeze", op: "top.Squeeze {axes = [0, -1]}", operands: []*Tensor{NewFloats(count(2), 1, 2, 1)},
		results: []string{"tensor<2xf32>"}, want: []*Tensor{f(0, 1)}},
	{name: "unsqueeze", op: "top.Unsqueeze {axes = [0, 2]}", operands: []*Tensor{f(0, 1)},
		results: []string{"tensor<1x2x1xf32>"}, want: []*Tensor{NewFloats(count(2), 1, 2, 1)}},
	{name: "permute", op: "top.Permute {order = [2, 0, 1]}", operands: []*Tensor{NewFloats(count(6), 1, 2, 3)},
		results: []string{"tensor<3x1x2xf32>"}, want: []*Tensor{shaped(f(0, 3, 1, 4, 2, 5), 3, 1, 2)}},
	{name: "slice", op: "top.Slice {offset = [0, -1], steps = [2, -1], ends = [3, -100]}",
		operands: []*Tensor{NewFloats(count(6), 3, 2), nil, nil, nil}, results: []string{"tensor<2x2xf32>"},
		want: []*Tensor{shaped(f(1, 0, 5, 4), 2, 2)}},
	{name: "tile", op: "top.Tile {tile = [2, 2]}", operands: []*Tensor{shaped(f(1, 2), 1, 2)},
		results: []string{"tensor<2x4xf32>"}, want: []*Tensor{shaped(f(1, 2, 1, 2, 1, 2, 1, 2), 2, 4)}},
	{name: "expand", op: "top.Expand {shape = [2, 2]}", operands: []*Tensor{shaped(f(1, 2), 2, 1)},
		results: []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(1, 1, 2, 2), 2, 2)}},
	{name: "split", op: "top.Split {axis = 1 : si32, num = 2 : i64, split_size = [1, 2]}",
		operands: []*Tensor{NewFloats(count(6), 2, 3)}, results: []string{"tensor<2x1xf32>", "tensor<2x2xf32>"},
		want: []*Tensor{shaped(f(0, 3), 2, 1), shaped(f(1, 2, 4, 5), 2, 2)}},
	{name: "matmul", op: "top.MatMul",
		operands: []*Tensor{NewFloats(count(6), 2, 3), NewFloats(count(6), 3, 2), f(100, 200)},
		results:  []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(110, 213, 128, 240), 2, 2)}},
	{name: "matmul right transposed", op: "top.MatMul {right_transpose = true}",
		operands: []*Tensor{NewFloats(count(6), 2, 3), NewFloats(count(6), 2, 3), nil},
		results:  []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(5, 14, 14, 50), 2, 2)}},
	{name: "matmul left transposed", op: "top.MatMul {left_transpose = true}",
		operands: []*Tensor{NewFloats(count(6), 3, 2), NewFloats(count(6), 3, 2), nil},
		results:  []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(20, 26, 26, 35), 2, 2)}},
	{name: "matmul result transposed", op: "top.MatMul {output_transpose = true}",
		operands: []*Tensor{NewFloats(count(6), 2, 3), NewFloats(count(6), 3, 2), nil},
		results:  []string{"tensor<2x2xf32>"}, want: []*Tensor{shaped(f(10, 28, 13, 40), 2, 2)}},
	{name: "matmul of batches", op: "top.MatMul",
		operands: []*Tensor{NewFloats(count(4), 2, 1, 2), NewFloats(count(4), 2, 2), nil},
		results:  []string{"tensor<2x1x2xf32>"}, want: []*Tensor{shaped(f(2, 3, 6, 11), 2, 1, 2)}},
	{name: "matmul with heads in the middle", op: "top.MatMul {hdim_is_batch = true, right_transpose = true}",
		operands: []*Tensor{NewFloats(count(4), 1, 1, 2, 2), NewFloats(count(8), 1, 2, 2, 2), nil},
		results:  []string{"tensor<1x1x2x2xf32>"}, want: []*Tensor{shaped(f(1, 5, 13, 33), 1, 1, 2, 2)}},
	{name: "matmul of shapes that do not meet", op: "top.MatMul",
		operands: []*Tensor{NewFloats(count(6), 2, 3), NewFloats(count(4), 2, 2), nil},
		results:  []string{"tensor<2x2xf32>"}, wantError: "lengths of the sums are 3 and 2"},
	// One query sees two keys with equal scores, the second masked.
	{name: "attention",
		op:       attend(1, 1, 2, "keep_dims = false"),
		operands: []*Tensor{shaped(f(1, 0), 1, 1, 1, 2), shaped(f(1, 0, 1, 0), 1, 2, 1, 2), shaped(f(1, 2, 3, 4), 1, 2, 1, 2), shaped(f(0, -10000), 1, 1, 1, 2), nil},
		results:  []string{"tensor<1x1x2xf32>"}, want: []*Tensor{shaped(f(1, 2), 1, 1, 2)}},
	{name: "attention without mask",
		op:       attend(2, 1, 2, ""),
		operands: []*Tensor{shaped(f(1, 0, 0, 1), 1, 1, 2, 2), shaped(f(1, 0, 1, 0), 1, 2, 1, 2), shaped(f(1, 2, 3, 4), 1, 2, 1, 2), nil, nil},
		results:  []string{"tensor<1x1x2x2xf32>"}, want: []*Tensor{shaped(f(2, 3, 2, 3), 1, 1, 2, 2)}},
	// Two queries behind one key of history: the first sees two keys, the second three.
	{name: "causal attention",
		op:       attend(1, 2, 3, "mask_size = 4 : si32"),
		operands: []*Tensor{shaped(f(0, 0, 0, 0), 1, 2, 1, 2), shaped(f(1, 0, 1, 0, 1, 0), 1, 3, 1, 2), shaped(f(1, 2, 3, 4, 8, 9), 1, 3, 1, 2), NewFloats(count(16), 4, 4), nil},
		results:  []string{"tensor<1x2x1x2xf32>"}, want: []*Tensor{shaped(f(2, 3, 4, 5), 1, 2, 1, 2)}},
	{name: "attention with a mask of another shape",
		op:       attend(1, 1, 2, ""),
		operands: []*Tensor{shaped(f(1, 0), 1, 1, 1, 2), shaped(f(1, 0, 1, 0), 1, 2, 1, 2), shaped(f(1, 2, 3, 4), 1, 2, 1, 2), f(0, 0, 0), nil},
		results:  []string{"tensor<1x1x1x2xf32>"}, wantError: "mask of shape [3]"},
	{name: "an op without kernel", op: "top.Nms {center_point_box = 0 : i64, max_output_size = 1 : i64}",
		operands: []*Tensor{f(1)}, results: []string{"tensor<1xf32>"}, wantError: "no kernel"},
}

func TestKernels(t *testing.T) {
	for _, c := range kernelCases {
		t.Run(c.name, c.run)
	}
}

// TestHostileAttributes gives every number of every case's attributes values that make no sense, past the verifier. What
// comes out does not matter, as long as it is no panic.
func TestHostileAttributes(t *testing.T) {
	numbers := regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)
	hostile := []string{"-1", "0", "1", "7", "9223372036854775807", "-9223372036854775808", "4611686018427387905", "1073741824"}
	for _, c := range kernelCases {
		name, attributes, _ := strings.Cut(c.op, " ")
		for _, at := range numbers.FindAllStringIndex(attributes, -1) {
			if number := attributes[at[0]:at[1]]; strings.Contains(number, ".") || attributes[at[0]-1] != ' ' && attributes[at[0]-1] != '[' {
				continue
			}
			for _, value := range hostile {
				broken := c
				broken.op = name + " " + attributes[:at[0]] + value + attributes[at[1]:]
				t.Run(c.name+"/"+broken.op, broken.survive)
			}
		}
	}
}

// survive compiles and runs a case without looking at the result.
func (c kernelCase) survive(t *testing.T) {
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	var inputs []*Tensor
	for _, o := range c.operands {
		if o != nil {
			inputs = append(inputs, o)
		}
	}
	text := regexp.MustCompile(`-?[0-9]+ : si32`).ReplaceAllStringFunc(c.program(), func(number string) string {
		value, _, _ := strings.Cut(number, " ")
		if _, err := strconv.ParseInt(value, 10, 32); err != nil {
			return "2147483647 : si32"
		}
		return number
	})
	program, err := Compile(t.Context(), parseText(t, text), nil, Options{})
	if err == nil {
		_, _ = program.Run(t.Context(), inputs)
	}
}
