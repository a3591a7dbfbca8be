package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// replace moves a file to a place, where another may stand. The two change places before the other is removed: ext4 takes a
// rename over a file for an update that must survive a power failure and writes all of it to the disk first, which doubles
// the time of a large output. At every moment one of the two is there, whole.
func replace(file, place string) error {
	if info, err := os.Lstat(place); err == nil && info.Mode().IsRegular() {
		if unix.Renameat2(unix.AT_FDCWD, file, unix.AT_FDCWD, place, unix.RENAME_EXCHANGE) == nil {
			return os.Remove(file)
		}
	}
	return os.Rename(file, place)
}
