//go:build !unix

package files

import (
	"errors"
	"os"
)

// mapFile fails: files are read on systems without mmap.
func mapFile(*os.File, int64) ([]byte, func(), error) { return nil, nil, errors.ErrUnsupported }

func releasePages([]byte) {}
