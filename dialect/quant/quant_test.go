package quant_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/quant"
	"tpuir/ir"
	"tpuir/parser"
)

func newContext() *ir.Context {
	c := ir.NewContext()
	quant.Register(c)
	return c
}

// TestTypes reads types; the texts are those that mlir-opt 22 prints.
func TestTypes(t *testing.T) {
	cases := map[string]string{
		"!quant.uniform<i8:f32, 0.1234567:3>":              "",
		"!quant.uniform<i8:f32, 0.1:0>":                    "!quant.uniform<i8:f32, 1.000000e-01>",
		"!quant.uniform<i8<-127:127>:f32, 0.2>":            "!quant.uniform<i8<-127:127>:f32, 2.000000e-01>",
		"!quant.uniform<i8<-128:127>:f32, 1.0:200>":        "!quant.uniform<i8:f32, 1.000000e+00:200>",
		"!quant.uniform<u8:f32:0, {0.1, 0.2:1}>":           "!quant.uniform<u8:f32:0, {1.000000e-01,2.000000e-01:1}>",
		"!quant.uniform<i4<-7:7>:f16:1,{1.0e-3, 2.0}>":     "!quant.uniform<i4<-7:7>:f16:1, {1.000000e-03,2.000000e+00}>",
		"!quant.any<i8<-8:7>:f32>":                         "",
		"!quant.any<u4>":                                   "",
		"!quant.calibrated<f32<-1.5:2.5>>":                 "!quant.calibrated<f32<-1.500000e+00:2.500000e+00>>",
		"tensor<2x!quant.uniform<i8:f32:{}, {{2.0:10}}>>":  "tensor<2x!quant.uniform<i8:f32:{}, {{2.000000e+00:10}}>>",
		"!quant.uniform<i8:f32:{0:1}, {2.0:10}>":           "!quant.uniform<i8:f32:{0:1}, {2.000000e+00:10}>",
		"!quant.uniform<u16:f32:{0:1,1:3}, {{2.0},{3.0}}>": "!quant.uniform<u16:f32:{0:1, 1:3}, {{2.000000e+00}, {3.000000e+00}}>",
	}
	for text, want := range cases {
		if want == "" {
			want = text
		}
		c := newContext()
		got, err := parser.ParseType(c, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", text, diff)
		}
		if again, err := parser.ParseType(c, got.String()); err != nil || again != got {
			t.Errorf("%s: reads back as %v, %v", got, again, err)
		}
	}
}

// TestInvalidTypes compares messages with mlir-opt 22's.
func TestInvalidTypes(t *testing.T) {
	cases := map[string]string{
		"!quant.uniform<i8:f32, 0.0>":                         "scale 0.000000e+00 out of expressed type range [1.401298e-45, 3.402823e+38]",
		"!quant.uniform<i8:f32, 1:0>":                         "unexpected decimal integer literal for a floating point value",
		"!quant.uniform<i8:f32, -0x3FF0000000000000>":         "hexadecimal float literal should not have a leading minus",
		"!quant.uniform<i8:f32, 1.0e400:0>":                   "scale INF out of expressed type range [1.401298e-45, 3.402823e+38]",
		"!quant.uniform<i8:f32:{0:0}, {1.0}>":                 "illegal block size: 0",
		"!quant.uniform<i8:f32, -1.0>":                        "scale -1.000000e+00 out of expressed type range [1.401298e-45, 3.402823e+38]",
		"!quant.uniform<i8<-129:3>:f32, 1.0>":                 "illegal storage type minimum: -129",
		"!quant.uniform<i8<0:128>:f32, 1.0>":                  "illegal storage type maximum: 128",
		"!quant.uniform<i8<3:-3>:f32, 1.0>":                   "illegal storage min and storage max: (3:-3)",
		"!quant.uniform<i33:f32, 1.0>":                        "illegal storage type size: 33",
		"!quant.uniform<x8:f32, 1.0>":                         "illegal storage type prefix",
		"!quant.uniform<i8:i32, 1.0>":                         "invalid kind of type specified",
		"!quant.uniform<i8:f32>":                              "expected ','",
		"!quant.uniform<i8:f32:-1, {1.0}>":                    "illegal quantized dimension: -1",
		"!quant.foo<i8>":                                      "unknown quantized type foo",
		"!quant.calibrated<f32<2.0:1.0>>":                     "illegal min and max: (2.000000e+00:1.000000e+00)",
		"!quant.calibrated<f32<1.0>>":                         "expected ':'",
		"!quant.uniform<i8:f32:0, {}>":                        "expected floating point literal",
		"!quant.uniform<i8:f32:{0:1,1:1}, {{1.0},{1.0,2.0}}>": "tensor literal is invalid; ranks are not consistent between elements",
		"!quant.uniform<i8:f32:{0:1,1:1}, {{1.0},2.0}>":       "tensor literal is invalid; ranks are not consistent between elements",
	}
	for text, want := range cases {
		_, err := parser.ParseType(newContext(), text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", text, err, want)
		}
	}
}
