package rotary

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The expected bits are what transformers 5.6.2 with torch 2.11 computes (dynamic with the length as a tensor, as it
// does while generating).
func TestFrequenciesAgainstTransformers(t *testing.T) {
	llama3 := Parameters{Type: Llama3, Theta: 500000, Dim: 16, Factor: 8, HighFreq: 4, LowFreq: 1, OldMax: 64}
	tests := []struct {
		name   string
		p      Parameters
		length int
		factor float32
		want   []uint32 // the first eight
	}{
		{"dynamic beyond the trained length", Parameters{Type: Dynamic, Theta: 10000, Dim: 16, Factor: 2, MaxPos: 512}, 800, 1,
			[]uint32{0x3f800000, 0x3e916142, 0x3da51ea3, 0x3cbb8a2a, 0x3bd50104, 0x3af1ecfe, 0x3a096325, 0x391c0ab4}},
		{"dynamic, 64 wide", Parameters{Type: Dynamic, Theta: 10000, Dim: 64, Factor: 4, MaxPos: 2048}, 5000, 1,
			[]uint32{0x3f800000, 0x3f347dba, 0x3efe8217, 0x3eb37076, 0x3e7d0666, 0x3e3264c4, 0x3dfb8cee, 0x3db15aa2}},
		{"dynamic by one position", Parameters{Type: Dynamic, Theta: 500000, Dim: 48, Factor: 1.5, MaxPos: 100}, 101, 1,
			[]uint32{0x3f800000, 0x3f1414f2, 0x3eab5073, 0x3e46310f, 0x3de54927, 0x3d84a10f, 0x3d196fec, 0x3cb18287}},
		{"dynamic within", Parameters{Type: Dynamic, Theta: 10000, Dim: 16, Factor: 2, MaxPos: 512}, 300, 1,
			[]uint32{0x3f800000, 0x3ea1e89b, 0x3dcccccd, 0x3d0186e3, 0x3c23d70a, 0x3b4f3e38, 0x3a83126f, 0x39a5cb60}},
		{"llama3", llama3, 512, 1,
			[]uint32{0x3f800000, 0x3da29e0c, 0x3b9a08c8, 0x3a6ef74f, 0x39395d21, 0x380fc8f8, 0x36df10c4, 0x35ad07a7}},
		{"yarn", Parameters{Type: YaRN, Theta: 10000, Dim: 16, Factor: 4, OldMax: 128}, 512, 1.138629436111989,
			[]uint32{0x3f800000, 0x3e72dce8, 0x3d4ccccc, 0x3c0186e3, 0x3b23d70a, 0x3a4f3e38, 0x3983126f, 0x38a5cb60}},
		{"linear", Parameters{Type: Linear, Theta: 10000, Dim: 16, Factor: 4}, 512, 1,
			[]uint32{0x3e800000, 0x3da1e89b, 0x3ccccccd, 0x3c0186e3, 0x3b23d70a, 0x3a4f3e38, 0x3983126f, 0x38a5cb60}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			frequencies, factor, err := tt.p.Frequencies(tt.length)
			if err != nil {
				t.Fatal(err)
			}
			var got []uint32
			for _, f := range frequencies[:8] {
				got = append(got, math.Float32bits(f))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("frequencies (-want +got):\n%s", diff)
			}
			if factor != tt.factor {
				t.Errorf("factor %g, want %g", factor, tt.factor)
			}
		})
	}
}

func TestBadParameters(t *testing.T) {
	tests := []struct {
		name   string
		p      Parameters
		length int
		want   string
	}{
		{"type", Parameters{Type: "longrope", Theta: 1e4, Dim: 8}, 1,
			`rope_type "longrope" is not supported; known are default, linear, dynamic, llama3, yarn`},
		{"odd dim", Parameters{Theta: 1e4, Dim: 7}, 1, "rope over 7 elements of a head: not an even number from 2 to 65536"},
		{"length", Parameters{Theta: 1e4, Dim: 8}, -1, "rope for -1 positions: not a number from 0 to 16777216"},
		{"theta", Parameters{Dim: 8}, 1, `rope_type "": rope_theta is 0; expected a number from 2 to 1e+15`},
		{"theta without end", Parameters{Theta: math.Inf(1), Dim: 8}, 1, `rope_type "": rope_theta is +Inf; expected a number from 2 to 1e+15`},
		{"theta is no number", Parameters{Theta: math.NaN(), Dim: 8}, 1, `rope_type "": rope_theta is NaN; expected a number from 2 to 1e+15`},
		{"linear without factor", Parameters{Type: Linear, Theta: 1e4, Dim: 8}, 1,
			`rope_type "linear": factor is 0; expected a number from 0.001 to 1000000`},
		{"llama3 without ramp", Parameters{Type: Llama3, Theta: 1e4, Dim: 8, Factor: 8, OldMax: 64, LowFreq: 1, HighFreq: 1}, 1,
			`rope_type "llama3": high_freq_factor 1 is not above low_freq_factor 1`},
		{"yarn without old length", Parameters{Type: YaRN, Theta: 1e4, Dim: 8, Factor: 4}, 1,
			`rope_type "yarn": original_max_position_embeddings is 0; expected a number from 1 to 268435456`},
		{"yarn with betas exchanged", Parameters{Type: YaRN, Theta: 1e4, Dim: 8, Factor: 4, OldMax: 64, BetaFast: 1, BetaSlow: 32}, 1,
			`rope_type "yarn": beta_fast 1 is below beta_slow 32`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Make(tt.p, tt.length)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

// At the ends of the ranges that are let through every number is still one.
func TestExtremeParameters(t *testing.T) {
	for _, kind := range []Type{Default, Linear, Dynamic, Llama3, YaRN} {
		for bits := range 1 << 7 {
			pick := func(bit int, least, most float64) float64 {
				if bits>>bit&1 == 0 {
					return least
				}
				return most
			}
			p := Parameters{Type: kind, Theta: pick(0, leastTheta, mostTheta), Factor: pick(1, leastFactor, mostFactor),
				MaxPos: int(pick(2, 1, mostPositions)), OldMax: int(pick(3, 1, mostPositions)), Dim: int(pick(4, 2, 256)),
				LowFreq: leastFactor, HighFreq: pick(5, 2*leastFactor, mostFactor), MScale: pick(6, leastFactor, mostFactor),
				MScaleAll: leastFactor}
			frequencies, factor, err := p.Frequencies(maxLength)
			if err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			for _, f := range append(frequencies, factor) {
				if !(f > 0) || math.IsInf(float64(f), 0) {
					t.Errorf("%+v: %g among the frequencies %g, factor %g", p, f, frequencies[:min(4, len(frequencies))], factor)
					break
				}
			}
		}
	}
}
