//go:build peer

package lowering_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/peer"
)

// TestPeerHandMade compares the lowering of small nets with the peer's: types that meet in ways that the nets of models don't
// show.
func TestPeerHandMade(t *testing.T) {
	wheel := peer.Require(t)
	files, err := filepath.Glob("testdata/*.mlir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		for _, mode := range []string{"F32", "BF16", "W4F16"} {
			for _, chip := range []string{"bm1684x", "bm1688"} {
				for _, high := range []string{"True", "False"} {
					name := fmt.Sprintf("%s/%s/%s/%s", filepath.Base(file), mode, chip, high)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						compareWithPeer(t, wheel, file, []flag{
							{"processor-assign", fmt.Sprintf("chip=%s mode=%s num_device=1 num_core=1 addr_mode=basic high_precision=%s", chip, mode, high)},
							{"processor-top-optimize", ""}, {"convert-top-to-tpu", "weightFileName=w.npz q_group_size=64"}, {"canonicalize", ""}, {"weight-fold", ""}})
					})
				}
			}
		}
	}
}

func compareWithPeer(t *testing.T, wheel peer.Wheel, file string, flags []flag) {
	t.Helper()
	input, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	args := []string{input}
	for _, f := range flags {
		word := "--" + f.pass
		if f.options != "" {
			word += "=" + f.options
		}
		args = append(args, word)
	}
	if out, err := wheel.TPUCOpt(t.Context(), work, append(args, "-o", "peer.mlir")...); err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	want, err := os.ReadFile(filepath.Join(work, "peer.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := run(t, file, "", append(flags, flag{"deinit", ""}))
	compareText(t, file, string(want), text)
}
