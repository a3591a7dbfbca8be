// Command top-opt reads MLIR, runs passes over it and prints it, like mlir-opt and tpuc-opt. Try top-opt --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"tpuir/internal/cli/topopt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := topopt.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
