// Package shareddata finds the golden files of TPU-MLIR and the test models. The whole corpus stands beside a checkout
// on the project's own machines; a fresh clone has a part of it, in this package's testdata.
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

// Golden returns the folder of golden cases, a folder a case and their models in models: the shared one, else the part of
// it that is kept here (nano-qwen2-w4bf16, nano-qwen3-w8bf16-sample; text of nano-qwen3-w4bf16-history and nano-llama-f16).
func Golden(t testing.TB) string {
	t.Helper()
	return folder(t, "golden")
}

// Models returns the folder of test models: the shared one, else the part of it that is kept here
// (tiny-qwen3-untied, tiny-llama-rope-llama3).
func Models(t testing.TB) string {
	t.Helper()
	return folder(t, "models")
}

// folder returns a folder of the shared one, or of the copy.
func folder(t testing.TB, name string) string {
	t.Helper()
	if dir, ok := Find(); ok {
		return filepath.Join(dir, name)
	}
	return filepath.Join(Copy(), name)
}

// Copy returns the part that is kept here, with golden and models as in the whole, whatever stands beside the checkout.
// It is found by the path of this source file.
func Copy() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "testdata")
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
