package hostile

// This file runs the cases, each in a process of its own: what exhausts a stack or the memory ends the process, not the test.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/cli/tpurun"
	"tpuir/internal/cli/tputranslate"
	"tpuir/internal/race"
)

// tools are the commands.
var tools = map[string]func(context.Context, []string, io.Reader, io.Writer, io.Writer) int{
	"top-opt": topopt.Main, "tpu-run": tpurun.Main, "tpu-translate": tputranslate.Main,
}

// toolVariable names the tool that a process of the test binary is to be.
const toolVariable = "TPUIR_HOSTILE_TOOL"

func TestMain(m *testing.M) {
	main, ok := tools[os.Getenv(toolVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// command makes a run of a tool in a folder.
func command(t *testing.T, folder, tool string, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, arguments...)
	c.Dir = folder
	c.Env = append(os.Environ(), toolVariable+"="+tool)
	return c
}

// hostile is a case.
type hostile struct {
	name  string
	flags string
	write func(w *bufio.Writer)
	// want stands in the first line of the errors; "" is for an input that is accepted.
	want string
	// memory and time are the bounds where they are not the usual ones.
	memory int64
	time   time.Duration
}

// The usual bounds. A machine that tests run on is busy with other tests.
const (
	mebibyte    = 1 << 20
	usualMemory = 600 * mebibyte
	usualTime   = 3 * time.Minute
)

func TestHostile(t *testing.T) {
	if race.Enabled {
		t.Skip("bounds of time and memory are those of the ordinary build")
	}
	for _, h := range slices.Concat(nested(), chains(), sizes(), numbers(), lines(), mistakes(), scale()) {
		t.Run(h.name, func(t *testing.T) { h.run(t) })
	}
}

func (h hostile) run(t *testing.T) {
	folder := t.TempDir()
	size := h.writeFile(t, filepath.Join(folder, "in.mlir"))
	if testing.Short() && size > 8*mebibyte {
		t.Skip("a large input")
	}
	limit := max(h.time, usualTime)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	arguments := append([]string{"--allow-unregistered-dialect", "in.mlir", "-o", "out.mlir"}, strings.Fields(h.flags)...)
	c := command(t, folder, "top-opt", arguments...)
	said := &head{}
	c.Stderr = said
	start := time.Now()
	err := run(ctx, c)
	took := time.Since(start).Round(10 * time.Millisecond)
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	first, _, _ := strings.Cut(said.text.String(), "\n")
	first = first[:min(len(first), 300)]
	result := "accepted"
	if err != nil {
		result = err.Error() + ": " + first
	}
	t.Logf("| %s | %.1f MB | %s | %v | %d MiB |", h.name, float64(size)/1e6, result, took, peak>>20)
	if ctx.Err() != nil {
		t.Fatalf("not done after %v", limit)
	}
	if allowed := max(h.memory, usualMemory); peak > allowed {
		t.Errorf("peak memory of %d MiB; want at most %d", peak>>20, allowed>>20)
	}
	h.check(t, err, first, filepath.Join(folder, "out.mlir"))
}

// check compares the end of a run with what is wanted.
func (h hostile) check(t *testing.T, err error, said, out string) {
	t.Helper()
	_, missing := os.Stat(out)
	if h.want == "" {
		if err != nil || missing != nil {
			t.Errorf("%v: %s; want it accepted", err, said)
		}
		return
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(said, h.want) {
		t.Errorf("%v: %s; want status 1 and %q", err, said, h.want)
	}
	if missing == nil {
		t.Error("there is an output after an error")
	}
}

// run runs a command and ends it with the context.
func run(ctx context.Context, c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	done := context.AfterFunc(ctx, func() { c.Process.Kill() })
	defer done()
	return c.Wait()
}

func (h hostile) writeFile(t *testing.T, path string) int64 {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<16)
	h.write(w)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// head keeps the beginning of what is written to it.
type head struct{ text bytes.Buffer }

func (h *head) Write(data []byte) (int, error) {
	if room := 1<<16 - h.text.Len(); room > 0 {
		h.text.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}
