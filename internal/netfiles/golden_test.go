package netfiles_test

import (
	"bytes"
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
	"tpuir/transforms/split"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

// TestGoldenSplit imports and splits the model of every golden case and compares each net that the case keeps, and its
// weights, with TPU-MLIR's.
func TestGoldenSplit(t *testing.T) {
	cases, err := goldencase.List(shareddata.Golden(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			writeNets(t, c, out)
			compareNets(t, c.Folder, out)
		})
	}
}

func writeNets(t *testing.T, c *goldencase.Case, out string) {
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
	manager := pass.Manager{Pipeline: pipeline, Verify: true, Session: session}
	if err := manager.Run(ctx, module); err != nil {
		t.Fatal(err)
	}
	if err := netfiles.Write(ctx, weightfile.Of(session), module, out, nil); err != nil {
		t.Fatal(err)
	}
}

func compareNets(t *testing.T, golden, out string) {
	t.Helper()
	nets, err := filepath.Glob(filepath.Join(golden, "*", "top.mlir"))
	if err != nil || len(nets) == 0 {
		t.Fatalf("no nets: %v", err)
	}
	for _, want := range nets {
		net := filepath.Base(filepath.Dir(want))
		wantText, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		gotText, err := os.ReadFile(filepath.Join(out, net, net+".mlir"))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(strings.Split(string(wantText), "\n"), strings.Split(string(gotText), "\n")); diff != "" {
			t.Errorf("%s differs (-golden +ours):\n%s", net, diff)
		}
	}
	files, err := filepath.Glob(filepath.Join(golden, "*_top_weights.npz"))
	if err != nil {
		t.Fatal(err)
	}
	tensors := 0
	for _, want := range files {
		tensors += compareWeights(t, want, filepath.Join(out, filepath.Base(want)))
	}
	t.Logf("%d nets, %d tensors", len(nets), tensors)
}

// compareWeights compares the tensors of two files, and returns how many there are.
func compareWeights(t *testing.T, wantFile, gotFile string) int {
	t.Helper()
	want, err := weight.Open(wantFile)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	got, err := weight.Open(gotFile)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer got.Close()
	if diff := cmp.Diff(want.Names(), got.Names()); diff != "" {
		t.Errorf("%s: names differ (-golden +ours):\n%s", filepath.Base(gotFile), diff)
	}
	for _, name := range want.Names() {
		a, _ := want.Lookup(name)
		b, ok := got.Lookup(name)
		if !ok {
			continue
		}
		wantBytes, err := a.Bytes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gotBytes, err := b.Bytes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a.DType() != b.DType() || !bytes.Equal(wantBytes, gotBytes) {
			t.Errorf("%s: %s differs: golden %v, ours %v", filepath.Base(gotFile), name, a, b)
		}
	}
	return len(want.Names())
}
