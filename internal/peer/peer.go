// Package peer finds and runs the programs that this project is compared with: the tpu-mlir wheel (tpuc-opt, its
// interpreter, its simulator, llm_convert) and MLIR's own tools. Tests use it under the build tag peer; where a peer
// is missing they skip in one line, unless TPUIR_REQUIRE_PEER=1 makes that a failure, as CI does.
//
// The wheel is looked for in the folder that TPUIR_PEER names, else in /opt/peer; .ci/peers.sh puts it there.
package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tpuir/internal/shareddata"
)

const (
	defaultRoot = "/opt/peer"
	// A run without a deadline of its own is ended after this time: the peer hangs on some inputs.
	defaultTimeout = 5 * time.Minute
)

// Wheel is an installed tpu-mlir wheel.
type Wheel struct {
	root string // the folder that holds tpu_mlir and venv
}

// Require returns the wheel's native half (tpuc-opt, model_tool), or skips or fails the test.
func Require(t testing.TB) Wheel {
	t.Helper()
	wheel := Wheel{root: os.Getenv("TPUIR_PEER")}
	if wheel.root == "" {
		wheel.root = defaultRoot
	}
	if _, err := os.Stat(wheel.path("bin", "tpuc-opt")); err != nil {
		missing(t, "no tpu-mlir wheel in "+wheel.root+" (set TPUIR_PEER, or run .ci/peers.sh)")
	}
	return wheel
}

// RequirePython is Require for tests that call the wheel's Python tools.
func RequirePython(t testing.TB) Wheel {
	t.Helper()
	wheel := Require(t)
	if _, err := os.Stat(filepath.Join(wheel.root, "venv", "done")); err != nil {
		missing(t, "no Python half of the tpu-mlir wheel in "+wheel.root+" (run .ci/peers.sh)")
	}
	return wheel
}

// RequireTool returns the path of one of LLVM's tools, such as mlir-opt-19, mlir-opt-22 or FileCheck-19, or skips or
// fails the test.
func RequireTool(t testing.TB, name string) string {
	t.Helper()
	path, err := FindTool(name)
	if err != nil {
		missing(t, err.Error())
	}
	return path
}

// FindTool looks for a tool of LLVM on PATH and, for a name that ends in -VERSION, in that version's own folder, where
// Debian keeps those without a versioned name on PATH.
func FindTool(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	if dash := strings.LastIndexByte(name, '-'); dash > 0 {
		path := filepath.Join("/usr/lib/llvm-"+name[dash+1:], "bin", name[:dash])
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s on PATH (run .ci/peers.sh)", name)
}

// References returns the folder of files that the peer made for what the golden corpus has no case of, or skips or
// fails the test. TPUIR_REFERENCES names it; .ci/references.sh fills it and tells what is in it.
func References(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TPUIR_REFERENCES")
	if _, shared := shareddata.Find(); dir == "" && !shared {
		t.Skip("no references made by the peer, and no shared folder to make them from")
	} else if dir == "" {
		missing(t, "no references made by the peer (run .ci/references.sh DIR, and set TPUIR_REFERENCES to DIR)")
	}
	return dir
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("TPUIR_REQUIRE_PEER") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Result is what a program printed. Where it failed, the error of the call holds the exit status.
type Result struct {
	Stdout, Stderr []byte
}

// TPUCOpt runs the wheel's tpuc-opt in the folder dir, with the arguments as a shell would give them. Weight files are
// looked for in dir.
func (w Wheel) TPUCOpt(ctx context.Context, dir string, args ...string) (Result, error) {
	return run(ctx, dir, w.environment(), w.path("bin", "tpuc-opt"), args...)
}

// ModelTool runs the wheel's model_tool, which shows and takes apart bmodels.
func (w Wheel) ModelTool(ctx context.Context, dir string, args ...string) (Result, error) {
	return run(ctx, dir, w.environment(), w.path("bin", "model_tool"), args...)
}

// RunModel evaluates a .mlir file (the interpreter) or a .bmodel (the simulator) on the arrays of the npz file inputs
// and writes the npz file outputs: the results, or all named tensors of a .mlir file if all is set. It needs the
// Python half.
func (w Wheel) RunModel(ctx context.Context, dir, model, inputs, outputs string, all bool) (Result, error) {
	args := []string{"--model", model, "--input", inputs, "--output", outputs}
	if all {
		args = append(args, "--dump_all_tensors")
	}
	return w.PythonTool(ctx, dir, "model_runner.py", args...)
}

// LLMConvert runs the wheel's llm_convert.py, which needs the Python half and GNU parallel. If opt is not empty it is
// the path of a program that is run in tpuc-opt's place; that program finds the wheel's own in $PEER_TPUC_OPT.
func (w Wheel) LLMConvert(ctx context.Context, dir, opt string, args ...string) (Result, error) {
	if opt == "" {
		return w.PythonTool(ctx, dir, "llm_convert.py", args...)
	}
	site, err := os.MkdirTemp("", "peer-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(site)
	substitute, err := w.withOpt(site, opt)
	if err != nil {
		return Result{}, err
	}
	environment := append(substitute.environment(), "PEER_TPUC_OPT="+w.path("bin", "tpuc-opt"))
	return substitute.python(ctx, dir, environment, "llm_convert.py", args...)
}

// withOpt lays out a wheel in the folder site that differs from w only in its tpuc-opt.
func (w Wheel) withOpt(site, opt string) (Wheel, error) {
	opt, err := filepath.Abs(opt)
	if err != nil {
		return Wheel{}, err
	}
	metadata, err := filepath.Glob(filepath.Join(w.root, "*.dist-info"))
	if err != nil {
		return Wheel{}, err
	}
	substitute := Wheel{root: site}
	for _, folder := range []struct{ from, to, skip string }{
		{w.path(), substitute.path(), "bin"},
		{w.path("bin"), substitute.path("bin"), "tpuc-opt"},
	} {
		if err := linkAll(folder.from, folder.to, folder.skip); err != nil {
			return Wheel{}, err
		}
	}
	for _, path := range append(metadata, filepath.Join(w.root, "venv")) {
		if err := os.Symlink(path, filepath.Join(site, filepath.Base(path))); err != nil {
			return Wheel{}, err
		}
	}
	return substitute, os.Symlink(opt, substitute.path("bin", "tpuc-opt"))
}

func linkAll(from, to, skip string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == skip {
			continue
		}
		if err := os.Symlink(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// PythonTool runs one of the scripts in the wheel's python/tools. It needs the Python half.
func (w Wheel) PythonTool(ctx context.Context, dir, tool string, args ...string) (Result, error) {
	return w.python(ctx, dir, w.environment(), tool, args...)
}

func (w Wheel) python(ctx context.Context, dir string, environment []string, tool string, args ...string,
) (Result, error) {
	args = append([]string{w.path("python", "tools", tool)}, args...)
	return run(ctx, dir, environment, filepath.Join(w.root, "venv", "bin", "python"), args...)
}

// path names a file inside the wheel.
func (w Wheel) path(elements ...string) string {
	return filepath.Join(append([]string{w.root, "tpu_mlir"}, elements...)...)
}

// environment is what the wheel's own Python driver sets: without PPL_PROJECT_ROOT, CHIP and CORE_NUM the passes that
// call into the chip's backend crash.
func (w Wheel) environment() []string {
	kernels := w.path("cross_toolchains", "ppl_compile")
	join := func(variable string, folders ...string) string {
		if old := os.Getenv(variable); old != "" {
			folders = append(folders, old)
		}
		return variable + "=" + strings.Join(folders, string(os.PathListSeparator))
	}
	return append(os.Environ(),
		"TPUC_ROOT="+w.path(),
		"PPL_PROJECT_ROOT="+kernels,
		"PPL_RUNTIME_PATH="+filepath.Join(kernels, "deps"),
		"PPL_BUILD_PATH="+w.path("build", "ppl"),
		"TPUKERNEL_CUSTOM_FIRMWARE_PATH="+w.path("lib", "libcmodel_custom.so"),
		"CHIP=bm1684x",
		// numpy's float32 power function for AVX-512 is one unit off for some rotary frequencies; the golden files, and
		// machines without AVX-512, have the other one's bits.
		"NPY_DISABLE_CPU_FEATURES=AVX512_SKX",
		"CORE_NUM=1",
		fmt.Sprintf("OMP_NUM_THREADS=%d", runtime.NumCPU()),
		join("PATH", filepath.Join(w.root, "venv", "bin"), w.path("bin"), w.path("python", "tools"),
			filepath.Join(kernels, "bin")),
		join("LD_LIBRARY_PATH", w.path("lib"), w.path("lib", "capi"), w.path("lib", "third_party")),
		join("PYTHONPATH", w.root, w.path(), w.path("python"), w.path("customlayer", "python")),
	)
}

// Run runs any other program, such as one that RequireTool found, in the folder dir.
func Run(ctx context.Context, dir, program string, args ...string) (Result, error) {
	return run(ctx, dir, os.Environ(), program, args...)
}

// run starts the program in a process group of its own, so that a time-out also ends what it started.
func run(ctx context.Context, dir string, environment []string, program string, args ...string) (Result, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultTimeout)
		defer cancel()
	}
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = dir, environment
	command.Stdout, command.Stderr = &stdout, &stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	err := command.Run()
	if cause := ctx.Err(); cause != nil {
		err = errors.Join(cause, err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, lastLines(stderr.Bytes(), stdout.Bytes()))
	}
	return Result{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}, err
}

// lastLines gives the end of the first output that is not empty, for an error message.
func lastLines(outputs ...[]byte) string {
	const kept = 2000
	for _, output := range outputs {
		if output = bytes.TrimSpace(output); len(output) > 0 {
			return string(output[max(0, len(output)-kept):])
		}
	}
	return ""
}
