//go:build peer

package bytecode_test

// This file compares with mlir-opt: what it writes is read here, what is written here is read there.

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/bytecode"
	"tpuir/internal/peer"
	"tpuir/internal/shareddata"
	"tpuir/ir"
)

// run runs mlir-opt on a file and returns what it printed.
func run(t *testing.T, tool, path string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(context.Background(), tool, append([]string{"--allow-unregistered-dialect", path}, args...)...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(tool), path, err, stderr.String())
	}
	return string(out), nil
}

func save(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// compare checks both directions for a text in all given versions.
func compare(t *testing.T, tool string, content []byte, versions ...int) {
	t.Helper()
	op := parse(t, "in.mlir", content)
	for _, version := range versions {
		same := op
		if version < 5 {
			same = parse(t, "in.mlir", mlirVersion4(op))
		}
		// Ours, read by mlir-opt, prints as our text does.
		want, err := run(t, tool, save(t, "in.mlir", []byte(text(same))), "--mlir-print-debuginfo")
		if err != nil {
			t.Skipf("text is refused: %v", err)
		}
		got, err := run(t, tool, save(t, "in.mlirbc", encode(t, op, version)), "--mlir-print-debuginfo")
		if err != nil {
			t.Errorf("version %d: %v", version, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("version %d, ours read by mlir-opt (-text +bytecode):\n%s", version, diff)
		}
		compareTheirs(t, tool, op, version)
	}
}

// compareTheirs checks that bytecode of mlir-opt's is read as it reads it.
func compareTheirs(t *testing.T, tool string, op *ir.Operation, version int) {
	t.Helper()
	theirs, err := run(t, tool, save(t, "in.mlir", []byte(text(op))), "--emit-bytecode", fmt.Sprintf("--emit-bytecode-version=%d", version))
	if err != nil {
		t.Skipf("text is refused: %v", err)
	}
	shown, err := run(t, tool, save(t, "theirs.mlirbc", []byte(theirs)), "--mlir-print-debuginfo")
	if err != nil {
		t.Logf("version %d: mlir-opt does not read its own: %v", version, err)
		return
	}
	if diff := cmp.Diff(text(parse(t, "theirs", []byte(shown))), text(decode(t, "theirs", []byte(theirs)))); diff != "" {
		t.Errorf("version %d, theirs read here (-text +bytecode):\n%s", version, diff)
	}
}

// everything asks for all versions of all cases: some three thousand processes of a tenth of a second each.
var everything = os.Getenv("TPUIR_EVERYTHING") != ""

func TestPeerCases(t *testing.T) {
	tool := peer.RequireTool(t, "mlir-opt-22")
	names, texts := validCases(t)
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			older := i % bytecode.CurrentVersion
			if name == "op-properties" {
				older = 5 // before it has no place for properties that are no dictionary
			}
			versions := []int{bytecode.CurrentVersion}
			if everything || i%3 == 0 {
				versions = append(versions, older)
			}
			compare(t, tool, texts[name], versions...)
		})
	}
}

// olderDiffers are the cases that LLVM 19 and 22 themselves do not exchange.
var olderDiffers = map[string]string{
	"op-properties":          "properties that are no dictionary have no place in version 4",
	"attr-dense-wide-floats": "19 stores an element of dense tf32 in 4 bytes, 22 in 3",
	"loc-line-only":          "19 does not know ranges of files",
	"loc-range":              "19 does not know ranges of files",
}

// TestPeerOlder compares with LLVM 19, whose registered operations have other lists of properties than those of 22: it
// reads what is written in version 4, and what it writes is read in any.
func TestPeerOlder(t *testing.T) {
	tool := peer.RequireTool(t, "mlir-opt-19")
	names, texts := validCases(t)
	for i, name := range names {
		if !everything && i%4 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if reason := olderDiffers[name]; reason != "" {
				t.Skip(reason)
			}
			compare(t, tool, texts[name], 4)
			compareTheirs(t, tool, parse(t, "in.mlir", texts[name]), bytecode.CurrentVersion)
		})
	}
}

// TestPeerOperationsOfMLIR writes operations that mlir-opt has a definition of and we have not.
func TestPeerOperationsOfMLIR(t *testing.T) {
	tool := peer.RequireTool(t, "mlir-opt-22")
	content := []byte(`"func.func"() <{function_type = (index, i1) -> (), sym_name = "f"}> ({
^bb0(%arg0: index, %arg1: i1):
  %0 = "arith.constant"() <{value = 1 : index}> {note} : () -> index
  %1 = "arith.addi"(%0, %arg0) <{overflowFlags = #arith.overflow<nsw>}> : (index, index) -> index
  %2 = "memref.alloca"(%1, %1) <{alignment = 64 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> memref<?x?xf32>
  "scf.if"(%arg1) ({
    "scf.yield"() : () -> ()
  }, {
  }) : (i1) -> ()
  "func.return"() : () -> ()
}) : () -> ()
`)
	want, err := run(t, tool, save(t, "in.mlir", content), "--mlir-print-op-generic")
	if err != nil {
		t.Fatal(err)
	}
	op := parse(t, "in.mlir", content)
	for version := bytecode.MinVersion; version <= bytecode.CurrentVersion; version++ {
		got, err := run(t, tool, save(t, "in.mlirbc", encode(t, op, version)), "--mlir-print-op-generic")
		if err != nil {
			t.Errorf("version %d: %v", version, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("version %d (-text +bytecode):\n%s", version, diff)
		}
	}
}

func TestPeerGolden(t *testing.T) {
	tool := peer.RequireTool(t, "mlir-opt-22")
	root := shareddata.Golden(t)
	count := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".mlir") {
			return err
		}
		if count++; count%32 != 0 && !(everything && count%8 == 0) { // they are alike, and four processes each
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.Run(strings.TrimPrefix(path, root), func(t *testing.T) {
			t.Parallel()
			compare(t, tool, content, bytecode.CurrentVersion)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
