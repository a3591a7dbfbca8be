// Package measure runs a program and tells what it cost: time, and the memory of it and all it started. The figures
// that compare this project with its peers come from here, so that both are measured alike.
package measure

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const interval = 10 * time.Millisecond

// Report is the cost of one run. Memory is in bytes, the peak of the sum over all processes that lived at the same
// moment, looked at every 10 ms.
type Report struct {
	Wall, CPU time.Duration
	Memory    int64 // resident and not of a file: heaps, stacks
	Mapped    int64 // resident pages of files: programs, libraries, mapped weights
	Processes int   // the most that lived at the same moment
}

func (r Report) String() string {
	const mebibyte = 1 << 20
	return fmt.Sprintf("wall %.2f s, CPU %.2f s, peak memory %d MiB and %d MiB of mapped files, at most %d processes",
		r.Wall.Seconds(), r.CPU.Seconds(), r.Memory/mebibyte, r.Mapped/mebibyte, r.Processes)
}

// Run starts the command, which must not have been started, and waits for its end. The report is valid also where the
// command failed.
func Run(ctx context.Context, command *exec.Cmd) (Report, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := time.Now()
	if err := command.Start(); err != nil {
		return Report{}, err
	}
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var report Report
	for {
		select {
		case err := <-done:
			report.Wall = time.Since(start)
			report.CPU = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
			return report, err
		case <-ctx.Done():
			syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
			<-done
			return report, ctx.Err()
		case <-ticker.C:
			report.add(sample("/proc", command.Process.Pid))
		}
	}
}

// add raises the peaks to those of a sample.
func (r *Report) add(s Report) {
	r.Memory = max(r.Memory, s.Memory)
	r.Mapped = max(r.Mapped, s.Mapped)
	r.Processes = max(r.Processes, s.Processes)
}

// process is what /proc/ID/status tells of one process.
type process struct {
	parent         int
	memory, mapped int64
}

// sample adds up the process root and its descendants. A process that ends meanwhile is left out.
func sample(proc string, root int) Report {
	paths, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "status"))
	processes := make(map[int]process, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			processes[id] = parseStatus(text)
		}
	}
	var total Report
	for id := range processes {
		if descends(processes, id, root) {
			total.Memory += processes[id].memory
			total.Mapped += processes[id].mapped
			total.Processes++
		}
	}
	return total
}

func descends(processes map[int]process, id, root int) bool {
	for steps := 0; id > 0 && steps < len(processes)+1; steps++ {
		if id == root {
			return true
		}
		id = processes[id].parent
	}
	return false
}

func parseStatus(text []byte) process {
	var p process
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(value)
		if len(fields) == 0 {
			continue
		}
		number, err := strconv.ParseInt(string(fields[0]), 10, 64)
		if err != nil {
			continue
		}
		const kibibyte = 1 << 10
		switch string(name) {
		case "PPid":
			p.parent = int(number)
		case "RssAnon", "RssShmem":
			p.memory += number * kibibyte
		case "RssFile":
			p.mapped += number * kibibyte
		}
	}
	return p
}
