package textbench

// This file runs programs on the inputs, by turns, so that a busy machine is busy for all of them.

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Input is a file to measure.
type Input struct {
	Name, Kind string
	Size       int
}

// Inputs are those of docs/performance.md.
var Inputs = []Input{
	{"50 MB of operations, unregistered", "ops", 50e6},
	{"50 MB of Top operations", "top", 50e6},
	{"10,000 functions", "wide", 10000},
	{"100 MB of hex", "hex", 100e6},
	{"100 MB of resources", "blob", 100e6},
	{"nested 2,000 deep", "deep", 2000},
	{"empty", "empty", 0},
}

// cost is what one run takes. Memory is the largest resident set in bytes, mapped files included.
type cost struct {
	wall, cpu time.Duration
	memory    int64
}

// Compare measures the program ours and its peers on the inputs and writes a table: the median wall time of each, peak
// memory, and the times of the peers divided by ours. Files go to folder.
func Compare(ctx context.Context, out io.Writer, folder, ours string, peers []string, inputs []Input, runs int) error {
	programs := append([]string{ours}, peers...)
	fmt.Fprintln(out, "| input | threads | program | wall s | CPU s | peak MiB | wall ÷ ours | CPU ÷ ours |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, input := range inputs {
		path := filepath.Join(folder, input.Kind+".mlir")
		if err := Generate(path, input.Kind, input.Size); err != nil {
			return err
		}
		for _, serial := range []bool{true, false} {
			costs := make([][]cost, len(programs))
			for range runs {
				for i, program := range programs {
					c, err := run(ctx, program, path, filepath.Join(folder, "out.mlir"), serial)
					if err != nil {
						return fmt.Errorf("%s %s: %w", program, path, err)
					}
					costs[i] = append(costs[i], c)
				}
			}
			report(out, input.Name, serial, programs, costs)
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func report(out io.Writer, name string, serial bool, programs []string, costs [][]cost) {
	threads := "on"
	if serial {
		threads = "off"
	}
	own := median(costs[0])
	for i, program := range programs {
		m := median(costs[i])
		fmt.Fprintf(out, "| %s | %s | %s | %.3f | %.3f | %d | %.1f | %.1f |\n", name, threads, filepath.Base(program), m.wall.Seconds(),
			m.cpu.Seconds(), m.memory>>20, m.wall.Seconds()/own.wall.Seconds(), m.cpu.Seconds()/own.cpu.Seconds())
	}
}

// median returns the medians of the times and the largest memory.
func median(costs []cost) cost {
	var m cost
	var walls, cpus []time.Duration
	for _, c := range costs {
		walls, cpus = append(walls, c.wall), append(cpus, c.cpu)
		m.memory = max(m.memory, c.memory)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	m.wall, m.cpu = walls[len(walls)/2], cpus[len(cpus)/2]
	return m
}

// run reads, verifies and prints a file as a whole process.
func run(ctx context.Context, program, in, out string, serial bool) (cost, error) {
	args := []string{"--allow-unregistered-dialect", in, "-o", out}
	if serial {
		args = append(args, "--mlir-disable-threading")
	}
	command := exec.CommandContext(ctx, program, args...)
	start := time.Now()
	text, err := command.CombinedOutput()
	c := cost{wall: time.Since(start)}
	if err != nil {
		return c, fmt.Errorf("%w: %.500s", err, text)
	}
	c.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.memory = usage.Maxrss << 10
	}
	return c, nil
}
