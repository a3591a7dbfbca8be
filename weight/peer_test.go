//go:build peer

package weight

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/peer"
	"tpuir/internal/shareddata"
)

// TestPeerReadsOurFiles gives TPU-MLIR a golden net with its weights rewritten by this package; it must lower it to the
// golden file and the golden weights.
func TestPeerReadsOurFiles(t *testing.T) {
	wheel := peer.Require(t)
	golden := filepath.Join(shareddata.Dir(t), "golden", "nano-qwen2-w4bf16")
	folder := t.TempDir()
	net := filepath.Join(folder, "block_0")
	if err := os.Mkdir(net, 0o777); err != nil {
		t.Fatal(err)
	}
	top := openStore(t, filepath.Join(golden, "block_0_top_weights.npz"))
	if err := WriteNPZ(t.Context(), filepath.Join(folder, "block_0_top_weights.npz"), top); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(golden, "block_0", "top.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(net, "block_0.mlir"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	weights := "block_0_bm1684x_w4bf16_tpu_weights.npz"
	if _, err := wheel.TPUCOpt(t.Context(), net, "block_0.mlir",
		"--processor-assign=chip=bm1684x mode=W4BF16 num_device=1 num_core=1 addr_mode=basic high_precision=True",
		"--processor-top-optimize", "--convert-top-to-tpu=weightFileName="+weights+" asymmetric=False doWinograd=False "+
			"q_group_size=64 q_symmetric=False matmul_perchannel=False gelu_mode=normal",
		"--canonicalize", "--weight-fold", "-o", "made.mlir"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(net, "made.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(golden, "block_0", "lowered.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the lowered file differs from the golden one")
	}
	compareStores(t, openStore(t, filepath.Join(golden, "block_0", weights)), openStore(t, filepath.Join(net, weights)))
}

func compareStores(t *testing.T, want, got Store) {
	t.Helper()
	if w, g := strings.Join(want.Names(), "\n"), strings.Join(got.Names(), "\n"); w != g {
		t.Errorf("tensors:\n%s\nwant:\n%s", g, w)
	}
	for _, name := range want.Names() {
		a, err := find(t, want, name).Bytes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := find(t, got, name).Bytes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestNumpyReadsOurFiles lets numpy load an archive of this package and the library of the format a safetensors file.
func TestNumpyReadsOurFiles(t *testing.T) {
	peer.RequirePython(t)
	root := os.Getenv("TPUIR_PEER")
	if root == "" {
		root = "/opt/peer"
	}
	folder := t.TempDir()
	s, err := NewMemory("", numbered(t, Float32, 2, 3).Rename("x"), numbered(t, Uint8, 5).Rename("codes"),
		numbered(t, BFloat16, 4).Rename("half"), numbered(t, Float32).Rename("scalar"), numbered(t, Float32, 0).Rename("none"),
		do(t)(numbered(t, Float32, 1000, 700).Transpose()).Rename("größe"))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteNPZ(t.Context(), filepath.Join(folder, "w.npz"), s); err != nil {
		t.Fatal(err)
	}
	if err := WriteSafetensors(t.Context(), filepath.Join(folder, "w.safetensors"), s, map[string]string{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	const script = `
import numpy as np, safetensors
z = np.load("w.npz")
for k in z.files: print(k, z[k].dtype, z[k].shape, z[k].reshape(-1)[:3].tolist())
print(z["größe"][3, 7])
with safetensors.safe_open("w.safetensors", "pt") as f:
    for k in sorted(f.keys()): print(k, f.get_tensor(k).dtype, list(f.get_tensor(k).shape))
    print(f.metadata(), f.get_tensor("größe")[3, 7].item())
`
	result, err := peer.Run(t.Context(), folder, filepath.Join(root, "venv", "bin", "python"), "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	const want = `codes uint8 (5,) [0, 1, 2]
größe float32 (700, 1000) [0.0, 700.0, 1400.0]
half uint16 (4,) [0, 16256, 16384]
none float32 (0,) []
scalar float32 () [0.0]
x float32 (2, 3) [0.0, 1.0, 2.0]
4903.0
codes torch.uint8 [5]
größe torch.float32 [700, 1000]
half torch.bfloat16 [4]
none torch.float32 [0]
scalar torch.float32 []
x torch.float32 [2, 3]
{'a': 'b'} 4903.0
`
	if got := string(result.Stdout); got != want {
		t.Errorf("Python prints\n%s\nwant\n%s", got, want)
	}
}
