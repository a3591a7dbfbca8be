package randommodel

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHalfRounding(t *testing.T) {
	tests := []struct {
		value      float32
		bf16, fp16 uint16
	}{
		{0, 0, 0},
		{1, 0x3f80, 0x3c00},
		{-1.5, 0xbfc0, 0xbe00},
		{1 + 1.0/256, 0x3f80, 0x3c04},                       // a tie for bf16: down to the even one
		{1 + 3.0/256, 0x3f82, 0x3c0c},                       // a tie for bf16: up to the even one
		{1 + 1.0/2048, 0x3f80, 0x3c00},                      // a tie for f16
		{2047.9, 0x4500, 0x6800},                            // rounds up into the next power of two
		{65504, 0x4780, 0x7bff},                             // the largest f16
		{float32(math.Ldexp(1, -24)), 0x3380, 0x0001},       // the smallest denormal f16
		{float32(math.Ldexp(1023.75, -24)), 0x3880, 0x0400}, // rounds up to the smallest normal f16
		{float32(-math.Ldexp(0.25, -24)), 0xb280, 0x8000},   // vanishes, the sign stays
		{float32(math.Ldexp(1000.5, -24)), 0x387a, 0x03e8},  // a tie among denormals
		{70000, 0x4789, 0x7c00},                             // too large for f16
	}
	for _, test := range tests {
		if got := bfloat16Bits(test.value); got != test.bf16 {
			t.Errorf("bfloat16Bits(%g) = %#04x, want %#04x", test.value, got, test.bf16)
		}
		if got := float16Bits(test.value); got != test.fp16 {
			t.Errorf("float16Bits(%g) = %#04x, want %#04x", test.value, got, test.fp16)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	shape := Odd("qwen2")
	shape.Layers = 1
	if err := Write(context.Background(), dir, shape, 7); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	length := binary.LittleEndian.Uint64(file)
	var header map[string]struct {
		DType   string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	data := file[8+length:]
	shapes, total := map[string][]int{}, int64(0)
	for name, tensor := range header {
		if name != "__metadata__" {
			shapes[name] = tensor.Shape
			total += tensor.Offsets[1] - tensor.Offsets[0]
		}
	}
	want := map[string][]int{
		"lm_head.weight": {301, 288}, "model.embed_tokens.weight": {301, 288}, "model.norm.weight": {288},
		"model.layers.0.input_layernorm.weight": {288}, "model.layers.0.post_attention_layernorm.weight": {288},
		"model.layers.0.self_attn.q_proj.weight": {288, 288}, "model.layers.0.self_attn.q_proj.bias": {288},
		"model.layers.0.self_attn.k_proj.weight": {144, 288}, "model.layers.0.self_attn.k_proj.bias": {144},
		"model.layers.0.self_attn.v_proj.weight": {144, 288}, "model.layers.0.self_attn.v_proj.bias": {144},
		"model.layers.0.self_attn.o_proj.weight": {288, 288},
		"model.layers.0.mlp.gate_proj.weight":    {416, 288}, "model.layers.0.mlp.up_proj.weight": {416, 288},
		"model.layers.0.mlp.down_proj.weight": {288, 416},
	}
	if diff := cmp.Diff(want, shapes); diff != "" {
		t.Errorf("shapes (-want +got):\n%s", diff)
	}
	if total != int64(len(data)) {
		t.Errorf("tensors cover %d bytes of %d", total, len(data))
	}
	checkDistribution(t, data[header["model.norm.weight"].Offsets[0]:header["model.norm.weight"].Offsets[1]], 1, 0.1)
	embedding := header["model.embed_tokens.weight"].Offsets
	checkDistribution(t, data[embedding[0]:embedding[1]], 0, 0.08)

	again := t.TempDir()
	if err := Write(context.Background(), again, shape, 7); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(filepath.Join(again, "model.safetensors")); err != nil || !bytes.Equal(file, second) {
		t.Errorf("the same seed gave other bytes (%v)", err)
	}
}

// checkDistribution wants mean and deviation within a fifth of the deviation.
func checkDistribution(t *testing.T, data []byte, mean, deviation float64) {
	t.Helper()
	sum, squares, count := 0.0, 0.0, float64(len(data)/2)
	for i := 0; i < len(data); i += 2 {
		value := float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[i:])) << 16))
		sum, squares = sum+value, squares+value*value
	}
	gotMean := sum / count
	gotDeviation := math.Sqrt(squares/count - gotMean*gotMean)
	if math.Abs(gotMean-mean) > deviation/5 || math.Abs(gotDeviation-deviation) > deviation/5 {
		t.Errorf("mean %g and deviation %g, want %g and %g", gotMean, gotDeviation, mean, deviation)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		change func(*Shape)
		want   string
	}{
		{func(s *Shape) { s.Family = "mamba" }, `family "mamba"`},
		{func(s *Shape) { s.Layers = 0 }, "Layers is 0"},
		{func(s *Shape) { s.DType = "F32" }, `dtype "F32"`},
		{func(s *Shape) { s.KeyValueHeads = 4 }, "6 heads do not divide over 4"},
		{func(s *Shape) { s.HeadDim = 47 }, "head size 47 is odd"},
		{func(s *Shape) { s.Family = "qwen2" }, "256 is not 6 heads of 48"},
	}
	for _, test := range tests {
		shape := Odd("llama")
		test.change(&shape)
		dir := t.TempDir()
		err := Write(context.Background(), dir, shape, 1)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("a refused shape left %d files", len(entries))
		}
	}
}

func TestCancelledWriteLeavesNoWeights(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	if err := Write(ctx, dir, Odd("llama"), 1); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*model*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
