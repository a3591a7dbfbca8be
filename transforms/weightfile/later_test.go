package weightfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/pass"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

const model = `module @net attributes {module.weight_file = "old.npz"} {
  func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = "top.Weight"() : () -> tensor<2xf32> loc("a")
    %1 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}`

// open parses the model in a folder that holds old.npz, with a of 1, 2 and b of 3, 4.
func open(t *testing.T) (folder string, module *ir.Operation, weights *weightfile.Session) {
	t.Helper()
	folder = t.TempDir()
	out, err := weight.CreateNPZ(filepath.Join(folder, "old.npz"))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][]float32{"a": {1, 2}, "b": {3, 4}} {
		tensor, err := weight.FromFloat32s(name, []int64{2}, values)
		if err == nil {
			err = out.Add(t.Context(), tensor)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	c := ir.NewContext()
	builtin.Register(c)
	funcdialect.Register(c)
	top.Register(c)
	module, diagnostics := parser.Parse(t.Context(), c, (&ir.Sources{}).Add("model.mlir", []byte(model)), parser.Options{})
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics[0])
	}
	session := pass.NewSession()
	t.Cleanup(func() { session.Close() })
	weightfile.Configure(session, weightfile.Files{Input: filepath.Join(folder, "model.mlir"), Output: filepath.Join(folder, "out.mlir")})
	return folder, module, weightfile.Of(session)
}

func weightOp(module *ir.Operation, name string) *ir.Operation {
	var found *ir.Operation
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		if _, ok := top.AsWeight(op); ok && ir.LocationName(op.Loc()) == name {
			found = op
		}
		return ir.Advance
	})
	return found
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestMove names another file, reads through it before it is there, and lets it appear.
func TestMove(t *testing.T) {
	folder, module, weights := open(t)
	weights.Define("b", weightfile.Recipe{Make: func(_ context.Context, shape []int64) (weight.Tensor, error) {
		return weight.FromFloat32s("b", shape, []float32{5, 6})
	}})
	weights.Move(module, "new.npz")
	for name, want := range map[string][]float32{"a": {1, 2}, "b": {5, 6}} {
		tensor, err := weights.Tensor(t.Context(), weightOp(module, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tensor.Float32s(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	staged, err := weights.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "new.npz")); err == nil {
		t.Error("the file is there before it is committed")
	}
	if err := staged.Commit(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new.npz", "old.npz"}, names(t, folder)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	store, err := weight.Open(filepath.Join(folder, "new.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if diff := cmp.Diff([]string{"a", "b"}, store.Names()); diff != "" {
		t.Errorf("tensors (-want +got):\n%s", diff)
	}
}

// TestStageFails leaves nothing behind where a weight can't be made, or the run ends before the commit.
func TestStageFails(t *testing.T) {
	folder, module, weights := open(t)
	weights.Move(module, "new.npz")
	staged, err := weights.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	staged.Abort()
	broken := errors.New("broken")
	weights.Define("b", weightfile.Recipe{Make: func(context.Context, []int64) (weight.Tensor, error) { return weight.Tensor{}, broken }})
	weights.Move(module, "new.npz")
	if _, err = weights.Stage(t.Context()); !errors.Is(err, broken) {
		t.Errorf("error %v; expected %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	weights.Move(module, "new.npz")
	if _, err = weights.Stage(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; expected the end of the context", err)
	}
	if diff := cmp.Diff([]string{"old.npz"}, names(t, folder)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestMissing names file, tensor and place.
func TestMissing(t *testing.T) {
	_, module, weights := open(t)
	op := weightOp(module, "a")
	op.SetLoc(op.Context().NameLoc("c", nil))
	if _, err := weights.Tensor(t.Context(), op); err == nil || !strings.Contains(err.Error(), "failed to find tensor c to read") {
		t.Errorf("error %v", err)
	}
	module.SetAttr(moduledialect.WeightFile, op.Context().StringAttr("nowhere.npz"))
	if err := weights.Open(module); err == nil || !strings.Contains(err.Error(), "weight file 'nowhere.npz' doesn't exist") {
		t.Errorf("error %v", err)
	}
}

// TestRecent computes once for those who ask one after the other, and again for the next.
func TestRecent(t *testing.T) {
	_, _, weights := open(t)
	computed := 0
	get := func(key string) int {
		v, err := weightfile.Recent(weights, key, func() (int, error) { computed++; return len(key), nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if got := []int{get("a"), get("a"), get("bb"), get("bb"), get("a")}; !cmp.Equal(got, []int{1, 1, 2, 2, 1}) || computed != 3 {
		t.Errorf("values %v of %d computations; expected 1 1 2 2 1 of 3", got, computed)
	}
}
