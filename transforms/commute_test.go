package transforms_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/internal/goldencase"
	"tpuir/internal/registry"
	"tpuir/internal/shareddata"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
	"tpuir/transforms/lowering"
	"tpuir/transforms/split"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

// setting is a model with options of both passes.
type setting struct {
	name, model string
	imports     importer.Options
	split       split.Pass
	lower       lowering.Lower
}

// TestCommute lowers and splits in both orders and compares texts and weights. Neither order calls the other: lowering before
// the split sees `?` where lengths and batch will stand.
func TestCommute(t *testing.T) {
	for _, s := range append(goldenSettings(t), modelSettings(t)...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			nets := s.compare(t)
			t.Logf("%d nets", nets)
		})
	}
}

// goldenSettings are the option sets of the golden cases, each in its own mode.
func goldenSettings(t *testing.T) []setting {
	t.Helper()
	cases, err := goldencase.List(shareddata.Golden(t))
	if err != nil {
		t.Fatal(err)
	}
	var all []setting
	for _, c := range cases {
		all = append(all, setting{"golden/" + c.Name, c.Model, c.Import, c.Split,
			lowering.Lower{Chip: c.Chip, Mode: strings.ToUpper(c.Quantize), GroupSize: c.GroupSize, Symmetric: c.Symmetric,
				HighPrecision: true, Cores: c.Cores}})
	}
	return all
}

// modelSettings are the test models in several modes and with several stages.
func modelSettings(t *testing.T) []setting {
	t.Helper()
	configs, err := filepath.Glob(filepath.Join(shareddata.Models(t), "*", "config.json"))
	if err != nil || len(configs) == 0 {
		t.Fatalf("no models: %v", err)
	}
	base := split.Definition().New().(*split.Pass)
	var all []setting
	for i, config := range configs {
		model := filepath.Dir(config)
		checkpoint, err := hf.Open(model)
		if err != nil {
			t.Logf("%s is left out: %v", filepath.Base(model), err)
			continue
		}
		checkpoint.Close()
		modes := []string{"W4BF16", "F32", "W8F16", "BF16"}
		for j := range 2 {
			s := setting{model: model, split: *base, lower: lowering.Lower{Chip: []string{"bm1684x", "bm1688"}[j], Mode: modes[(i+j)%len(modes)],
				GroupSize: []int64{64, 0}[(i/4)%2], HighPrecision: j == 0}}
			s.imports.DoSample = j == 1
			s.split.SequenceLength, s.split.Dynamic, s.split.Batch = 64, j == 1, int64(1+i%2)
			s.split.Chip = s.lower.Chip
			s.split.MaxInputLength, s.split.ChunkLength = 16, 16
			s.name = fmt.Sprintf("models/%s/%s-%s", filepath.Base(model), s.lower.Mode, s.lower.Chip)
			all = append(all, s)
		}
	}
	return all
}

// compare does both orders and returns the number of nets.
func (s setting) compare(t *testing.T) int {
	t.Helper()
	splitFirst, lowerFirst := s.run(t, true), s.run(t, false)
	a, b := splitFirst.text, lowerFirst.text
	if a != b {
		diff := cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n"))
		t.Fatalf("the orders differ (-split first +lowered first):\n%.4000s", diff)
	}
	compareFiles(t, splitFirst.weights, lowerFirst.weights)
	return strings.Count(a, "\n  module @")
}

type result struct{ text, weights string }

func (s setting) run(t *testing.T, splitFirst bool) result {
	t.Helper()
	ctx := context.Background()
	checkpoint, err := hf.Open(s.model)
	if err != nil {
		t.Fatal(err)
	}
	defer checkpoint.Close()
	imports := s.imports
	imports.WeightFile = s.model
	module, err := checkpoint.Model.Build(registry.NewContext(), imports)
	if err != nil {
		t.Fatal(err)
	}
	splitPass, lower := s.split, s.lower
	pipeline := pass.NewPipeline("builtin.module")
	if splitFirst {
		pipeline.Add(split.Definition(), &splitPass)
		pipeline.Add(lowering.LowerDefinition(), &lower)
	} else {
		pipeline.Add(lowering.LowerDefinition(), &lower)
		pipeline.Add(split.Definition(), &splitPass)
	}
	session := pass.NewSession()
	defer session.Close()
	folder := t.TempDir()
	weightfile.Configure(session, weightfile.Files{Output: filepath.Join(folder, "model.mlir")})
	manager := pass.Manager{Pipeline: pipeline, Verify: true, Session: session}
	if err := manager.Run(ctx, module); err != nil {
		t.Fatal(err)
	}
	staged, err := weightfile.Of(session).Stage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "model_weights.npz")); err != nil {
		t.Error(err)
	}
	return result{textOf(module), filepath.Join(folder, "model_weights.npz")}
}

func textOf(module *ir.Operation) string {
	return string(printer.Append(nil, module, printer.Options{DebugInfo: true}))
}

// compareFiles compares two weight files to the bit.
func compareFiles(t *testing.T, a, b string) {
	t.Helper()
	ctx := context.Background()
	first, err := weight.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := weight.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if diff := cmp.Diff(first.Names(), second.Names()); diff != "" {
		t.Errorf("names of weights differ:\n%s", diff)
		return
	}
	for _, name := range first.Names() {
		x, _ := first.Lookup(name)
		y, _ := second.Lookup(name)
		p, errX := x.Bytes(ctx)
		q, errY := y.Bytes(ctx)
		if errX != nil || errY != nil || x.DType() != y.DType() || !slices.Equal(p, q) {
			t.Errorf("%s differs: %v and %v", name, x, y)
		}
	}
}
