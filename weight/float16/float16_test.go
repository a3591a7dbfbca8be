package float16

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestRoundKnownValues(t *testing.T) {
	denormal := math.Float32frombits(1)
	inf := float32(math.Inf(1))
	tests := []struct {
		name     string
		in       float32
		bf16     uint16
		f16      uint16
		fromBF16 float32
	}{
		{"zero", 0, 0, 0, 0},
		{"one", 1, 0x3f80, 0x3c00, 1},
		{"minus two", -2, 0xc000, 0xc000, -2},
		{"tie to even, down", 1 + 0x1p-8, 0x3f80, 0x3c04, 1},
		{"tie to even, up", 1 + 3*0x1p-8, 0x3f82, 0x3c0c, 1 + 2*0x1p-7},
		{"above the tie", 1 + 0x1p-8 + 0x1p-20, 0x3f81, 0x3c04, 1 + 0x1p-7},
		{"denormal is flushed", denormal, 0, 0, 0},
		{"greatest denormal is flushed", math.Float32frombits(0x807fffff), 0x8000, 0x8000, 0},
		{"bf16 overflow", 3.3961776e38, 0x7f80, 0x7c00, inf},
		{"below bf16 overflow", 3.3961773e38, 0x7f7f, 0x7c00, 3.3895314e38},
		{"f16 overflow", 65520, 0x4780, 0x7c00, 65536},
		{"below f16 overflow", 65519.9, 0x4780, 0x7bff, 65536},
		{"half of the least f16 denormal", 0x1p-25, 0x3300, 0, 0x1p-25},
		{"just above", 0x1.000002p-25, 0x3300, 1, 0x1p-25},
		{"least f16 denormal", 0x1p-24, 0x3380, 1, 0x1p-24},
		{"f16 denormal rounding up to normal", 0x1.ffffp-15, 0x3880, 0x400, 0x1p-14},
		{"infinity", -inf, 0xff80, 0xfc00, -inf},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := BF16Bits(tt.in); got != tt.bf16 {
				t.Errorf("BF16Bits(%g) = %#04x, want %#04x", tt.in, got, tt.bf16)
			}
			if got := F16Bits(tt.in); got != tt.f16 {
				t.Errorf("F16Bits(%g) = %#04x, want %#04x", tt.in, got, tt.f16)
			}
			if got := RoundBF16(tt.in); got != tt.fromBF16 {
				t.Errorf("RoundBF16(%g) = %g, want %g", tt.in, got, tt.fromBF16)
			}
		})
	}
	nan := float32(math.NaN())
	for _, f := range []Format{BFloat16, Float16} {
		if r := f.Round(nan); r == r {
			t.Errorf("%v.Round(NaN) = %g, want NaN", f, r)
		}
		signalling := f.Round(math.Float32frombits(0x7f800001))
		if signalling == signalling {
			t.Errorf("%v.Round(signalling NaN) = %g, want NaN", f, signalling)
		}
	}
}

// Every 16-bit value survives widening and rounding, but for the denormal bfloat16 ones, which are flushed.
func TestWidenAndRoundBack(t *testing.T) {
	for i := range 1 << 16 {
		bits := uint16(i)
		if x := F16ToFloat32(bits); x == x {
			if got := F16Bits(x); got != bits {
				t.Fatalf("f16 %#04x widens to %g and rounds back to %#04x", bits, x, got)
			}
			if got := RoundF16(x); got != x {
				t.Fatalf("RoundF16(%g) = %g", x, got)
			}
		}
		if x := BF16ToFloat32(bits); x == x {
			want := bits
			if bits&0x7f80 == 0 {
				want = bits & 0x8000
			}
			if got := BF16Bits(x); got != want {
				t.Fatalf("bf16 %#04x widens to %g and rounds back to %#04x, want %#04x", bits, x, got, want)
			}
		}
	}
}

// The rounding of random values is compared with that of math/big, which rounds to any precision.
func TestRoundAgainstBig(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		bits := random.Uint32()
		x := math.Float32frombits(bits)
		if x != x || math.IsInf(float64(x), 0) || bits&exponentMask == 0 {
			continue
		}
		if got, want := RoundBF16(x), roundBig(x, 8, -133, 128); got != want {
			t.Fatalf("RoundBF16(%x) = %x, want %x", x, got, want)
		}
		half := math.Float32frombits(bits&0x87ffffff | 0x38000000 - random.Uint32()%16<<23)
		for _, v := range []float32{x, half} {
			if got, want := RoundF16(v), roundBig(v, 11, -24, 16); got != want {
				t.Fatalf("RoundF16(%x) = %x, want %x", v, got, want)
			}
		}
	}
}

// roundBig rounds x to a precision in bits, with units no smaller than 2^least, to infinity from 2^limit on.
func roundBig(x float32, precision uint, least, limit int) float32 {
	b := new(big.Float).SetFloat64(float64(x))
	exponent := b.MantExp(nil)
	if p := exponent - least; p < int(precision) {
		// A denormal of the target: fewer bits. Scaling by the unit and rounding to an integer is exact in float64.
		return float32(math.RoundToEven(math.Ldexp(float64(x), -least)) * math.Ldexp(1, least))
	}
	b.SetMode(big.ToNearestEven).SetPrec(precision)
	if b.MantExp(nil) > limit {
		return float32(math.Inf(b.Sign()))
	}
	r, _ := b.Float32()
	return r
}

func TestSlices(t *testing.T) {
	x := []float32{1.00390625, -3, 65519.9, 1e-30}
	for _, f := range []Format{BFloat16, Float16} {
		raw := make([]byte, 2*len(x))
		f.Encode(raw, x)
		back := make([]float32, len(x))
		f.Decode(back, raw)
		rounded := append([]float32(nil), x...)
		f.RoundSlice(rounded)
		for i := range x {
			if back[i] != rounded[i] || back[i] != f.Float32(f.Bits(x[i])) {
				t.Errorf("%v: element %d encodes to %g and rounds to %g", f, i, back[i], rounded[i])
			}
		}
	}
}

func BenchmarkRoundBF16(b *testing.B) {
	x := make([]float32, 4096)
	for i := range x {
		x[i] = float32(i) * 1.37
	}
	b.SetBytes(int64(4 * len(x)))
	for b.Loop() {
		BFloat16.RoundSlice(x)
	}
}

func BenchmarkRoundF16(b *testing.B) {
	x := make([]float32, 4096)
	for i := range x {
		x[i] = float32(i) * 1.37
	}
	b.SetBytes(int64(4 * len(x)))
	for b.Loop() {
		Float16.RoundSlice(x)
	}
}
