//go:build peer

package tpurun_test

// This file runs the nets that TPU-MLIR's own converter makes of the built-in model.

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/examples/stories"
	"tpuir/internal/cli/tpurun"
	"tpuir/internal/peer"
)

// TestPeerNets compares the story that comes of TPU-MLIR's folder of nets with that of our own import, split and lowering, with
// all three stages: the prompt is longer than a prefill.
func TestPeerNets(t *testing.T) {
	wheel := peer.RequirePython(t)
	t.Chdir(t.TempDir())
	if err := os.CopyFS("stories", stories.Files()); err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := wheel.LLMConvert(t.Context(), folder, "", "-m", "stories", "-o", "out", "-s", "64", "-q", "w4bf16", "-c", "bm1684x",
		"--use_history_kv", "--debug"); err != nil {
		t.Fatalf("llm_convert: %v\n%s", err, out.Stderr)
	}
	nets, err := filepath.Glob("out/*/block_kv_0")
	if err != nil || len(nets) != 1 {
		t.Fatalf("block_kv_0 in %v, error %v; want one", nets, err)
	}
	const prompt = "Once upon a time, there was a little rabbit named Ruby."
	got, steps := story(t, "-m", filepath.Dir(nets[0]), "--checkpoint", "stories", prompt)
	want, _ := story(t, "-m", "stories", "-s", "64", "--max-input-length", "16", "--chunk-length", "16", "--dynamic", prompt)
	if got != want {
		t.Errorf("the peer's nets write %q; ours %q", got, want)
	}
	if !strings.Contains(steps, "prefill_kv") {
		t.Errorf("prefill_kv did not run:\n%s", steps)
	}
}

func story(t *testing.T, args ...string) (text, steps string) {
	t.Helper()
	var out, messages bytes.Buffer
	if tpurun.Main(t.Context(), args, strings.NewReader(""), &out, &messages) != 0 {
		t.Fatal(messages.String())
	}
	return out.String(), messages.String()
}
