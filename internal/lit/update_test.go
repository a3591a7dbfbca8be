// Tests that -update and -update-checks rewrite what differs in a script, and nothing else.

package lit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRewrite(t *testing.T) {
	script := func(golden, check string) string {
		return "exec echo new\ncmp stdout golden\nfilecheck checks\nfilecheck good\n" +
			"-- golden --\n" + golden + "\n-- checks --\n// About.\n// CHECK: " + check + "\n-- good --\n// CHECK: {{n.w}}\n"
	}
	tests := []struct {
		name, before, after string
		options             Options
	}{
		{"golden", script("old", "new"), script("new", "new"), Options{Update: true}},
		{"checks", script("new", "old"), script("new", "new"), Options{UpdateChecks: true}},
		{"both", script("old", "old"), script("new", "new"), Options{Update: true, UpdateChecks: true}},
		{"neither", script("new", "{{n..}}"), script("new", "{{n..}}"), Options{Update: true, UpdateChecks: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "subject", "script.txtar")
			if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(test.before), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Run("run", func(t *testing.T) { Run(t, root, &test.options) })
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(got)); diff != "" {
				t.Errorf("script (-want +got):\n%s", diff)
			}
		})
	}
}
