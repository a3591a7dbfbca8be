// Package smalldisk gives tests a folder on a file system that is soon full.
package smalldisk

import (
	"os"
	"testing"
)

// Mount mounts an empty file system of that size on a new folder of the given path, until the test ends. It skips the test
// where the system does not allow it.
func Mount(t *testing.T, path, size string) {
	t.Helper()
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := mount(path, size); err != nil {
		t.Skipf("no file system can be mounted to be filled: %v", err)
	}
	t.Cleanup(func() {
		if err := unmount(path); err != nil {
			t.Error(err)
		}
	})
}
