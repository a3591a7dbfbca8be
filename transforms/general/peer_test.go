//go:build peer

package general_test

// This file compares the general passes, with all their options, with mlir-opt-22 on random modules.

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/peer"
	"tpuir/internal/shareddata"
)

var (
	modules   = flag.Int("modules", 60, "random modules for each command")
	firstSeed = flag.Uint64("seed", 0, "seed of the first")
	shown     = flag.Int("shown", 3, "differences that are shown")
	only      = flag.String("command", "", "compare this command alone")
)

// commands are the passes and their options. What goes to standard error is compared where the pass is there to print.
var commands = []struct {
	arguments string
	printing  bool
}{
	{"--canonicalize", false},
	{"--canonicalize=top-down=false", false},
	{"--canonicalize=region-simplify=disabled", false},
	{"--canonicalize=region-simplify=aggressive", false},
	{"--canonicalize=max-iterations=1", false},
	{"--canonicalize=max-iterations=-1", false},
	{"--canonicalize=max-num-rewrites=3", false},
	{"--canonicalize=enable-patterns={(anonymous%namespace)::SimplifyCondBranchIdenticalSuccessors,(anonymous%namespace)::SimplifyPassThroughCondBranch}", false},
	{"--canonicalize=disable-patterns={(anonymous%namespace)::SimplifyCondBranchIdenticalSuccessors,(anonymous%namespace)::SimplifyPassThroughCondBranch}", false},
	{"--cse", false},
	{"--symbol-dce", false},
	{"--symbol-privatize", false},
	{"--symbol-privatize=exclude=f0,f2", false},
	{"--symbol-privatize --symbol-dce", false},
	{"--strip-debuginfo", false},
	{"--inline", false},
	{"--inline=default-pipeline=", false},
	{"--inline=default-pipeline=cse", false},
	{"--inline=op-pipelines=func.func(canonicalize{region-simplify=disabled})", false},
	{"--inline=max-iterations=1", false},
	{"--inline=inlining-threshold=50", false},
	{"--symbol-privatize=exclude=f0 --inline", false},
	{"--topological-sort", false},
	{"--canonicalize --symbol-dce --remove-dead-values", false},
	{"--canonicalize --symbol-dce --remove-dead-values=canonicalize=false", false},
	{"--symbol-privatize=exclude=f0 --canonicalize --symbol-dce --remove-dead-values", false},
	{"--snapshot-op-locations=filename=snapshot", false},
	{"--snapshot-op-locations=filename=snapshot%tag=t", false},
	{"--snapshot-op-locations=filename=snapshot%tag=t%print-op-generic%print-debuginfo", false},
	{"--snapshot-op-locations=filename=snapshot%print-local-scope%pretty-debuginfo%print-debuginfo", false},
	{"--print-op-stats", true},
	{"--print-op-stats=json", true},
	{"--view-op-graph", true},
	{"--view-op-graph=max-label-len=8%print-attrs=false", true},
	{"--view-op-graph=print-control-flow-edges%print-data-flow-edges=false", true},
	{"--view-op-graph=print-result-types=false", true},
	{"--print-ir", true},
	{"--print-ir=label=here", true},
}

func TestPeer(t *testing.T) {
	tool := peer.RequireTool(t, "mlir-opt-22")
	t.Chdir(t.TempDir())
	all, acyclic := validModules(t, tool, false), validModules(t, tool, true)
	for _, c := range commands {
		if *only != "" && c.arguments != *only {
			continue
		}
		t.Run(c.arguments, func(t *testing.T) {
			arguments := append(strings.Fields(c.arguments), common...)
			for i := range arguments {
				arguments[i] = strings.ReplaceAll(arguments[i], "%", " ")
			}
			texts := all
			if strings.Contains(c.arguments, "remove-dead-values") || strings.Contains(c.arguments, "enable-patterns") {
				// A constant that stands in a block that nothing reaches, too, loses its location in mlir-opt; and that
				// mlir-opt changes functions that are referred to, and erases effects in those that only call themselves
				texts = acyclic
			}
			counts := comparison{printing: c.printing}
			counts.compare(t, tool, arguments, texts)
			t.Logf("%d equal, %d differ, mlir-opt failed on %d", counts.equal, counts.differ, counts.crashed)
		})
	}
}

var common = []string{"--allow-unregistered-dialect", "--mlir-print-debuginfo", "--mlir-disable-threading"}

const marker = "// -----\n"

// validModules returns random modules that mlir-opt accepts.
func validModules(t *testing.T, tool string, acyclic bool) []string {
	var texts []string
	for i := range *modules {
		texts = append(texts, randomModule(*firstSeed+uint64(i), acyclic))
	}
	if !acyclic {
		texts = append(texts, cases(t)...)
	}
	whole, _ := run(t, tool, common, texts)
	var valid []string
	for i, part := range strings.Split(whole.stdout, marker) {
		if part != "" {
			valid = append(valid, texts[i])
		}
	}
	if len(valid) < len(texts)/2 {
		t.Fatalf("only %d of %d modules are valid: %s", len(valid), len(texts), whole.stderr)
	}
	return valid
}

// cases returns the texts of mlir-cases, where they are at hand.
func cases(t *testing.T) []string {
	folder, ok := shareddata.Find()
	if !ok {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(folder, "mlir-cases", "*.mlir"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), strings.TrimSpace(marker)) {
			texts = append(texts, string(text)+"\n")
		}
	}
	return texts
}

type comparison struct {
	printing               bool
	equal, differ, crashed int
}

// compare runs both tools on many texts at once, and on fewer where mlir-opt crashes.
func (c *comparison) compare(t *testing.T, tool string, arguments, texts []string) {
	want, ok := run(t, tool, arguments, texts)
	if !ok {
		if len(texts) == 1 {
			c.crashed++
			return
		}
		half := len(texts) / 2
		c.compare(t, tool, arguments, texts[:half])
		c.compare(t, tool, arguments, texts[half:])
		return
	}
	got := runOurs(t, arguments, texts)
	wantParts, gotParts := strings.Split(want.stdout, marker), strings.Split(got.stdout, marker)
	if len(wantParts) != len(texts) || len(gotParts) != len(texts) {
		t.Fatalf("%d parts of mlir-opt and %d of top-opt for %d texts", len(wantParts), len(gotParts), len(texts))
	}
	for i, text := range texts {
		// Where mlir-opt's remove-dead-values leaves invalid IR, and for blocks that nothing reaches, which it does not look at
		// but partly erases, there is nothing to compare.
		if wantParts[i] == "" || strings.Contains(wantParts[i], "ub.unreachable") {
			c.crashed++
			continue
		}
		if wantParts[i] == gotParts[i] {
			c.equal++
			continue
		}
		if c.differ++; c.differ <= *shown {
			t.Errorf("%s\n(-mlir-opt +top-opt):\n%s\n%s", text, cmp.Diff(wantParts[i], gotParts[i]), got.stderr)
		}
	}
	if c.printing && want.stderr != got.stderr {
		c.differ++
		t.Errorf("standard error (-mlir-opt +top-opt):\n%s", cmp.Diff(want.stderr, got.stderr))
	}
}

// outcome is what a program printed.
type outcome struct{ stdout, stderr string }

func runOurs(t *testing.T, arguments, texts []string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	topopt.Main(t.Context(), whole(arguments), strings.NewReader(strings.Join(texts, marker)), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String()}
}

// run runs mlir-opt; ok is false where it crashed.
func run(t *testing.T, tool string, arguments, texts []string) (o outcome, ok bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), tool, whole(arguments)...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(strings.Join(texts, marker)), &stdout, &stderr
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	status := command.ProcessState.ExitCode()
	return outcome{stdout.String(), stderr.String()}, status == 0 || status == 1
}

func whole(arguments []string) []string {
	return append(slices.Clone(arguments), "--split-input-file", "--output-split-marker="+strings.TrimSpace(marker), "-")
}
