package parser_test

// This file holds what the tests of the package share.

import (
	"context"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tpuir/dialect/builtin"
	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/quant"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

func newContext() *ir.Context {
	c := ir.NewContext()
	c.AllowUnregisteredDialects = true
	builtin.Register(c)
	funcdialect.Register(c)
	cf.Register(c)
	quant.Register(c)
	top.Register(c)
	tpu.Register(c)
	return c
}

// read parses and verifies a text.
func read(name string, text []byte) (*ir.Operation, *ir.Source, []*ir.Diagnostic) {
	var sources ir.Sources
	src := sources.Add(name, text)
	op, found := parser.Parse(context.Background(), newContext(), src, parser.Options{})
	if len(found) == 0 {
		found = ir.Verify(context.Background(), op)
	}
	return op, src, found
}

// printed returns the module as mlir-opt writes it, with its empty line at the end.
func printed(op *ir.Operation, options printer.Options) string {
	return string(printer.Append(nil, op, options)) + "\n"
}

// cases returns the files of an archive by name, and the names that end in .mlir without that.
func cases(t testing.TB, path string) (files map[string][]byte, names []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string][]byte{}
	for _, f := range txtar.Parse(data).Files {
		files[f.Name] = f.Data
		if name, ok := strings.CutSuffix(f.Name, ".mlir"); ok {
			names = append(names, name)
		}
	}
	return files, names
}
