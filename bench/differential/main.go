// Command differential compares top-opt with mlir-opt on every chunk of the .mlir files in a folder: whether both
// accept it, where the first error stands, and whether they print the same. With -mutations it compares on random
// mutations of the chunks too, which finds what no test file says; with -outputs on the chunks as they stand, in each form
// of output; with -exact the words of errors count as well.
//
//	go run ./bench/differential [-judge mlir-opt-22] [-ours top-opt] [-mutations N] [-outputs] [-exact] DIRECTORY...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	judge := flag.String("judge", "mlir-opt-22", "the program that is right")
	ours := flag.String("ours", "top-opt", "the program that is compared with it")
	mutations := flag.Int("mutations", 0, "number of mutated chunks to compare, instead of the chunks as they are")
	seed := flag.Uint64("seed", 1, "seed of the mutations")
	limit := flag.Int("limit", 0, "number of chunks, spread over all files, to compare; 0 compares all")
	known := flag.String("known", `^(builtin|func|cf|quant)\.`, "operations whose custom form both programs know")
	outputs := flag.Bool("outputs", false, "compare on the chunks as they are, in every form of output")
	exact := flag.Bool("exact", false, "show also where only words of errors and notes, or texts that read back to the same, differ")
	flag.Parse()

	knownOperation, err := regexp.Compile(*known)
	if err != nil {
		return err
	}
	chunks, err := readChunks(flag.Args())
	if err != nil {
		return err
	}
	if len(chunks) == 0 {
		return errors.New("no .mlir file in the folders given")
	}
	if *limit > 0 && len(chunks) > *limit {
		chunks = spread(chunks, *limit)
	}
	c := &comparison{
		judge: program{*judge}, ours: program{*ours}, known: knownOperation, exact: *exact, report: os.Stdout,
	}
	if *mutations > 0 {
		chunks = mutateAll(chunks, *mutations, rand.New(rand.NewPCG(*seed, 0)))
	}
	switch {
	case *outputs:
		return c.compareOutputs(ctx, chunks)
	case *mutations > 0:
		return c.compareTexts(ctx, chunks, false)
	}
	return c.compareForms(ctx, chunks)
}

// A chunk is the text between two split markers of a file.
type chunk struct {
	name string // file and number within it
	text string
}

// readChunks splits every .mlir file under the folders (or the files themselves).
func readChunks(roots []string) ([]chunk, error) {
	var chunks []chunk
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".mlir" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, part := range strings.Split(string(text), "// -----") {
				if strings.TrimSpace(part) == "" {
					continue
				}
				// A part must not swallow the marker that follows it.
				chunks = append(chunks, chunk{fmt.Sprintf("%s#%d", path, i), strings.TrimRight(part, "\n") + "\n"})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// spread takes n chunks at equal distances.
func spread(chunks []chunk, n int) []chunk {
	taken := make([]chunk, n)
	for i := range taken {
		taken[i] = chunks[i*len(chunks)/n]
	}
	return taken
}
