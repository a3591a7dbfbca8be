package interp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tpuir/weight/float16"
)

// randomFloats returns n normal values from a seed.
func randomFloats(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values
}

// sameBits reports the first element whose bits differ, -1 where none does.
func sameBits(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// dotByDefinition follows the package documentation literally.
func dotByDefinition(x, w []float32) float32 {
	var l [16]float32
	for k := range x {
		l[k%16] += float32(x[k] * w[k])
	}
	for distance := 8; distance > 0; distance /= 2 {
		for i := range distance {
			l[i] += l[i+distance]
		}
	}
	return l[0]
}

func TestDotRows(t *testing.T) {
	for k := range 70 {
		for _, rows := range []int{1, 3, 4, 5, 8, 11, 16, 23} {
			stride := k + 3
			x, w := randomFloats(uint64(k), k), randomFloats(uint64(k+1000), rows*stride)
			got, plain := make([]float32, rows), make([]float32, rows)
			dotRows(got, x, w, stride)
			dotRowsGo(plain, x, w, stride)
			want := make([]float32, rows)
			for i := range want {
				want[i] = dotByDefinition(x, w[i*stride:][:k])
			}
			if i := sameBits(got, want); i >= 0 {
				t.Errorf("k = %d, rows = %d: row %d is %v, want %v", k, rows, i, got[i], want[i])
			}
			if i := sameBits(plain, want); i >= 0 {
				t.Errorf("k = %d, rows = %d: plain row %d is %v, want %v", k, rows, i, plain[i], want[i])
			}
		}
	}
}

func TestAddScaled(t *testing.T) {
	for n := range 70 {
		for _, rows := range []int{0, 1, 2, 4, 7, 9} {
			stride := n + 5
			p, v := randomFloats(uint64(n), rows), randomFloats(uint64(n+500), rows*stride+n)
			got, plain, want := randomFloats(7, n), randomFloats(7, n), randomFloats(7, n)
			addScaled(got, p, v, stride)
			addScaledGo(plain, p, v, stride)
			for j := range p {
				for d := range want {
					want[d] += float32(p[j] * v[j*stride+d])
				}
			}
			if i := sameBits(got, want); i >= 0 {
				t.Errorf("n = %d, rows = %d: element %d is %v, want %v", n, rows, i, got[i], want[i])
			}
			if i := sameBits(plain, want); i >= 0 {
				t.Errorf("n = %d, rows = %d: plain element %d is %v, want %v", n, rows, i, plain[i], want[i])
			}
		}
	}
}

func TestRoundBF16(t *testing.T) {
	values := randomFloats(3, 4096)
	r := rand.New(rand.NewPCG(9, 9))
	for range 1 << 16 {
		values = append(values, math.Float32frombits(r.Uint32()))
	}
	for _, bits := range []uint32{0, 1, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f7f8000, 0x7f7f7fff, 0x7f800000, 0x7f800001, 0x7fc00000,
		0x7fffffff, 0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff} {
		values = append(values, math.Float32frombits(bits), math.Float32frombits(bits|1<<31))
	}
	want := make([]float32, len(values))
	for i, v := range values {
		want[i] = float16.RoundBF16(v)
	}
	got := append([]float32(nil), values...)
	roundBF16(got)
	if i := sameBits(got, want); i >= 0 {
		t.Errorf("%x is %x, want %x", math.Float32bits(values[i]), math.Float32bits(got[i]), math.Float32bits(want[i]))
	}
}

func TestExp(t *testing.T) {
	for x := -120.0; x < 90; x += 0.00391 {
		got, want := exp64(x), math.Exp(x)
		if math.Abs(got-want) > 1e-13*want {
			t.Fatalf("exp64(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{math.Inf(-1), -800, math.Inf(1), 800, 0} {
		if got, want := exp64(x), math.Exp(x); got != want {
			t.Errorf("exp64(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(exp64(math.NaN())) {
		t.Error("exp64(NaN) is a number")
	}
}

func BenchmarkDotRows(b *testing.B) {
	for _, k := range []int{128, 896, 4864} {
		x, w, out := randomFloats(1, k), randomFloats(2, 32*k), make([]float32, 32)
		for name, f := range map[string]func(out, x, w []float32, stride int){"vector": dotRows, "plain": dotRowsGo} {
			b.Run(fmt.Sprintf("%s-%d", name, k), func(b *testing.B) {
				b.SetBytes(int64(4 * len(w)))
				for b.Loop() {
					f(out, x, w, k)
				}
			})
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x := -1.5
	for b.Loop() {
		x = -exp64(x)
	}
}
