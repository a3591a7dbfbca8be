//go:build peer

package lowering_test

import (
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/peer"
)

// TestReferences lowers the nets that the peer was asked for beyond the golden corpus: every mode, group size, symmetry,
// precision and chip, and models of odd shape.
func TestReferences(t *testing.T) {
	var c counts
	for _, n := range findNets(t, peer.References(t)) {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			c.lower(t, n)
		})
	}
	t.Cleanup(func() { c.log(t) })
}

// TestReferencesInOne lowers the same nets with lower-to-tpu, where that gives a net the settings that it was lowered with.
func TestReferencesInOne(t *testing.T) {
	var c counts
	for _, n := range findNets(t, peer.References(t)) {
		options := oneOptions(n)
		if settingsDiffer(n) {
			continue
		}
		t.Run(n.name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(n.folder, "lowered.mlir"))
			if err != nil {
				t.Fatal(err)
			}
			_, text, _ := run(t, filepath.Join(n.folder, "top.mlir"), "", []flag{{"lower-to-tpu", options}})
			c.nets.Add(1)
			// The peer was told how to name its weight file; here the net says it.
			if compareText(t, n.name, weightFileText.ReplaceAllString(string(want), ""), weightFileText.ReplaceAllString(text, "")) {
				c.equalNets.Add(1)
			}
		})
	}
	c.log(t)
}

// settingsDiffer reports whether a net of the matrix was lowered in another mode than the flow gives its kind.
func settingsDiffer(n net) bool {
	switch filepath.Base(n.folder) {
	case "embedding", "embedding_cache", "lm_head", "greedy_head", "sample_head":
		return true
	}
	return false
}

// TestReferencesPasses runs each pass alone on the peer's files.
func TestReferencesPasses(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(peer.References(t), "*", "*", "passes"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no passes: %v", err)
	}
	testPasses(t, folders)
}
