package measure

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSampleAddsDescendants(t *testing.T) {
	proc := t.TempDir()
	for id, status := range map[string]string{
		"10":  "Name:\tmake\nPPid:\t1\nRssAnon:\t   100 kB\nRssFile:\t  20 kB\nRssShmem:\t 1 kB\n",
		"11":  "Name:\tcc\nPPid:\t10\nRssAnon:\t   200 kB\nRssFile:\t  30 kB\nRssShmem:\t 0 kB\n",
		"12":  "Name:\tas\nPPid:\t11\nRssAnon:\t     7 kB\nRssFile:\t   0 kB\nRssShmem:\t 0 kB\n",
		"13":  "Name:\tkthread\nPPid:\t2\n",
		"100": "Name:\tother\nPPid:\t1\nRssAnon:\t 90000 kB\nRssFile:\t  20 kB\nRssShmem:\t 1 kB\n",
	} {
		dir := filepath.Join(proc, id)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "status"), []byte(status), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := Report{Memory: 308 << 10, Mapped: 50 << 10, Processes: 3}
	if diff := cmp.Diff(want, sample(proc, 10)); diff != "" {
		t.Errorf("sample (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Report{}, sample(proc, 99)); diff != "" {
		t.Errorf("sample of no process (-want +got):\n%s", diff)
	}
}

func TestRun(t *testing.T) {
	report, err := Run(context.Background(), exec.Command("/bin/sh", "-c", "sleep 0.2; exit 3"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("error %v, want exit status 3", err)
	}
	if report.Wall < 200*time.Millisecond || report.Wall > 10*time.Second {
		t.Errorf("wall time %v of a sleep of 0.2 s", report.Wall)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, exec.Command("/bin/sh", "-c", "sleep 30; true")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}
