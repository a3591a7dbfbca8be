package quant_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	"tpuir/dialect/quant"
	"tpuir/ir"
	"tpuir/parser"
)

// TestCasts has casts of one type to another, with the message that mlir-opt 22 has for them. Of scales whose number does not
// fit mlir-opt writes the number that would.
func TestCasts(t *testing.T) {
	const noShape = "failed to verify that input and result are both scalars or both tensors with matching shape"
	for _, c := range []struct{ name, from, to, want string }{
		{"qcast", "f32", "!quant.any<i8:f32>", ""},
		{"qcast", "f32", "!quant.calibrated<f32<-1.0:1.0>>", ""},
		{"qcast", "tensor<*xf32>", "tensor<*x!quant.any<i8:f32>>", ""},
		{"qcast", "tensor<?xf32>", "tensor<?x!quant.uniform<i8:f32:0, {1.0, 2.0}>>", ""},
		{"qcast", "tensor<?xf32>", "tensor<?x!quant.uniform<i8:f32:{0:2}, {1.0, 2.0}>>", ""},
		{"qcast", "tensor<4x4xf32>", "tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:4}, {{1.0}, {2.0}}>>", ""},
		{"qcast", "tensor<4x4xf32>", "tensor<4x4x!quant.uniform<i8:f32:{0:2}, {{1.0}, {2.0}}>>", ""},
		{"dcast", "!quant.any<i8:f32>", "f32", ""},
		{"scast", "!quant.any<u8:f32>", "i8", ""},
		{"scast", "i8", "!quant.any<i8:f32>", ""},

		{"qcast", "f32", "f32", "'quant.qcast' op result #0 must be scalar or tensor of quantized type, but got 'f32'"},
		{"qcast", "i32", "!quant.any<i8:f32>", "'quant.qcast' op operand #0 must be scalar or tensor of floating-point, but got 'i32'"},
		{"dcast", "f32", "f64", "'quant.dcast' op operand #0 must be scalar or tensor of quantized type, but got 'f32'"},
		{"scast", "index", "!quant.any<i8:f32>",
			"'quant.scast' op operand #0 must be scalar or tensor of signless integer or quantized type, but got 'index'"},
		{"scast", "i8", "i8", "'quant.scast' op failed to verify that input must be integer and result must be quantized, or vice versa"},
		{"qcast", "tensor<4xf32>", "tensor<5x!quant.any<i8:f32>>", "'quant.qcast' op " + noShape},
		{"qcast", "tensor<4xf32>", "tensor<*x!quant.any<i8:f32>>", "'quant.qcast' op " + noShape},
		{"dcast", "tensor<4x!quant.any<i8:f32>>", "f32", "'quant.dcast' op " + noShape},
		{"qcast", "f32", "!quant.any<i8>", "expressed type in quantized type expected to match float type"},
		{"scast", "!quant.any<i8:f32>", "i16", "storage type in quantized type expected to match integer type"},
		{"scast", "i8", "!quant.calibrated<f32<-1.0:1.0>>", "storage type in quantized type expected to match integer type"},
		{"qcast", "f32", "!quant.uniform<i8:f32:0, {1.0}>", "scalar types may not use per-axis quantization"},
		{"dcast", "tensor<4x!quant.uniform<i8:f32:1, {1.0}>>", "tensor<4xf32>", "quantized dimension must be less than tensor rank"},
		{"scast", "tensor<4xi8>", "tensor<4x!quant.uniform<i8:f32:0, {1.0}>>", "quantized dimension size does not match number of scales"},
		{"qcast", "f32", "!quant.uniform<i8:f32:{0:1}, {1.0}>", "scalar types may not use sub-channel quantization"},
		{"qcast", "tensor<*xf32>", "tensor<*x!quant.uniform<i8:f32:{0:1}, {1.0}>>",
			"tensor containing the sub-channel quantized type must be ranked"},
		{"qcast", "tensor<0xf32>", "tensor<0x!quant.uniform<i8:f32:{0:1}, {1.0}>>",
			"tensor dimension size of zero is not allowed with sub-channel quantization"},
		{"qcast", "tensor<4xf32>", "tensor<4x!quant.uniform<i8:f32:{1:3}, {1.0}>>", "quantized dimension 1 must be less than tensor rank 1"},
		{"qcast", "tensor<4xf32>", "tensor<4x!quant.uniform<i8:f32:{0:3}, {1.0}>>",
			"tensor dimension size 4 at axis 0 must be divisible by the corresponding block size 3"},
		{"qcast", "tensor<4x4xf32>", "tensor<4x4x!quant.uniform<i8:f32:{0:2}, {1.0, 2.0}>>",
			"Rank of scales 1 must match the rank of the tensor 2"},
		{"qcast", "tensor<4xf32>", "tensor<4x!quant.uniform<i8:f32:{0:2}, {1.0, 2.0, 3.0}>>",
			"dimension size 3 of scales tensor at axis 0 should match (tensor dimension at axis / block sizes at axis) = 2"},
	} {
		text := strings.NewReplacer("NAME", c.name, "FROM", c.from, "TO", c.to).Replace(
			"%0 = builtin.unrealized_conversion_cast to FROM\n%1 = quant.NAME %0 : FROM to TO\n")
		irContext := ir.NewContext()
		builtin.Register(irContext)
		quant.Register(irContext)
		op, found := parser.Parse(context.Background(), irContext, &ir.Source{Name: "f", Text: []byte(text)}, parser.Options{})
		if len(found) == 0 {
			found = ir.Verify(context.Background(), op)
		}
		got := ""
		if len(found) > 0 {
			got = found[0].Message
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
