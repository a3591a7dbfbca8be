// The verifiers on real files: every golden file is accepted, and what a mutant of one changes is either refused or one of
// the changes that are legal for a reason that is written here.

package shape_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/module"
	"tpuir/dialect/quant"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/internal/shareddata"
	"tpuir/ir"
	"tpuir/parser"
)

func goldenContext() *ir.Context {
	c := ir.NewContext()
	builtin.Register(c)
	funcdialect.Register(c)
	module.Register(c)
	quant.Register(c)
	top.Register(c)
	tpu.Register(c)
	return c
}

func goldenFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	root := shareddata.Golden(t)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".mlir" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files under %s (%v)", root, err)
	}
	return files
}

// read parses and verifies a text and returns the first error, nil for none.
func read(c *ir.Context, name string, text []byte) (*ir.Operation, error) {
	ctx := context.Background()
	var sources ir.Sources
	module, found := parser.Parse(ctx, c, sources.Add(name, text), parser.Options{})
	if len(found) == 0 {
		found = ir.VerifySerially(ctx, module)
	}
	if len(found) > 0 {
		return nil, found[0]
	}
	return module, nil
}

func TestGoldenFilesAreAccepted(t *testing.T) {
	files := goldenFiles(t)
	if testing.Short() {
		files = files[:20]
	}
	refused := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(goldenContext(), path, bytes.TrimSpace(text)); err != nil && refused < 10 {
			refused++
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Logf("%d files", len(files))
}
