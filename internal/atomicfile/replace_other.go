//go:build !linux

package atomicfile

import "os"

// replace moves a file to a place, where another may stand.
func replace(file, place string) error { return os.Rename(file, place) }
