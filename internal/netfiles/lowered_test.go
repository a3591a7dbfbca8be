package netfiles_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/importer/hf"
	"tpuir/internal/goldencase"
	"tpuir/internal/netfiles"
	"tpuir/internal/registry"
	"tpuir/internal/shareddata"
	"tpuir/pass"
	"tpuir/transforms/lowering"
	"tpuir/transforms/split"
	"tpuir/transforms/weightfile"
)

// TestGoldenLowered goes the way from the checkpoint of every golden case to its lowered nets as files, and compares each net
// that the case keeps, and its weights, with TPU-MLIR's.
func TestGoldenLowered(t *testing.T) {
	cases, err := goldencase.List(shareddata.Golden(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			writeLowered(t, c, out)
			compareLowered(t, c.Folder, out)
		})
	}
}

func writeLowered(t *testing.T, c *goldencase.Case, out string) {
	t.Helper()
	ctx := context.Background()
	checkpoint, err := hf.Open(c.Model)
	if err != nil {
		t.Fatal(err)
	}
	defer checkpoint.Close()
	options := c.Import
	options.WeightFile = c.Model
	module, err := checkpoint.Model.Build(registry.NewContext(), options)
	if err != nil {
		t.Fatal(err)
	}
	session := pass.NewSession()
	defer session.Close()
	pipeline := pass.NewPipeline("builtin.module")
	pipeline.Add(split.Definition(), &c.Split)
	pipeline.Add(lowering.LowerDefinition(), &lowering.Lower{Chip: c.Chip, Mode: strings.ToUpper(c.Quantize), GroupSize: c.GroupSize,
		Symmetric: c.Symmetric, HighPrecision: true, Cores: c.Cores})
	manager := pass.Manager{Pipeline: pipeline, Verify: true, Session: session}
	if err := manager.Run(ctx, module); err != nil {
		t.Fatal(err)
	}
	if err := netfiles.Write(ctx, weightfile.Of(session), module, out, nil); err != nil {
		t.Fatal(err)
	}
}

func compareLowered(t *testing.T, golden, out string) {
	t.Helper()
	nets, err := filepath.Glob(filepath.Join(golden, "*", "lowered.mlir"))
	if err != nil || len(nets) == 0 {
		t.Fatalf("no nets: %v", err)
	}
	tensors := 0
	for _, want := range nets {
		net := filepath.Base(filepath.Dir(want))
		files, err := filepath.Glob(filepath.Join(out, net, "*_tpu.mlir"))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: files %v, %v", net, files, err)
			continue
		}
		wantText, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		gotText, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		trim := func(text []byte) []string { return strings.Split(strings.TrimRight(string(text), "\n"), "\n") }
		if diff := cmp.Diff(trim(wantText), trim(gotText)); diff != "" {
			t.Errorf("%s differs (-golden +ours):\n%.4000s", net, diff)
		}
		weights, err := filepath.Glob(filepath.Join(golden, net, "*_tpu_weights.npz"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range weights {
			tensors += compareWeights(t, file, filepath.Join(out, net, filepath.Base(file)))
		}
	}
	t.Logf("%d nets, %d tensors", len(nets), tensors)
}
