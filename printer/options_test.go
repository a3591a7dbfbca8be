package printer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/printer"
)

// TestOptions prints one file with every option and compares with what mlir-opt 22 printed with the flag.
func TestOptions(t *testing.T) {
	limit := func(n int64) *int64 { return &n }
	cases := map[string]printer.Options{
		"plain":     {},
		"debuginfo": {DebugInfo: true},
		"pretty":    {DebugInfo: true, PrettyDebugInfo: true},
		"generic":   {Generic: true},
		"local":     {LocalScope: true, DebugInfo: true},
		"unique":    {UniqueSSAIDs: true},
		"users":     {ValueUsers: true},
		"skip":      {SkipRegions: true},
		"names":     {NameLocAsPrefix: true},
		"elide":     {ElideElementsLargerThan: limit(2)},
		"hex":       {HexElementsLargerThan: limit(2)},
		"resources": {ElideResourcesLargerThan: limit(20)},
	}
	dir := filepath.Join("testdata", "options")
	text, err := os.ReadFile(filepath.Join(dir, "input.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range cases {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(dir, name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			got := printer.Append(nil, parse(t, "input.mlir", text), options)
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
