package ir

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// slowDecimal is cutDecimal by the definition alone.
func slowDecimal(p *floatParts, need int) (string, int) {
	n, binary, exponent := p.mantissa.big(), p.exponent, 0
	zeros := n.TrailingZeroBits()
	n.Rsh(n, zeros)
	binary += int(zeros)
	if binary >= 0 {
		n.Lsh(n, uint(binary))
	} else {
		n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-binary)), nil))
		exponent = binary
	}
	if cut := (n.BitLen() - need) * 59 / 196; cut > 0 {
		n.Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(cut)), nil))
		exponent += cut
	}
	return n.String(), exponent
}

func TestCutDecimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []float64{1, 0.5, 1e300, 5e-324, 123456789, 0.1, 1e-7, math.MaxFloat64}
	for range 20000 {
		values = append(values, math.Float64frombits(random.Uint64()), random.Float64(), random.NormFloat64()*1e6,
			float64(random.IntN(1000))/8, float64(random.Int64()))
	}
	for _, v := range values {
		p, finite := floatFormats[F64].decompose(wide{low: math.Float64bits(v)})
		if !finite || p.mantissa.isZero() {
			continue
		}
		for _, need := range []int{20, 57} {
			want, wantExponent := slowDecimal(&p, need)
			got, exponent := p.cutDecimal(need)
			if string(got) != want || exponent != wantExponent {
				t.Fatalf("%g to %d bits: %s·10^%d, want %s·10^%d", v, need, got, exponent, want, wantExponent)
			}
		}
	}
}

func TestNeedsMoreThanSixIsSure(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	f := &floatFormats[F64]
	for range 20000 {
		v := math.Round(random.Float64()*1e7) / math.Pow10(random.IntN(12))
		encoding := wide{low: math.Float64bits(v)}
		p, _ := f.decompose(encoding)
		if p.mantissa.isZero() || !needsMoreThanSix(F64, encoding) {
			continue
		}
		digits, exponent := p.decimal(6)
		if f.readsBack(F64, &p, encoding, appendSixDecimals(nil, digits, exponent), digits, exponent) {
			t.Fatalf("%v reads back from six digits", v)
		}
	}
}

func BenchmarkAppendFloat(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	values := make([]uint64, 1024)
	for i := range values {
		values[i] = math.Float64bits(math.Round(random.Float64()*1e7) / 1e7)
	}
	b.ReportAllocs()
	var text []byte
	for i := range b.N {
		text, _ = AppendFloat(text[:0], F64, values[i%len(values)], 0)
	}
}
