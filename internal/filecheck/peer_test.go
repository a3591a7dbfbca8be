//go:build peer

// Comparison with LLVM's FileCheck, which is the judge: every case is run by both, and the whole reports compared. With
// -update the verdicts of FileCheck are recorded in testdata.

package filecheck

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tpuir/internal/peer"
)

var update = flag.Bool("update", false, "record the verdicts of LLVM's FileCheck in testdata")

// judge runs FileCheck.
func judge(t testing.TB, path string) runner {
	return func(arguments []string, stdin []byte, stderr *bytes.Buffer) int {
		command := exec.Command(path, arguments...)
		command.Env = append(os.Environ(), "FILECHECK_OPTS=")
		command.Stdin, command.Stderr = bytes.NewReader(stdin), stderr
		err := command.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return command.ProcessState.ExitCode()
	}
}

// comparable drops what need not agree: how a program is called, and blank lines after errors.
func comparable(stderr string) string {
	var kept []string
	for _, line := range strings.SplitAfter(stderr, "\n") {
		if line == "\n" || strings.HasPrefix(line, "FileCheck command line:") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

func TestPeer(t *testing.T) {
	theirs := judge(t, peer.RequireTool(t, "FileCheck-19"))
	for file, archive := range archives(t) {
		subject := strings.TrimSuffix(filepath.Base(file), ".txtar")
		verdicts := map[string]string{}
		for _, c := range casesOf(t, archive) {
			t.Run(subject+"/"+c.name, func(t *testing.T) {
				wantStatus, want := c.inFolder(t, theirs)
				gotStatus, got := c.inFolder(t, ours)
				verdicts[c.name] = summary(wantStatus, want)
				if wantStatus != gotStatus {
					t.Errorf("status: FileCheck %d, ours %d", wantStatus, gotStatus)
				}
				if diff := cmp.Diff(comparable(want), comparable(got)); diff != "" {
					t.Errorf("report (-FileCheck +ours):\n%s\nFileCheck:\n%s", diff, want)
				}
			})
		}
		if *update {
			record(t, file, archive, verdicts)
		}
	}
}

// record writes the verdicts behind the cases of an archive.
func record(t *testing.T, file string, archive *txtar.Archive, verdicts map[string]string) {
	t.Helper()
	updated := &txtar.Archive{Comment: archive.Comment}
	for i, part := range archive.Files {
		folder := filepath.Dir(part.Name)
		if filepath.Base(part.Name) != "want" {
			updated.Files = append(updated.Files, part)
		}
		if i+1 == len(archive.Files) || filepath.Dir(archive.Files[i+1].Name) != folder {
			updated.Files = append(updated.Files, txtar.File{Name: folder + "/want", Data: []byte(verdicts[folder])})
		}
	}
	if err := os.WriteFile(file, txtar.Format(updated), 0o644); err != nil {
		t.Fatal(err)
	}
}
