//go:build peer

package controlflow_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/peer"
)

// Every module of testdata comes out of the canonicalizer as mlir-opt-22 gives it, at each level and with locations.
func TestPeer(t *testing.T) {
	opt := peer.RequireTool(t, "mlir-opt-22")
	text, err := os.ReadFile("testdata/canonicalize.mlir")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, module := range strings.Split(string(text), "// -----\n") {
		path := filepath.Join(t.TempDir(), "in.mlir")
		if err := os.WriteFile(path, []byte(module), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, options := range []string{"normal", "aggressive", "disabled", "normal top-down=false"} {
			args := []string{path, "--allow-unregistered-dialect", "--mlir-print-debuginfo",
				"--canonicalize=region-simplify=" + options}
			want, err := exec.Command(opt, args...).Output()
			if err != nil {
				t.Fatalf("mlir-opt-22: module %d: %v", i, err)
			}
			var got, found strings.Builder
			if code := topopt.Main(t.Context(), args, strings.NewReader(""), &got, &found); code != 0 {
				t.Errorf("module %d, %s: %s", i, options, found.String())
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("module %d, %s (-mlir-opt +top-opt):\n%s\n%s", i, options, module, diff)
			}
			compared++
		}
	}
	t.Logf("%d comparisons", compared)
}
