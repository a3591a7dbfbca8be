// Command make-checkpoint writes a checkpoint with random weights, for measuring and for comparing with the peers:
//
//	go run ./bench/make-checkpoint -shape qwen0.5b -o /tmp/qwen05b     # 1 GB, the shape of Qwen2.5-0.5B
//	go run ./bench/make-checkpoint -shape odd-llama -o /tmp/odd-llama  # head size 48, 3 key/value heads, 301 tokens
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"tpuir/internal/randommodel"
)

func main() {
	out := flag.String("o", "", "folder to write")
	name := flag.String("shape", "qwen0.5b", "qwen0.5b, odd-llama, odd-qwen2 or odd-qwen3")
	dtype := flag.String("dtype", "BF16", "BF16 or F16")
	biases := flag.Bool("biases", false, "llama only: biases in attention and MLP")
	seed := flag.Uint64("seed", 1, "seed of the weights")
	flag.Parse()
	shape := randommodel.Qwen05B()
	if family, odd := strings.CutPrefix(*name, "odd-"); odd {
		shape = randommodel.Odd(family)
	} else if *name != "qwen0.5b" {
		fmt.Fprintf(os.Stderr, "make-checkpoint: unknown shape %q\n", *name)
		os.Exit(1)
	}
	shape.DType, shape.AttentionBias, shape.MLPBias = *dtype, *biases, *biases
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "make-checkpoint: -o is missing")
		os.Exit(1)
	}
	if err := randommodel.Write(ctx, *out, shape, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "make-checkpoint:", err)
		os.Exit(1)
	}
}
