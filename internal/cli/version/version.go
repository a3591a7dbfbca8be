// Package version says which build of the tools this is.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Text returns what --version prints.
func Text(tool string) string {
	revision := "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		modified := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " (modified)"
			}
		}
		revision += modified
	}
	return fmt.Sprintf("%s of tpuir, %s, %s %s/%s; text as of TPU-MLIR 1.30 (MLIR 17) and MLIR 22", tool, revision,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
