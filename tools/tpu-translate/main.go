// Command tpu-translate goes between IR and what is not IR: checkpoints, files of nets. Try tpu-translate --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"tpuir/internal/cli/tputranslate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := tputranslate.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
