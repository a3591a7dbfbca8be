//go:build unix

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a whole file, read-only, and returns the function that takes the mapping away.
func mapFile(f *os.File, size int64) ([]byte, func(), error) {
	if int64(int(size)) != size {
		return nil, nil, unix.EFBIG
	}
	text, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return text, func() { _ = unix.Munmap(text) }, nil
}

func releasePages(text []byte) { _ = unix.Madvise(text, unix.MADV_DONTNEED) }
