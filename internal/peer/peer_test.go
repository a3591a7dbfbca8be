package peer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	result, err := Run(context.Background(), dir, "/bin/sh", "-c", "pwd; echo aside >&2")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(result.Stdout)); filepath.Base(got) != filepath.Base(dir) {
		t.Errorf("ran in %s, want %s", got, dir)
	}
	if got := string(result.Stderr); got != "aside\n" {
		t.Errorf("standard error %q", got)
	}
	_, err = Run(context.Background(), dir, "/bin/sh", "-c", "echo broken >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v, want the exit status and what was printed", err)
	}
}

func TestRunEndsChildrenAtDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Run(ctx, t.TempDir(), "/bin/sh", "-c", "sleep 30; echo never")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if passed := time.Since(start); passed > 5*time.Second {
		t.Errorf("took %v", passed)
	}
}

func TestFindTool(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "mlir-opt-99")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got, err := FindTool("mlir-opt-99"); err != nil || got != tool {
		t.Errorf("FindTool = %q, %v, want %q", got, err, tool)
	}
	if _, err := FindTool("mlir-opt-98"); err == nil || !strings.Contains(err.Error(), "no mlir-opt-98 on PATH") {
		t.Errorf("error %v for a tool that is not there", err)
	}
}

func TestWithOpt(t *testing.T) {
	wheel := Wheel{root: t.TempDir()}
	for _, path := range []string{"tpu_mlir/bin/tpuc-opt", "tpu_mlir/bin/model_tool", "tpu_mlir/lib/x.so",
		"tpu_mlir-1.30.2.dist-info/RECORD", "venv/done"} {
		path = filepath.Join(wheel.root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("the peer's"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	opt := filepath.Join(t.TempDir(), "top-opt")
	if err := os.WriteFile(opt, []byte("ours"), 0o666); err != nil {
		t.Fatal(err)
	}
	substitute, err := wheel.withOpt(t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"tpu_mlir/bin/tpuc-opt": "ours", "tpu_mlir/bin/model_tool": "the peer's", "tpu_mlir/lib/x.so": "the peer's",
		"tpu_mlir-1.30.2.dist-info/RECORD": "the peer's", "venv/done": "the peer's",
	} {
		got, err := os.ReadFile(filepath.Join(substitute.root, path))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
		}
	}
}
