//go:build peer

package interp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/peer"
)

// TestReferences compares every named tensor with the peer's interpreter, on nets and modes beyond the golden corpus.
// bf16 nets of random weights lose up to 1e-4 of cosine on the way: attention's inner roundings are not the peer's.
func TestReferences(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(peer.References(t), "*", "*", "num_lowered.npz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no references: %v", err)
	}
	for _, file := range files {
		folder := filepath.Dir(file)
		if strings.HasSuffix(folder, "sample_head") { // the peer's interpreter writes beyond its memory there
			continue
		}
		t.Run(filepath.Base(filepath.Dir(folder))+"/"+filepath.Base(folder), func(t *testing.T) {
			p := compileFile(t, filepath.Join(folder, "lowered.mlir"), Options{Observable: true})
			want := readTensors(t, file)
			seen := 0
			_, err := p.Observe(t.Context(), namedInputs(t, p, readTensors(t, filepath.Join(folder, "num_input.npz"))),
				func(name string, value *Tensor) {
					reference := want[name]
					if reference == nil {
						t.Errorf("the peer has no %q", name)
						return
					}
					if a := agree(value, reference); !(a.cosine >= 0.9998) {
						t.Errorf("%s: %+v", name, a)
					}
					seen++
				})
			if err != nil || seen < len(want) {
				t.Errorf("%d of the peer's %d tensors seen, error %v", seen, len(want), err)
			}
		})
	}
}

// TestCompiledStages evaluates the states behind lowering, which the peer makes. Up to tpu_opt, numbers move a little:
// narrow quantized matrices become rounded plain ones. From there on the bits stay.
func TestCompiledStages(t *testing.T) {
	wheel := peer.Require(t)
	for _, net := range []string{"nano-qwen2-w4bf16/block_0", "nano-qwen2-w4bf16/block_cache_0", "odd-llama-w4bf16-g32/block_0"} {
		t.Run(net, func(t *testing.T) {
			name, folder := filepath.Base(net), t.TempDir()
			golden := filepath.Join(goldenNet(t, filepath.Dir(net), name))
			if err := os.CopyFS(folder, os.DirFS(golden)); err != nil {
				t.Fatal(err)
			}
			commands, err := os.ReadFile(filepath.Join(golden, "commands.txt"))
			if err != nil {
				t.Fatal(err)
			}
			lowered := name + "_bm1684x_w4bf16_tpu.mlir"
			if err := os.Rename(filepath.Join(folder, "lowered.mlir"), filepath.Join(folder, lowered)); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(string(commands), "\n")[1:3] {
				if result, err := wheel.TPUCOpt(t.Context(), folder, arguments(line)...); err != nil {
					t.Fatalf("%v\n%s", err, result.Stderr)
				}
			}
			inputs := readTensors(t, filepath.Join(golden, "num_input.npz"))
			var want []*Tensor
			for _, state := range []string{"tpu", "tpu_opt", "final"} {
				p := compileFile(t, filepath.Join(folder, strings.Replace(lowered, "_tpu.", "_"+state+".", 1)), Options{})
				got := mustRun(t, p, namedInputs(t, p, inputs)...)
				for i := range want {
					a := agree(got[i], want[i])
					if !(a.cosine >= 0.9999) || state == "final" && a.different > 0 {
						t.Errorf("%s: output %d: %+v", state, i, a)
					}
				}
				want = got
			}
		})
	}
}

// arguments splits a command line without its program; quotes hold an argument's value together.
func arguments(line string) []string {
	var list []string
	var current strings.Builder
	quoted := false
	for _, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			if current.Len() > 0 {
				list = append(list, current.String())
			}
			current.Reset()
		default:
			current.WriteRune(c)
		}
	}
	return append(list, current.String())[1:]
}
