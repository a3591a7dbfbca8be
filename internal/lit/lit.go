// Package lit runs the suites of test/lit: folders of scripts (github.com/rogpeppe/go-internal/testscript), each a few
// commands and the files they work on, that check what a tool does.
//
// Tools are given as functions, so that a suite needs nothing built or installed. A script runs them with exec, in a
// process of their own:
//
//	# What the test is about.
//	exec top-opt --canonicalize layer.mlir
//	filecheck layer.mlir
//	-- layer.mlir --
//	// CHECK: …
//
// Beside the commands of testscript there are
//
//	[!] filecheck [--stderr] [option...] file    check the output (or errors) of the last command against a file
//	exec not [--crash] command [argument...]     succeed where the command fails, but not where it crashes
//
// and the condition [shared] with the variable $SHARED: the project's folder of golden files and models, where there is
// one. $GOLDEN and $MODELS are the part of them that is kept in the repository.
package lit

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tpuir/internal/shareddata"
)

// Command is a tool: it takes the arguments after its name and gives its exit status.
type Command func(ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer) int

// Commands are the tools that scripts may run, by name.
type Commands map[string]Command

// Main is the TestMain of a suite. In a process that a script started it runs the command that the process is named
// after; otherwise it runs the tests. It does not return.
func (c Commands) Main(m *testing.M) {
	all := maps.Clone(c)
	all["not"] = c.not
	mains := map[string]func(){}
	for name, command := range all {
		mains[name] = func() { os.Exit(command.process()) }
	}
	testscript.Main(m, mains)
}

// process runs a command on this process's arguments and streams.
func (c Command) process() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return c(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Options say how a suite is run.
type Options struct {
	Update       bool // golden files that cmp finds different are rewritten
	UpdateChecks bool // the directives of files that filecheck finds different are rewritten
}

// Flags defines -update and -update-checks, which take effect when the tests run.
func Flags(flags *flag.FlagSet) *Options {
	options := &Options{}
	flags.BoolVar(&options.Update, "update", false, "rewrite the golden files of scripts from present output")
	flags.BoolVar(&options.UpdateChecks, "update-checks", false, "rewrite the CHECK lines of scripts from present output")
	return options
}

// Run runs the scripts below a folder, each as a subtest under the name of its own folder, in parallel.
func Run(t *testing.T, root string, options *Options) {
	folders, err := scriptFolders(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) == 0 {
		t.Fatalf("no scripts below %s", root)
	}
	for _, folder := range folders {
		name, err := filepath.Rel(root, folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			s := &suite{folder: folder, options: options}
			t.Cleanup(func() { s.rewrite(t) })
			testscript.Run(t, testscript.Params{
				Dir: folder, UpdateScripts: options.Update,
				RequireExplicitExec: true, RequireUniqueNames: true,
				Setup: s.setup, Condition: condition,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"filecheck": func(script *testscript.TestScript, negated bool, arguments []string) {
						s.filecheck(t.Context(), script, negated, arguments)
					},
				},
			})
		})
	}
}

// scriptFolders lists the folders that hold scripts.
func scriptFolders(root string) ([]string, error) {
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".txtar") {
			found[filepath.Dir(path)] = true
		}
		return err
	})
	return slices.Sorted(maps.Keys(found)), err
}

func (s *suite) setup(env *testscript.Env) error {
	if shared, ok := shareddata.Find(); ok {
		env.Setenv("SHARED", shared)
	}
	env.Setenv("GOLDEN", filepath.Join(shareddata.Copy(), "golden"))
	env.Setenv("MODELS", filepath.Join(shareddata.Copy(), "models"))
	return nil
}

func condition(name string) (bool, error) {
	if name == "shared" {
		_, ok := shareddata.Find()
		return ok, nil
	}
	return false, fmt.Errorf("no condition [%s]", name)
}
