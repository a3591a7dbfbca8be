// Command tpu-run runs a model from a checkpoint or from IR: it writes text, or evaluates one net. Try tpu-run --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"tpuir/internal/cli/tpurun"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := tpurun.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
