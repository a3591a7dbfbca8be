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

func TestPermissionsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v, %v; want -rw-------", info.Mode(), err)
	}
}

func TestLinksStay(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "folder/further", "folder/further": "file", "loop": "loop"} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
	}
	for _, text := range []string{"one", "two"} { // the file is missing, and is there
		if err := WriteFile("link", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("folder/file"); err != nil || string(got) != text {
			t.Errorf("the file behind the links holds %q, %v; want %q", got, err, text)
		}
	}
	if target, err := os.Readlink("link"); err != nil || target != "folder/further" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	err := WriteFile("loop", nil)
	if want := "create loop: too many links"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestCreateFolderNamesThePlaceInErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "nets")
	_, err := CreateFolder(path)
	if want := "create " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
