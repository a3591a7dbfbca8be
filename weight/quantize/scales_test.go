package quantize_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tpuir/weight/float16"
	"tpuir/weight/quantize"
)

// TestScales rounds the unrounded scales: they are those that the quantized matrix holds.
func TestScales(t *testing.T) {
	const n, k = 48, 256
	random := rand.New(rand.NewPCG(1, 2))
	values := make(quantize.Floats, n*k)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	for _, o := range []quantize.Options{{Bits: 4, GroupSize: 64}, {Bits: 8, GroupSize: 32, Symmetric: true}, {Bits: 4}, {Bits: 8},
		{Bits: 4, Symmetric: true}} {
		o.Scale = float16.BFloat16
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			m, err := quantize.Quantize(t.Context(), values, n, k, o)
			if err != nil {
				t.Fatal(err)
			}
			scales, err := quantize.Scales(t.Context(), values, n, k, o)
			if err != nil {
				t.Fatal(err)
			}
			repeat := len(m.Scale) / len(scales) // a row's scale is stored for each of its groups
			for i, bits := range m.Scale {
				if want := float16.BFloat16.Bits(scales[i/repeat]); bits != want {
					t.Fatalf("scale %d is %#x; rounding the unrounded gives %#x", i, bits, want)
				}
			}
		})
	}
	if _, err := quantize.Scales(t.Context(), values, n, k, quantize.Options{Bits: 3}); err == nil {
		t.Error("no error for 3 bits")
	}
}
