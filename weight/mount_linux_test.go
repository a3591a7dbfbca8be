package weight

import (
	"testing"

	"golang.org/x/sys/unix"
)

// mountSmall mounts a file system with room for 64 KiB, which needs privileges.
func mountSmall(folder string) error { return unix.Mount("none", folder, "tmpfs", 0, "size=64k") }

func unmount(t *testing.T, folder string) {
	if err := unix.Unmount(folder, 0); err != nil {
		t.Error(err)
	}
}
