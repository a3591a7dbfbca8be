package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCommitAndAbort(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.txt")
	if err := WriteFile(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half of tw"); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "one" {
		t.Errorf("after an aborted write the file holds %q, %v", got, err)
	}
	if err := WriteFile(path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "two" {
		t.Errorf("after the second write the file holds %q", got)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "out.txt")
	err := WriteFile(path, nil)
	if want := "create " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	folder := t.TempDir()
	if err := WriteFile(folder, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), ".*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
