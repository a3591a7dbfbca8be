package hostile

// This file interrupts the tools, and gives them outputs that can't be written.

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tpuir/examples/stories"
)

// workFolder is a folder with a model and a text that takes seconds to work on.
func workFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "model"), stories.Files()); err != nil {
		t.Fatal(err)
	}
	long := hostile{write: func(w *bufio.Writer) {
		each("", 300_000, "func.func @f%d(%%x: i32) -> i32 {\n%%0 = \"t.a\"(%%x) : (i32) -> i32\nreturn %%0 : i32\n}\n", "")(w)
	}}
	long.writeFile(t, filepath.Join(folder, "long.mlir"))
	if err := os.WriteFile(filepath.Join(folder, "in.mlir"), []byte("func.func @a() { return }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestInterrupted sends signals at several moments of a run: it ends with a status that is not 0, and leaves nothing.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct{ name, command string }{
		{"parse and print", "top-opt --allow-unregistered-dialect long.mlir -o out.mlir"},
		{"passes", "top-opt --allow-unregistered-dialect --canonicalize --cse --inline --symbol-dce long.mlir -o out.mlir"},
		{"bytecode", "top-opt --allow-unregistered-dialect --emit-bytecode long.mlir -o out.mlir"},
		{"round trip", "top-opt --allow-unregistered-dialect --verify-roundtrip long.mlir -o out.mlir"},
		{"reduce", "top-opt --allow-unregistered-dialect --reduce --test=true long.mlir -o out.mlir"},
		{"import", "tpu-translate --import-hf model --weights=npz -o out.mlir"},
		{"generate", "tpu-run -m model -s=512 -n=100000 --ignore-eos Once"},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(c.name+", "+signal.String(), func(t *testing.T) {
				folder := workFolder(t)
				before := names(t, folder)
				for _, after := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond} {
					interrupt(t, folder, c.command, signal, after, before)
				}
			})
		}
	}
}

func interrupt(t *testing.T, folder, line string, signal syscall.Signal, after time.Duration, before string) {
	t.Helper()
	words := strings.Fields(line)
	c := command(t, folder, words[0], words[1:]...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	sent := c.Process.Signal(signal)
	start := time.Now()
	err := c.Wait()
	// Who handles signals ends with a status; the signal itself ends a process that does not yet, or whose work is done.
	status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
	if err == nil || status.Signaled() {
		if sent == nil {
			t.Logf("done within %v", after)
		}
		_ = os.Remove(filepath.Join(folder, "out.mlir"))
		_ = os.Remove(filepath.Join(folder, "out_top_weights.npz"))
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("ended %v after the signal", took)
	}
	if left := names(t, folder); left != before {
		t.Errorf("after %v: the folder holds\n%s; it held\n%s", after, left, before)
	}
	if strings.Contains(stderr.String(), "goroutine ") {
		t.Errorf("after %v: %s", after, stderr.String())
	}
}

// names lists the files in a folder.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, "\n")
}

// TestFullOutput writes whatever goes to standard output, or to a file that a flag names, to a device that is full.
func TestFullOutput(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	folder := workFolder(t)
	for _, line := range []string{
		"top-opt --help", "top-opt --version", "top-opt --list-passes", "top-opt --show-dialects",
		"top-opt in.mlir", "top-opt --emit-bytecode in.mlir", "top-opt in.mlir -o /dev/full",
		"top-opt --mlir-generate-reproducer=/dev/full --cse in.mlir", "top-opt --split-input-file in.mlir",
		"tpu-translate --help", "tpu-translate --version", "tpu-translate --import-hf model", "tpu-translate --import-hf model -o /dev/full",
		"tpu-run --help", "tpu-run --version", "tpu-run -m model --quiet -n=2 Once",
	} {
		t.Run(line, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			words := strings.Fields(line)
			c := command(t, folder, words[0], words[1:]...)
			var stderr bytes.Buffer
			c.Stdout, c.Stderr = full, &stderr
			var exit *exec.ExitError
			if err := c.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "no space left on device") {
				t.Errorf("%v, %q; want status 1 and that there is no space", err, stderr.String())
			}
		})
	}
}

// TestClosedPipe writes to a pipe that nobody reads: the process ends as others do, by the signal, without a word.
func TestClosedPipe(t *testing.T) {
	folder := workFolder(t)
	for _, line := range []string{"top-opt --help", "top-opt --allow-unregistered-dialect long.mlir", "tpu-translate --import-hf model"} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(line)
		c := command(t, folder, words[0], words[1:]...)
		var stderr bytes.Buffer
		c.Stdout, c.Stderr = writer, &stderr
		reader.Close()
		err = c.Run()
		writer.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
			t.Errorf("%s: %v, %q; want an end by SIGPIPE", line, err, stderr.String())
		}
	}
}
