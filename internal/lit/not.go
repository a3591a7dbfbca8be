// The command not, which turns the exit status of another around. A crash is no orderly failure and stays one.

package lit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime/debug"
)

// signalStatus is the exit status from which on a shell reports a signal.
const signalStatus = 128

// not runs the command that its arguments name. It gives 0 where that fails in order, 1 where it succeeds or crashes;
// with --crash, 0 where it crashes and 1 otherwise.
func (c Commands) not(ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	wantCrash := len(arguments) > 0 && arguments[0] == "--crash"
	if wantCrash {
		arguments = arguments[1:]
	}
	if len(arguments) == 0 {
		fmt.Fprintln(stderr, "usage: not [--crash] command [argument...]")
		return 1
	}
	run := external(arguments[0])
	if command, ok := c[arguments[0]]; ok {
		run = command.guarded
	}
	status, err := run(ctx, arguments[1:], stdin, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "not: %s: %s\n", arguments[0], err)
	}
	var crash *crashError
	crashed := errors.As(err, &crash)
	failed := status != 0 && err == nil
	if (wantCrash && crashed) || (!wantCrash && failed) {
		return 0
	}
	return 1
}

// crashError says how a command ended out of order.
type crashError struct{ cause string }

func (e *crashError) Error() string { return e.cause }

// guarded runs a command of ours in this process and turns a panic into an error.
func (c Command) guarded(
	ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer,
) (status int, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = &crashError{fmt.Sprintf("panic: %v\n%s", reason, debug.Stack())}
		}
	}()
	return c(ctx, arguments, stdin, stdout, stderr), nil
}

// external runs a program that is not ours.
func external(
	name string,
) func(context.Context, []string, io.Reader, io.Writer, io.Writer) (status int, err error) {
	return func(ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
		program := exec.CommandContext(ctx, name, arguments...)
		program.Stdin, program.Stdout, program.Stderr = stdin, stdout, stderr
		err := program.Run()
		var exit *exec.ExitError
		if err == nil || !errors.As(err, &exit) {
			return 0, err
		}
		if status := exit.ExitCode(); status >= 0 && status < signalStatus {
			return status, nil
		}
		return 0, &crashError{exit.Error()}
	}
}
