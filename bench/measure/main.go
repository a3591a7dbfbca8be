// Command measure runs a program and says on standard error what it cost, its children included:
//
//	go run ./bench/measure [-n 5] PROGRAM ARGS...
//
// With -n the program runs as often, and the run with the median wall time is told last.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"

	"tpuir/internal/measure"
)

func main() {
	count := flag.Int("n", 1, "number of runs")
	flag.Parse()
	if flag.NArg() == 0 || *count < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var reports []measure.Report
	for range *count {
		command := exec.Command(flag.Arg(0), flag.Args()[1:]...)
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		report, err := measure.Run(ctx, command)
		fmt.Fprintln(os.Stderr, report)
		if err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(1)
		}
		reports = append(reports, report)
	}
	slices.SortFunc(reports, func(a, b measure.Report) int { return cmp.Compare(a.Wall, b.Wall) })
	if *count > 1 {
		fmt.Fprintln(os.Stderr, "median:", reports[len(reports)/2])
	}
}
