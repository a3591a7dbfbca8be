//go:build peer

package lowering_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/peer"
	"tpuir/internal/shareddata"
	"tpuir/interp"
	"tpuir/transforms/weightfile"
)

// leastCosine is how near the simulator's outputs have to be to our evaluator's.
const leastCosine = 0.9999

// TestPeerCompiles lowers nets with top-opt in place of tpuc-opt, has the peer do the rest of the way to a bmodel, runs that on
// the simulator and compares with our evaluator on our lowered net.
func TestPeerCompiles(t *testing.T) {
	wheel := peer.RequirePython(t)
	golden, references := shareddata.Golden(t), peer.References(t)
	for _, folder := range []string{
		filepath.Join(golden, "nano-qwen2-w4bf16", "block_0"),
		filepath.Join(golden, "nano-llama-f16", "block_cache_0"),
		filepath.Join(golden, "nano-qwen3-w8bf16-sample", "block_0"),
		// 6 heads of 48, 3 of keys and values, 301 tokens, 3 layers, length 80. Decode nets with a split value projection are
		// left out: the peer gives both parts one address (see the golden README).
		filepath.Join(references, "headdim48-qwen3-w4bf16", "block_0"),
		filepath.Join(references, "headdim48-llama-biases-w4bf16", "block_2"),
		filepath.Join(references, "headdim48-qwen2-w4bf16", "block_cache_0"),
		filepath.Join(references, "headdim48-qwen3-w4f16", "lm_head"),
	} {
		t.Run(filepath.Join(filepath.Base(filepath.Dir(folder)), filepath.Base(folder)), func(t *testing.T) {
			if !exists(filepath.Join(folder, "num_input.npz")) {
				if strings.HasPrefix(folder, golden) {
					t.Skip("the golden files here are a part of the corpus, without this net's inputs")
				}
				t.Fatalf("no inputs in %s", folder)
			}
			lowered := compile(t, wheel, folder)
			compareNumbers(t, wheel, folder, lowered)
		})
	}
}

// compile goes a net's whole way in a folder of its own, the first command with our tool, and returns the lowered file. The
// bmodel lies beside it.
func compile(t *testing.T, wheel peer.Wheel, folder string) string {
	t.Helper()
	work := filepath.Join(t.TempDir(), filepath.Base(folder))
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "commands.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lowered := ""
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		words := splitWords(line)
		if words[0] != "tpuc-opt" {
			continue
		}
		if i > 0 {
			if out, err := wheel.TPUCOpt(t.Context(), work, words[1:]...); err != nil {
				t.Fatalf("%v\n%s", err, out.Stderr)
			}
			continue
		}
		lowered = filepath.Join(work, words[len(words)-1])
		words[1], words[len(words)-1] = filepath.Join(folder, "top.mlir"), lowered
		var stderr strings.Builder
		if status := topopt.Main(t.Context(), words[1:], strings.NewReader(""), &stderr, &stderr); status != 0 {
			t.Fatalf("top-opt: status %d\n%s", status, stderr.String())
		}
	}
	return lowered
}

// splitWords splits a command line as a shell does, as far as these lines need it.
func splitWords(line string) []string {
	var words []string
	word, quoted, begun := "", false, false
	for _, c := range line {
		switch {
		case c == '"':
			quoted, begun = !quoted, true
		case c == ' ' && !quoted:
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(c), true
		}
	}
	if begun {
		words = append(words, word)
	}
	return words
}

// compareNumbers evaluates the lowered net, runs the bmodel on the simulator, and compares the outputs.
func compareNumbers(t *testing.T, wheel peer.Wheel, folder, lowered string) {
	t.Helper()
	ctx := context.Background()
	inputFile, simulated := filepath.Join(folder, "num_input.npz"), filepath.Join(filepath.Dir(lowered), "simulated.npz")
	bmodel := filepath.Base(folder) + ".bmodel"
	if out, err := wheel.RunModel(ctx, filepath.Dir(lowered), bmodel, inputFile, simulated, false); err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	module, _, session := run(t, lowered, "", nil)
	program, err := interp.Compile(ctx, module, weightfile.Of(session).Weights(ctx, module), interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	given := readTensors(t, inputFile)
	var inputs []*interp.Tensor
	for _, port := range program.Inputs() {
		if given[port.Name] == nil {
			t.Fatalf("no input %q", port.Name)
		}
		inputs = append(inputs, given[port.Name])
	}
	outputs, err := program.Run(ctx, inputs)
	if err != nil {
		t.Fatal(err)
	}
	want := readTensors(t, simulated)
	for i, port := range program.Outputs() {
		reference := want[strings.TrimSuffix(port.Name, "_f32")]
		if reference == nil {
			reference = want[port.Name]
		}
		if reference == nil || reference.Len() != outputs[i].Len() {
			t.Errorf("the simulator gives no %s of %d elements", port.Name, outputs[i].Len())
			continue
		}
		got := cosine(outputs[i], reference)
		t.Logf("%s: cosine %.6f", port.Name, got)
		if !(got >= leastCosine) {
			t.Errorf("%s: cosine %.6f; expected %v", port.Name, got, leastCosine)
		}
	}
}
