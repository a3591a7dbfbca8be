// What is generated must be what stands in the checkout, and must be the same each time.

package odsgen

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/race"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	if race.Enabled {
		t.Skip("formatting takes long under the race detector, and is one goroutine")
	}
	for _, dialect := range []string{"top", "tpu"} {
		file := readDefinitions(t, dialect)
		files, err := Generate(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join("..", "..", "dialect", dialect)
		for name, want := range files {
			compare(t, filepath.Join(folder, name), want)
		}
		compare(t, filepath.Join("..", "..", "docs", "dialects", dialect+".md"), Document(file))
		compare(t, filepath.Join("..", "..", "docs", "dialects", dialect+"_checks.md"), DocumentChecks(file))
		present, err := filepath.Glob(filepath.Join(folder, "*_gen.go"))
		if err != nil || len(present) != len(files) {
			t.Errorf("%s holds %d generated files, want %d (error %v)", folder, len(present), len(files), err)
		}
	}
}

func compare(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the definitions give; run go generate ./dialect/...", path)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"right_transpose": {"RightTranspose", "rightTranspose"},
		"K":               {"K", "k"},
		"kT":              {"KT", "kt"},
		"Y_h":             {"YH", "yh"},
		"ROI_NUM_LEVELS":  {"RoiNumLevels", "roiNumLevels"},
		"deltaB_u":        {"DeltaBU", "deltaBU"},
		"type":            {"Type", "typeValue"},
		"_601_limited":    {"601Limited", "601Limited"},
		"FAttention":      {"FAttention", "fAttention"},
		"MatMul":          {"MatMul", "matMul"},
	} {
		if got := [2]string{goName(name), parameterName(name)}; got != want {
			t.Errorf("%s becomes %q, want %q", name, got, want)
		}
	}
}
