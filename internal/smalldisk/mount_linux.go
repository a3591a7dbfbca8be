package smalldisk

import "golang.org/x/sys/unix"

func mount(path, size string) error { return unix.Mount("none", path, "tmpfs", 0, "size="+size) }

func unmount(path string) error { return unix.Unmount(path, 0) }
