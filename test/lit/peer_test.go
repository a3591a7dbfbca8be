//go:build peer

// Comparison of the scripts with the real tools: what text and driver expect of top-opt is what mlir-opt does.

package lit_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tpuir/internal/peer"
)

// ours are commands of scripts whose output differs from mlir-opt's on purpose: they use what it has not (passes of ours, our
// dialects, messages that say more).
var ours = []string{"shape-infer", "split-stages", "processor-", "--list-passes", "--version", "--help", "--show-dialects",
	"dump-pass-pipeline", "--mlir-timing"}

// TestScriptsAgainstMLIROpt runs each successful `exec top-opt …` line of text and driver whose input is free of our dialects
// with mlir-opt, too, and compares standard output and files.
func TestScriptsAgainstMLIROpt(t *testing.T) {
	newest := peer.RequireTool(t, "mlir-opt-22")
	for _, tool := range []string{"mlir-opt-19", "mlir-opt-22"} {
		path := peer.RequireTool(t, tool)
		compared := 0
		for _, folder := range []string{"text", "driver"} {
			scripts, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			for _, script := range scripts {
				t.Run(tool+"/"+script, func(t *testing.T) { compared += compareScript(t, path, newest, script) })
			}
		}
		if compared < 40 {
			t.Errorf("only %d commands of the scripts were compared with %s", compared, tool)
		}
		t.Logf("%s: %d commands compared", tool, compared)
	}
}

func compareScript(t *testing.T, tool, newest, script string) (compared int) {
	archive, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, file := range archive.Files {
		path := filepath.Join(folder, file.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(archive.Comment)) {
		arguments, ok := comparable(t, folder, strings.TrimSpace(line))
		if !ok {
			continue
		}
		want, wantStatus, messages := output(t, folder, tool, arguments)
		if wantStatus < 0 || strings.Contains(messages, "Unknown command line argument") {
			continue // it crashed, or does not have the flag
		}
		compared++
		got, gotStatus, _ := output(t, folder, "top-opt", arguments)
		if got != want || gotStatus != wantStatus { // where the versions differ, the newest is the judge
			want, wantStatus, _ = output(t, folder, newest, arguments)
		}
		if diff := cmp.Diff(want, got); diff != "" || gotStatus != wantStatus {
			t.Errorf("top-opt %s: status %d, want %d; output (-mlir-opt +ours):\n%s", strings.Join(arguments, " "), gotStatus,
				wantStatus, diff)
		}
	}
	return compared
}

// comparable returns the arguments of a line that runs top-opt on files that mlir-opt reads, too.
func comparable(t *testing.T, folder, line string) ([]string, bool) {
	line = strings.TrimPrefix(line, "! ")
	command, ok := strings.CutPrefix(line, "exec top-opt ")
	if !ok {
		return nil, false
	}
	arguments, err := shellWords(strings.ReplaceAll(command, "'", `"`))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(arguments, "-h") {
		return nil, false
	}
	for _, argument := range arguments {
		for _, own := range ours {
			if strings.Contains(argument, own) {
				return nil, false
			}
		}
		text, err := os.ReadFile(filepath.Join(folder, argument))
		if err == nil && (bytes.Contains(text, []byte(`"top.`)) || bytes.Contains(text, []byte(`"tpu.`))) {
			return nil, false
		}
	}
	return arguments, true
}

// output returns what a tool prints to standard output, its exit status (-1 where a signal ended it) and what it prints to
// standard error.
func output(t *testing.T, folder, tool string, arguments []string) (string, int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), tool, arguments...)
	command.Dir, command.Stdout, command.Stderr = folder, &stdout, &stderr
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), command.ProcessState.ExitCode(), stderr.String()
}
