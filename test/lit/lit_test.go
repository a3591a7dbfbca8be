// Package lit_test runs the scripts in the folders beside this file, one folder a subject. What a script may do is told
// in internal/lit. With -update the golden files in scripts are rewritten from present output, with -update-checks the
// CHECK lines.
package lit_test

import (
	"flag"
	"testing"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/cli/tpurun"
	"tpuir/internal/cli/tputranslate"
	"tpuir/internal/filecheck"
	"tpuir/internal/lit"
)

// commands are the tools that scripts may run.
var commands = lit.Commands{
	"filecheck-tool": filecheck.Main, // the program; the command filecheck of scripts checks what a command printed
	"top-opt":        topopt.Main,
	"tpu-translate":  tputranslate.Main,
	"tpu-run":        tpurun.Main,
}

var options = lit.Flags(flag.CommandLine)

func TestMain(m *testing.M) { commands.Main(m) }

func TestLit(t *testing.T) { lit.Run(t, ".", options) }
