//go:build peer

package rotary

import (
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/peer"
)

// TestPeerTables compares whole tables with those the peer's importer computes now.
func TestPeerTables(t *testing.T) {
	peer.RequirePython(t)
	root := os.Getenv("TPUIR_PEER")
	if root == "" {
		root = "/opt/peer"
	}
	out := filepath.Join(t.TempDir(), "tables.npz")
	t.Setenv("PYTHONPATH", root)
	t.Setenv("NPY_DISABLE_CPU_FEATURES", "AVX512_SKX")
	if _, err := peer.Run(t.Context(), ".", filepath.Join(root, "venv", "bin", "python"), "testdata/tables.py",
		"testdata/cases.json", out); err != nil {
		t.Fatal(err)
	}
	compareTables(t, out, 0)
}
