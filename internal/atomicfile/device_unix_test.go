//go:build unix

package atomicfile

// This file writes to what is no regular file, and must stay what it is.

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWhatIsNoRegularFileIsWrittenInPlace(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		text, _ := io.ReadAll(f)
		got <- string(text)
	}()
	if err := WriteFile(pipe, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "text" {
		t.Errorf("the pipe's reader got %q", text)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe became %v, %v", info.Mode(), err)
	}
}

func TestHasPlace(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]bool{"": false, "-": false, "/dev/null": false, folder: true,
		filepath.Join(folder, "new.mlir"): true, "device_unix_test.go": true} {
		if got := HasPlace(path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
}
