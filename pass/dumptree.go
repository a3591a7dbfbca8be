package pass

// This file holds the tree of files that IR dumps are written to, so that they can be compared with each other.

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tpuir/ir"
)

// DumpTree writes dumps below a directory, as mlir-opt's --mlir-print-ir-tree-dir does:
// builtin_module_NAME/func_func_f/1_0_cse.mlir is the first dump of @f after the second of the module around it.
type DumpTree struct {
	root     string
	counters map[*ir.Operation]int
}

// NewDumpTree returns a tree below a directory, which is made with the first file.
func NewDumpTree(root string) *DumpTree {
	return &DumpTree{root: root, counters: map[*ir.Operation]int{}}
}

func (t *DumpTree) write(s *Step, dump func(io.Writer)) error {
	if count, ok := t.counters[s.Op]; ok {
		t.counters[s.Op] = count + 1
	} else {
		t.counters[s.Op] = 0
	}
	var folders, counts []string
	for op := s.Op; op != nil; op = op.Parent() {
		t.counters[op] += 0 // the next dump of what is around comes after this one
		folders = append(folders, folderName(op))
		counts = append(counts, strconv.Itoa(t.counters[op]))
	}
	slices.Reverse(folders)
	slices.Reverse(counts)
	folder := filepath.Join(append([]string{t.root}, folders...)...)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var text bytes.Buffer
	dump(&text)
	return os.WriteFile(filepath.Join(folder, strings.Join(counts, "_")+"_"+s.Definition.Argument+".mlir"), text.Bytes(), 0o666)
}

// folderName is an operation's name and symbol, without what would lead to another folder.
func folderName(op *ir.Operation) string {
	symbol := ir.SymbolName(op)
	if symbol == "" {
		symbol = "no-symbol-name"
	}
	return strings.ReplaceAll(op.Name().String(), ".", "_") + "_" + strings.NewReplacer("/", "_", "\\", "_", "\x00", "_").Replace(symbol)
}
