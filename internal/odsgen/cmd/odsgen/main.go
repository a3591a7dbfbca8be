// Command odsgen reads an op definition file and writes the Go files and the reference page that follow from it.
//
//	go run tpuir/internal/odsgen/cmd/odsgen -docs ../../docs/dialects top.ods
package main

import (
	"flag"
	"fmt"
	"os"

	"tpuir/internal/odsgen"
)

func main() {
	docs := flag.String("docs", "", "folder of the reference page; none is written where it is empty")
	out := flag.String("o", ".", "folder of the Go files")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: odsgen [-o DIR] [-docs DIR] FILE.ods")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := odsgen.Run(flag.Arg(0), *out, *docs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
