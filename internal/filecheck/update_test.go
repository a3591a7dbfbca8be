// Tests of Update: what it writes, what it keeps, and that a second run changes nothing.

package filecheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const layerOutput = `module @layer attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4xf32> loc("x%y"), %arg1: tensor<4xf32>) -> tensor<1x4xf32> {
    %0 = "top.None"() : () -> none
    %1:2 = "top.Split"(%arg0, %0) {shape = [[1, 2], [3]]} : (tensor<1x4xf32>, none) -> (tensor<1x2xf32>, none)

    return %1#1 : tensor<1x4xf32>
  }
  func.func private @other(%arg0: f32) {
    return
  }
}
`

const layerChecks = `// CHECK-LABEL: module @layer attributes {module.chip = "bm1684x"} {
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4xf32> loc("x%y"), %[[ARG1:.*]]: tensor<4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT: %[[V0:.*]] = "top.None"() : () -> none
// CHECK-NEXT: %[[V1:.*]]:2 = "top.Split"(%[[ARG0]], %[[V0]]) {shape = {{\[\[}}1, 2], [3]]} : (tensor<1x4xf32>, none) -> (tensor<1x2xf32>, none)
// CHECK-EMPTY:
// CHECK-NEXT: return %[[V1]]#1 : tensor<1x4xf32>
// CHECK-NEXT: }
`

const otherChecks = `// CHECK-LABEL: func.func private @other(
// CHECK-SAME: %[[ARG0:.*]]: f32) {
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
`

func TestUpdate(t *testing.T) {
	tests := []struct {
		name, old, output, want string
		options                 Options
	}{
		{
			name: "directives are replaced where they stand and other lines stay",
			old: "// RUN: top-opt %s\n// What the test is about.\n// CHECK-LABEL: func.func @main(\n// CHECK: old\n" +
				"// CHECK-NOT: older\nfunc.func @main() {\n}\n// OTHER: kept\n// COM: CHECK: kept\n",
			output: layerOutput,
			want: "// RUN: top-opt %s\n// What the test is about.\n" + layerChecks + otherChecks +
				"func.func @main() {\n}\n// OTHER: kept\n// COM: CHECK: kept\n",
		},
		{
			name:   "without directives they go before the function",
			old:    "// Comment.\nfunc.func @main() {\n}\n\nfunc.func private @other() {\n}\n",
			output: layerOutput,
			want:   "// Comment.\n" + layerChecks + "func.func @main() {\n}\n\n" + otherChecks + "func.func private @other() {\n}\n",
		},
		{
			name:   "labels keep their places and leaders",
			old:    "a\n  # CHECK-LABEL: func.func @f\nb\n # CHECK-LABEL: func.func @g\nc",
			output: "func.func @f() {\nfunc.func @g() {\n",
			want:   "a\n  # CHECK-LABEL: func.func @f() {\nb\n # CHECK-LABEL: func.func @g() {\nc\n",
		},
		{
			name:   "a directive behind code leaves the code",
			old:    "%0 = op // CHECK: old\nlast\n",
			output: "plain [[text]] {{x}} {[[\n  \nend\n",
			want: "%0 = op\n// CHECK: plain {{\\[\\[}}text]] {{\\{\\{}}x}} {{\\{\\[\\[}}\n" +
				"// CHECK-NEXT: {{^[[:blank:]]+$}}\n// CHECK-NEXT: end\nlast\n",
		},
		{
			name:    "the first prefix is written, all are replaced",
			old:     "; A: x\n; B-NEXT: y\n; CHECK: kept\n",
			output:  "%a-b = f(%a_b)\n",
			want:    "; A: %[[A_B:.*]] = f(%[[A_B_2:.*]])\n; CHECK: kept\n",
			options: Options{CheckPrefixes: []string{"A", "B"}, AllowUnusedPrefixes: true},
		},
		{
			name:    "full lines",
			old:     "; CHECK: x\n",
			output:  "func.func @f(%x: i1) {\n  %y = g(%x)\n",
			want:    "; CHECK: func.func @f(%[[X:.*]]: i1) {\n; CHECK-NEXT: %[[Y:.*]] = g(%[[X]])\n",
			options: Options{MatchFullLines: true},
		},
		{
			name:    "full lines, exact white space",
			old:     "; CHECK: x\n",
			output:  "a  b\n  c \n",
			want:    "; CHECK:a  b\n; CHECK-NEXT:  c \n",
			options: Options{MatchFullLines: true, StrictWhitespace: true},
		},
		{
			name:   "a name twice on the line that brings it",
			old:    "; CHECK: x\n",
			output: "for %i = %a to %b { %i }\nuse %i\n",
			want: "; CHECK: for %[[I:[[:alnum:]_$.-]+]] = %[[A:[[:alnum:]_$.-]+]] to %[[B:[[:alnum:]_$.-]+]] { %[[I]] }\n" +
				"; CHECK-NEXT: use %[[I]]\n",
		},
		{
			name:   "new directives are comments like the RUN line",
			old:    "# RUN: tool %s\nhello # CHECK: old\n",
			output: "a\n",
			want:   "# RUN: tool %s\nhello\n# CHECK: a\n",
		},
		{
			name:   "in a file without directives, too",
			old:    "; RUN: first\n# RUN: second\nhello\n",
			output: "a\n",
			want:   "; RUN: first\n# RUN: second\nhello\n; CHECK: a\n",
		},
		{
			name:   "a RUN line in a block comment is no example",
			old:    "/* RUN: tool %s */\n",
			output: "a\n",
			want:   "/* RUN: tool %s */\n// CHECK: a\n",
		},
		{
			name:   "blanks alone in the first line",
			old:    "; CHECK: x\n",
			output: "  \na\n",
			want:   "; CHECK: {{^[[:blank:]]+$}}\n; CHECK-NEXT: a\n",
		},
		{
			name:   "DOS line ends",
			old:    "// about\r\n// CHECK: x\r\n",
			output: "a\r\nb\r\n",
			want:   "// about\r\n// CHECK: a\r\n// CHECK-NEXT: b\r\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Update("test", []byte(test.old), []byte(test.output), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("first run (-want +got):\n%s", diff)
			}
			again, err := Update("test", got, []byte(test.output), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("second run (-first +second):\n%s", diff)
			}
		})
	}
}

func TestUpdateErrors(t *testing.T) {
	for output, want := range map[string]string{
		"":                                    "the output is empty",
		"func.func @f(\nfunc.func @f(%x) {\n": "the new directives do not match",
	} {
		if _, err := Update("test", []byte("// CHECK: x\n"), []byte(output), Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Update from %q: error %v, want %q", output, err, want)
		}
	}
}

func TestUpdateCommand(t *testing.T) {
	name := filepath.Join(t.TempDir(), "test.mlir")
	if err := os.WriteFile(name, []byte("// CHECK: old\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var stdout, stderr strings.Builder
		if status := Main(t.Context(), []string{"--update", name}, strings.NewReader("new %0\n"), &stdout, &stderr); status != 0 {
			t.Fatalf("status %d: %s", status, &stderr)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("// CHECK: new %[[V0:.*]]\n", string(got)); diff != "" {
			t.Error(diff)
		}
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v; want 0640", info.Mode(), err)
	}
}
