//go:build !unix

package weight

import (
	"errors"
	"os"
)

// mapFile fails: files are read range by range on systems without mmap.
func mapFile(*os.File, int64) ([]byte, func([]byte) error, error) {
	return nil, nil, errors.ErrUnsupported
}
