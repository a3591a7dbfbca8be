// Command text compares the speed and memory of top-opt with other programs of the same command line on large files:
//
//	go build -o /tmp/top-opt ./tools/top-opt
//	go run ./bench/text -ours /tmp/top-opt mlir-opt-19 mlir-opt-22
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"tpuir/internal/textbench"
)

func main() {
	ours := flag.String("ours", "top-opt", "the `program` that the others are divided by")
	runs := flag.Int("n", 5, "runs of each, of which the median counts")
	folder := flag.String("folder", "", "where the files go; a temporary folder if empty")
	kinds := flag.String("kinds", "", "only these kinds of input, as in `ops,top,wide,hex,blob,deep,empty`")
	scale := flag.Float64("scale", 1, "multiplies the sizes of the inputs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *ours, *folder, *kinds, *scale, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "text:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, ours, folder, kinds string, scale float64, runs int) error {
	if folder == "" {
		made, err := os.MkdirTemp("", "textbench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		folder = made
	}
	var inputs []textbench.Input
	for _, input := range textbench.Inputs {
		if kinds == "" || strings.Contains(","+kinds+",", ","+input.Kind+",") {
			input.Size = int(float64(input.Size) * scale)
			inputs = append(inputs, input)
		}
	}
	return textbench.Compare(ctx, os.Stdout, folder, ours, flag.Args(), inputs, runs)
}
