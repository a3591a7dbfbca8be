// Command filecheck matches its input against the directives in the comments of a check file, as LLVM's FileCheck does.
package main

import (
	"context"
	"os"

	"tpuir/internal/filecheck"
)

func main() {
	os.Exit(filecheck.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
