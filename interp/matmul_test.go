package interp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/weight"
)

// weightStore holds small weights by name.
func weightStore(t testing.TB, tensors ...weight.Tensor) weight.Store {
	t.Helper()
	store, err := weight.NewMemory("test weights", tensors...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func rawWeight(t testing.TB, name string, dtype weight.DType, shape []int64, data ...byte) weight.Tensor {
	t.Helper()
	w, err := weight.FromBytes(name, dtype, shape, data)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func floatWeight(t testing.TB, name string, values ...float32) weight.Tensor {
	t.Helper()
	w, err := weight.FromFloat32s(name, []int64{int64(len(values))}, values)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// packedProgram multiplies [1, 4] by a packed weight of two rows.
func packedProgram(codes, scale, attributes string) string {
	return `module {
  func.func @main(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> ` + codes + ` loc("w")
    %s = "top.Weight"() : () -> ` + scale + ` loc("s")
    %z = "top.Weight"() : () -> ` + strings.Replace(scale, "f32", "ui8", 1) + ` loc("z")
    %b = "top.Weight"() : () -> tensor<1x2xf32> loc("b")
    %r = "tpu.A16MatMul"(%x, %w, %s, %z, %b) ` + attributes + ` : (tensor<1x4xf32>, ` + codes + `, ` + scale + `, ` +
		strings.Replace(scale, "f32", "ui8", 1) + `, tensor<1x2xf32>) -> tensor<1x2xf32> loc("product")
    return %r : tensor<1x2xf32>
  }
}`
}

func TestPackedWeights(t *testing.T) {
	const four = "{weight_bits = 4 : i64, w_transpose = true, q_group_size = 2 : i64}"
	const eight = "{weight_bits = 8 : i64, w_transpose = true, q_group_size = 2 : i64}"
	tests := []struct {
		name, text string
		codes      weight.Tensor
		scales     []float32
		zeros      []byte
		want       []float32
	}{
		// Row 0 holds 1 2 | 3 4 and row 1 5 6 | 7 8; the low half of a byte comes first. Scales and zero points are by group.
		{"4 bits", packedProgram("tensor<2x2xui8>", "tensor<2x2xf32>", four),
			rawWeight(t, "w", weight.Uint8, []int64{4}, 0x21, 0x43, 0x65, 0x87), []float32{1, 10, 0.5, 2}, []byte{0, 1, 5, 8},
			// (1·1 + 10·2)·1 + (100·2 + 1000·3)·10 + 0.5; (0 + 10·1)·0.5 + (100·-1 + 0)·2 + 0.25
			[]float32{32021.5, -194.75}},
		{"8 bits", packedProgram("tensor<2x4xui8>", "tensor<2x2xf32>", eight),
			rawWeight(t, "w", weight.Uint8, []int64{8}, 1, 2, 3, 4, 5, 6, 7, 255), []float32{1, 10, 0.5, 2}, []byte{0, 1, 5, 8},
			[]float32{32021.5, 493805.25}},
		{"8 bits with sign", packedProgram("tensor<2x4xsi8>", "tensor<2x2xf32>", eight),
			rawWeight(t, "w", weight.Int8, []int64{8}, 1, 2, 3, 4, 5, 6, 7, 255), []float32{1, 10, 0.5, 2}, []byte{0, 1, 5, 8},
			[]float32{32021.5, -18194.75}},
		// The chip's order [L, N/L, G] with one lane and with two: the same here, as two rows lie in either.
		{"4 bits in the order of two lanes", packedProgram("tensor<2x2xui8>", "tensor<2x1x2xf32>", four),
			rawWeight(t, "w", weight.Uint8, []int64{4}, 0x21, 0x43, 0x65, 0x87), []float32{1, 10, 0.5, 2}, []byte{0, 1, 5, 8},
			[]float32{32021.5, -194.75}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			store := weightStore(t, test.codes, floatWeight(t, "s", test.scales...),
				rawWeight(t, "z", weight.Uint8, []int64{4}, test.zeros...), floatWeight(t, "b", 0.5, 0.25))
			module := parseText(t, test.text)
			verify(t, module)
			for _, memory := range []int64{1, 0} { // decoded at each use, and once
				p, err := Compile(t.Context(), module, NewCache(FromStore(store), memory), Options{})
				if err != nil {
					t.Fatal(err)
				}
				got := mustRun(t, p, NewFloats([]float32{1, 10, 100, 1000}, 1, 4))
				if diff := cmp.Diff(test.want, got[0].Floats); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// TestLanes checks which row a reordered scale belongs to, where a lane has several: row n lies at lane n mod L.
func TestLanes(t *testing.T) {
	r := &packedRows{n: 4, k: 2, width: 2, bits: 8, group: 2, groups: 1, lanes: 2, codes: []byte{1, 1, 1, 1, 1, 1, 1, 1},
		scales: []float32{10, 12, 11, 13}, zeros: make([]float32, 4)}
	got := make([]float32, 8)
	if err := r.decode(got, 0); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{10, 10, 11, 11, 12, 12, 13, 13}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWeightErrors(t *testing.T) {
	text := packedProgram("tensor<2x2xui8>", "tensor<2x2xf32>", "{weight_bits = 4 : i64, w_transpose = true, q_group_size = 2 : i64}")
	good := []weight.Tensor{rawWeight(t, "w", weight.Uint8, []int64{4}, 1, 2, 3, 4), floatWeight(t, "s", 1, 2, 3, 4),
		rawWeight(t, "z", weight.Uint8, []int64{4}, 0, 0, 0, 0), floatWeight(t, "b", 0, 0)}
	replace := func(i int, w weight.Tensor) weight.Store {
		list := append([]weight.Tensor(nil), good...)
		list[i] = w
		return weightStore(t, list...)
	}
	tests := map[string]struct {
		weights Weights
		want    string
	}{
		"none at all":       {nil, "none were given"},
		"one missing":       {FromStore(weightStore(t, good[1:]...)), `"w"`},
		"too few elements":  {FromStore(replace(1, floatWeight(t, "s", 1, 2, 3))), "does not fit"},
		"floats for codes":  {FromStore(replace(0, floatWeight(t, "w", 1, 2, 3, 4))), "not integers"},
		"codes for a scale": {FromStore(replace(1, rawWeight(t, "s", weight.Uint8, []int64{4}, 1, 2, 3, 4))), "not f32"},
	}
	for name, test := range tests {
		_, err := Compile(t.Context(), parseText(t, text), test.weights, Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "loc(") {
			t.Errorf("%s: error %v, want one with %q and a location", name, err, test.want)
		}
	}
}

// BenchmarkMultiply is a product with a constant matrix of 896×4864: one row, as decoding has, and 128, as prefill has.
func BenchmarkMultiply(b *testing.B) {
	const n, k = 4864, 896
	p := &Program{cache: NewCache(nil, 0)}
	f := &frame{ctx: b.Context(), program: p}
	w := &matrix{rows: n, columns: k, dense: randomFloats(1, n*k)}
	packed := &packedRows{n: n, k: k, width: k / 2, bits: 4, group: 64, groups: k / 64, lanes: 1, codes: make([]byte, n*k/2),
		scales: randomFloats(2, n*k/64), zeros: randomFloats(3, n*k/64)}
	inPlace := &matrix{rows: n, columns: k, decode: packed.decode}
	for _, bench := range []struct {
		name string
		m    int
		w    *matrix
	}{{"decode", 1, w}, {"prefill", 128, w}, {"decode from 4 bits each time", 1, inPlace}} {
		b.Run(bench.name, func(b *testing.B) {
			x, out := randomFloats(4, bench.m*k), make([]float32, bench.m*n)
			for b.Loop() {
				if err := f.multiply(out, n, 1, x, bench.m, bench.w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(bench.m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

// BenchmarkAttention is one query over 512 keys, as decoding has, and 128 queries over as many.
func BenchmarkAttention(b *testing.B) {
	for _, n := range []int{1, 128} {
		m := max(n, 512)
		if n > 1 {
			m = n
		}
		const heads, kvHeads, dim = 14, 2, 64
		r := &attention{attentionOp: &attentionOp{heads: heads, kvHeads: kvHeads, dim: dim, scale: 0.125, causal: true},
			queries: randomFloats(1, n*heads*dim), keys: [][]float32{randomFloats(2, m*kvHeads*dim)},
			values: [][]float32{randomFloats(3, m*kvHeads*dim)}, partRows: []int{m}, n: n, m: m, out: make([]float32, n*heads*dim)}
		scores := make([]float32, m)
		b.Run(map[bool]string{true: "decode", false: "prefill"}[n == 1], func(b *testing.B) {
			for b.Loop() {
				for head := range heads {
					for i := range n {
						r.row(scores, 0, head, i)
					}
				}
			}
		})
	}
}

// BenchmarkDecode is one token through a golden block with a history of 64.
func BenchmarkDecode(b *testing.B) {
	folder := goldenNet(b, "nano-qwen2-w4bf16", "block_cache_0")
	p := compileFile(b, folder+"/lowered.mlir", Options{})
	inputs := namedInputs(b, p, readTensors(b, folder+"/num_input.npz"))
	outputs := []*Tensor{{}, {}, {}}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.RunInto(b.Context(), inputs, outputs); err != nil {
			b.Fatal(err)
		}
	}
}
