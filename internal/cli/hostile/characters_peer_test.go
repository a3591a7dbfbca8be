//go:build peer

package hostile

import (
	"bytes"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"tpuir/internal/peer"
)

// TestCharactersLikePeer compares outcome, output and the first line of the errors with mlir-opt's.
func TestCharactersLikePeer(t *testing.T) {
	opt := peer.RequireTool(t, "mlir-opt-22")
	t.Chdir(t.TempDir())
	for _, place := range slices.Sorted(maps.Keys(places)) {
		for _, name := range slices.Sorted(maps.Keys(strange)) {
			status, stdout, stderr := characters(t, place, name)
			var out, messages bytes.Buffer
			command := exec.Command(opt, "--allow-unregistered-dialect", "in.mlir")
			command.Stdout, command.Stderr = &out, &messages
			err := command.Run()
			want, _, _ := strings.Cut(messages.String(), "\n")
			got, _, _ := strings.Cut(stderr, "\n")
			if (status == 0) != (err == nil) || got != want || err == nil && stdout != out.String() {
				t.Errorf("%s in %s: %d, %s\n%s\nmlir-opt: %v, %s\n%s", name, place, status, got, stdout, err, want, out.String())
			}
		}
	}
}
