// Package shareddata finds the folder of golden files and test models that stands beside a checkout on the
// project's own machines. A fresh clone does not have it; tests that want it skip there, in one line.
package shareddata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the shared folder, or skips the test where there is none. TPUIR_SHARED names it; without that it is
// looked for beside the checkout.
func Dir(t testing.TB) string {
	t.Helper()
	dir, ok := Find()
	if !ok {
		t.Skip("no shared folder beside the checkout (set TPUIR_SHARED)")
	}
	return dir
}

// Find is Dir for code without a test: it reports whether the folder exists.
func Find() (string, bool) {
	dir := os.Getenv("TPUIR_SHARED")
	if dir == "" {
		_, file, _, ok := runtime.Caller(0)
		if !ok {
			return "", false
		}
		dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared")
	}
	if info, err := os.Stat(filepath.Join(dir, "golden")); err != nil || !info.IsDir() {
		return "", false
	}
	return dir, true
}
