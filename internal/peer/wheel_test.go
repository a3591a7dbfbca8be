//go:build peer

package peer

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
)

// The peer, run as this package runs it, must reproduce the golden corpus; else comparisons with it mean nothing.
func TestWheelReproducesGolden(t *testing.T) {
	wheel := RequirePython(t)
	golden := filepath.Join(shareddata.Dir(t), "golden", "nano-qwen2-w4bf16")
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(work, "block_0")
	if err := os.Rename(filepath.Join(dir, "top.mlir"), filepath.Join(dir, "block_0.mlir")); err != nil {
		t.Fatal(err)
	}
	_, err := wheel.TPUCOpt(context.Background(), dir, "block_0.mlir",
		"--processor-assign=chip=bm1684x mode=W4BF16 num_device=1 num_core=1 addr_mode=basic high_precision=True",
		"--processor-top-optimize", "--convert-top-to-tpu=weightFileName=w.npz asymmetric=False doWinograd=False "+
			"q_group_size=64 q_symmetric=False matmul_perchannel=False gelu_mode=normal",
		"--canonicalize", "--weight-fold", "-o", "made.mlir")
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, filepath.Join(dir, "lowered.mlir"))
	want = bytes.Replace(want, []byte("block_0_bm1684x_w4bf16_tpu_weights.npz"), []byte("w.npz"), 1)
	if got := read(t, filepath.Join(dir, "made.mlir")); !bytes.Equal(got, want) {
		t.Error("the lowered file differs from the golden one")
	}
	for _, model := range []string{"made.mlir", "block_0.bmodel"} {
		if model == "block_0.bmodel" && !exists(filepath.Join(dir, model)) {
			continue
		}
		if _, err := wheel.RunModel(context.Background(), dir, model, "num_input.npz", "out.npz", false); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// A program in tpuc-opt's place gets the calls of the whole flow, and may hand them on.
func TestLLMConvertWithSubstitute(t *testing.T) {
	wheel := RequirePython(t)
	model := filepath.Join(shareddata.Dir(t), "golden", "models", "nano-llama")
	work := t.TempDir()
	calls := filepath.Join(work, "calls")
	opt := filepath.Join(work, "opt")
	script := "#!/bin/sh\necho \"$1\" >> " + calls + "\nexec \"$PEER_TPUC_OPT\" \"$@\"\n"
	if err := os.WriteFile(opt, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := wheel.LLMConvert(context.Background(), work, opt,
		"-m", model, "-o", filepath.Join(work, "out"), "-s", "64", "-q", "w4bf16", "-c", "bm1684x")
	if err != nil {
		t.Fatal(err)
	}
	bmodels, err := filepath.Glob(filepath.Join(work, "out", "*.bmodel"))
	if err != nil || len(bmodels) != 1 {
		t.Errorf("made the bmodels %v (%v)", bmodels, err)
	}
	called := string(read(t, calls))
	for _, net := range []string{"embedding", "embedding_cache", "lm_head", "block_0", "block_cache_0"} {
		if !strings.Contains(called, net+".mlir\n") {
			t.Errorf("%s.mlir was not given to the substitute", net)
		}
	}
}

func TestTools(t *testing.T) {
	for _, name := range []string{"mlir-opt-19", "mlir-opt-22", "FileCheck-19"} {
		result, err := Run(context.Background(), t.TempDir(), RequireTool(t, name), "--version")
		version := name[strings.LastIndexByte(name, '-')+1:]
		if err != nil || !bytes.Contains(result.Stdout, []byte("version "+version)) {
			t.Errorf("%s --version: %v: %s", name, err, result.Stdout)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
