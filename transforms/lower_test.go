package transforms_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/goldencase"
	"tpuir/internal/shareddata"
)

// nano returns a setting over a small model.
func nano(t *testing.T) setting {
	t.Helper()
	cases, err := goldencase.List(shareddata.Golden(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if strings.HasPrefix(c.Name, "nano-qwen2-w4bf16") {
			for _, s := range goldenSettings(t) {
				if s.name == "golden/"+c.Name {
					return s
				}
			}
		}
	}
	t.Skip("nano-qwen2-w4bf16 is not among the golden cases here")
	return setting{}
}

// TestDeterministic lowers the same nets again and again, on one, two and eight processors: texts and weight files are the
// same bytes.
func TestDeterministic(t *testing.T) {
	s := nano(t)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var text string
	var weights []byte
	for _, processors := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(processors)
		for i := range 20 {
			r := s.run(t, i%2 == 0)
			data, err := os.ReadFile(r.weights)
			if err != nil {
				t.Fatal(err)
			}
			if text == "" {
				text, weights = r.text, data
			}
			if r.text != text || !bytes.Equal(data, weights) {
				t.Fatalf("run %d on %d processors differs", i, processors)
			}
		}
	}
}

// TestOutputAndWeightsTogether shows that neither the output nor the weight file stands alone after an error.
func TestOutputAndWeightsTogether(t *testing.T) {
	input := filepath.Join(shareddata.Golden(t), "nano-qwen2-w4bf16", "block_0", "top.mlir")
	if _, err := os.Stat(input); err != nil {
		t.Skip("nano-qwen2-w4bf16 is not among the golden cases here")
	}
	whole := t.TempDir()
	if status, message := topOpt(input, "--lower-to-tpu", "-o", filepath.Join(whole, "out.mlir")); status != 0 {
		t.Fatal(message)
	}
	expectFiles(t, whole, "block_0_bm1684x_w4bf16_tpu_weights.npz", "out.mlir")

	noFolder := t.TempDir()
	status, message := topOpt(input, "--lower-to-tpu=weight-file="+filepath.Join(noFolder, "w.npz"), "-o", filepath.Join(noFolder, "missing", "out.mlir"))
	if status != 1 || !strings.Contains(message, "no such file or directory") {
		t.Errorf("status %d, %s", status, message)
	}
	expectFiles(t, noFolder)

	noWeights := t.TempDir()
	status, message = topOpt(input, "--lower-to-tpu=weight-file=missing/w.npz", "-o", filepath.Join(noWeights, "out.mlir"))
	if status != 1 || !strings.Contains(message, "no such file or directory") {
		t.Errorf("status %d, %s", status, message)
	}
	expectFiles(t, noWeights)

	lacking := t.TempDir()
	text, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.ReplaceAll(string(text), `loc("model.layers.0.self_attn.q_proj.weight")`, `loc("nowhere")`)
	broken = strings.ReplaceAll(broken, "../block_0_top_weights.npz", filepath.Join(filepath.Dir(filepath.Dir(input)), "block_0_top_weights.npz"))
	file := filepath.Join(lacking, "broken.mlir")
	if err := os.WriteFile(file, []byte(broken), 0o666); err != nil {
		t.Fatal(err)
	}
	status, message = topOpt(file, "--lower-to-tpu", "-o", filepath.Join(lacking, "out.mlir"))
	if status != 1 || !strings.Contains(message, "nowhere") {
		t.Errorf("status %d, %s", status, message)
	}
	expectFiles(t, lacking, "broken.mlir")
}

func topOpt(args ...string) (status int, message string) {
	var out, stderr strings.Builder
	status = topopt.Main(context.Background(), args, strings.NewReader(""), &out, &stderr)
	return status, stderr.String()
}

// expectFiles compares what a folder holds.
func expectFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v; expected %v", folder, names, want)
	}
}
