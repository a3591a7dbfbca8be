//go:build unix

package atomicfile

// This file writes to what is no regular file, and must stay what it is.

import (
	"fmt"
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

// TestDescriptorsAreWrittenInPlace writes to what /dev/stdout is: a link to a descriptor, of a pipe or of a file that a shell
// has opened.
func TestDescriptorsAreWrittenInPlace(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	file, err := os.Create(filepath.Join(folder, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.WriteString("before, ")
	for _, f := range []*os.File{write, file} {
		link := filepath.Join(folder, fmt.Sprint("link", f.Fd()))
		if err := os.Symlink(fmt.Sprint("/dev/fd/", f.Fd()), link); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(link, []byte("text")); err != nil {
			t.Error(err)
		}
		if HasPlace(link) {
			t.Errorf("files can lie beside %s", link)
		}
	}
	write.Close()
	if text, err := io.ReadAll(read); err != nil || string(text) != "text" {
		t.Errorf("the pipe holds %q, %v", text, err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || string(text) != "before, text" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

func TestHasPlace(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]bool{"": false, "-": false, "/dev/null": false, "/dev/stdout": false, folder: true,
		filepath.Join(folder, "new.mlir"): true, "device_unix_test.go": true} {
		if got := HasPlace(path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
}
