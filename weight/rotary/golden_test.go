package rotary

import (
	"path/filepath"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/weight"
)

// TestGoldenTables compares both tables of every golden Top file, bit for bit. All golden models have theta
// 10000.
func TestGoldenTables(t *testing.T) {
	root := shareddata.Golden(t)
	files, err := filepath.Glob(filepath.Join(root, "*", "block_*_top_weights.npz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		s, err := weight.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		cos, err := weight.Find(s, "rotary_cos.weight")
		if err != nil {
			t.Fatal(err)
		}
		length, dim := cos.Shape()[0], cos.Shape()[2]
		tables, err := Make(Parameters{Type: Default, Theta: 10000, Dim: int(dim)}, int(length))
		if err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string][]float32{"rotary_cos.weight": tables.Cos, "rotary_sin.weight": tables.Sin} {
			w, err := weight.Find(s, name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := w.Float32s(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := countDifferent(got, want); n > 0 {
				t.Errorf("%s: %d of %d elements of %s differ", file, n, len(want), name)
			}
		}
	}
}
