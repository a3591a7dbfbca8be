package rotary

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"tpuir/weight"
)

// scaling is rope_scaling or rope_parameters of a config.
type scaling struct {
	Type      Type    `json:"rope_type"`
	Theta     float64 `json:"rope_theta"`
	Factor    float64 `json:"factor"`
	OldMax    int     `json:"original_max_position_embeddings"`
	LowFreq   float64 `json:"low_freq_factor"`
	HighFreq  float64 `json:"high_freq_factor"`
	MScale    float64 `json:"mscale"`
	MScaleAll float64 `json:"mscale_all_dim"`
	BetaFast  float64 `json:"beta_fast"`
	BetaSlow  float64 `json:"beta_slow"`
	Truncate  *bool   `json:"truncate"`
}

type tableCase struct {
	Length int
	Config struct {
		HeadDim    int      `json:"head_dim"`
		Theta      float64  `json:"rope_theta"`
		Partial    float64  `json:"partial_rotary_factor"`
		MaxPos     int      `json:"max_position_embeddings"`
		Parameters *scaling `json:"rope_parameters"`
		Scaling    *scaling `json:"rope_scaling"`
	}
}

func (c tableCase) parameters() Parameters {
	var s scaling
	for _, given := range []*scaling{c.Config.Parameters, c.Config.Scaling} {
		if given != nil {
			s = *given
		}
	}
	p := Parameters{
		Type: s.Type, Theta: max(s.Theta, c.Config.Theta), Dim: c.Config.HeadDim, Factor: s.Factor,
		MaxPos: c.Config.MaxPos, OldMax: s.OldMax, LowFreq: s.LowFreq, HighFreq: s.HighFreq,
		MScale: s.MScale, MScaleAll: s.MScaleAll, BetaFast: s.BetaFast, BetaSlow: s.BetaSlow,
		NoTruncate: s.Truncate != nil && !*s.Truncate,
	}
	if c.Config.Partial != 0 {
		p.Dim = int(float64(p.Dim) * c.Config.Partial)
	}
	return p
}

// compareTables compares all cases with the tables in the npz, which have that many rows of the start and of the end, or
// all where rows is 0.
func compareTables(t *testing.T, npz string, rows int) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]tableCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	s, err := weight.Open(npz)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, c := range cases {
		tables, err := Make(c.parameters(), c.Length)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for kind, got := range map[string][]float32{"cos": tables.Cos, "sin": tables.Sin} {
			if n := rows * tables.Dim; n > 0 {
				got = slices.Concat(got[:n], got[len(got)-n:])
			}
			w, err := weight.Find(s, name+"."+kind)
			if err != nil {
				t.Fatal(err)
			}
			want, err := w.Float32s(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := countDifferent(got, want); n > 0 {
				t.Errorf("%s: %d of %d elements of %s differ", name, n, len(want), kind)
			}
		}
	}
}

// countDifferent counts the elements whose bits differ.
func countDifferent(got, want []float32) int {
	if len(got) != len(want) {
		return max(len(got), len(want))
	}
	n := 0
	for i := range want {
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
			n++
		}
	}
	return n
}

// testdata/tables.npz holds five rows of the start and of the end of each of the peer's tables, made by tables.py.
func TestTables(t *testing.T) { compareTables(t, "testdata/tables.npz", 5) }
