//go:build unix

package weight

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps size bytes of f, read-only, and returns them with the function that takes the mapping away.
func mapFile(f *os.File, size int64) ([]byte, func([]byte) error, error) {
	if int64(int(size)) != size {
		return nil, nil, unix.EFBIG
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	return data, unix.Munmap, err
}
