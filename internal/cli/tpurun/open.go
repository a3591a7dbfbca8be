package tpurun

// This file opens what -m names and takes it as far as it has to go: imported, split into nets, lowered.

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/examples/stories"
	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/internal/cli/irfile"
	"tpuir/internal/embeddingfile"
	"tpuir/internal/registry"
	"tpuir/interp"
	"tpuir/ir"
	"tpuir/runtime/evaluator"
	"tpuir/transforms/nets"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

// model is what is run.
type model struct {
	nets []evaluator.Net
	// checkpoint is the folder of tokenizer and settings, nil where none is known; folder is its name for messages.
	checkpoint fs.FS
	folder     string
	// embedding is where an embedding.bin may lie, "" for nowhere.
	embedding string
}

// asTop is the mode that leaves lowering out.
const asTop = "top"

// builtIn is where the built-in model is mounted. The name is one that no path on disk has by accident.
const builtIn = "built-in:/stories"

// mounted shows a file system under a path.
type mounted struct {
	path  string
	files fs.FS
}

// Open opens a file below the path.
func (m mounted) Open(name string) (fs.File, error) {
	if name == m.path {
		return m.files.Open(".")
	}
	if rest, ok := strings.CutPrefix(name, m.path+"/"); ok {
		return m.files.Open(rest)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (t *tool) open(ctx context.Context) (*model, error) {
	switch {
	case t.model == "" && t.saveTemps != "":
		// The files of the steps name the checkpoint, so they need one on disk.
		folder := filepath.Join(t.saveTemps, "stories")
		if err := copyFiles(stories.Files(), folder); err != nil {
			return nil, err
		}
		t.model = folder
		return t.openCheckpoint(ctx)
	case t.model == "":
		return t.openBuiltIn(ctx)
	}
	if t.model == standardInput {
		return t.openFile(ctx)
	}
	info, err := os.Stat(t.model)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return t.openFile(ctx)
	case hf.IsCheckpoint(t.model):
		return t.openCheckpoint(ctx)
	}
	return t.openNets(ctx)
}

// standardInput is the name that stands for IR on standard input. Paths in it are seen from where the command runs.
const standardInput = "-"

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func copyFiles(from fs.FS, folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.CopyFS(folder, from)
}

func (t *tool) openBuiltIn(ctx context.Context) (*model, error) {
	embedded := mounted{builtIn, stories.Files()}
	started := time.Now()
	checkpoint, err := hf.OpenFS(embedded, builtIn)
	if err != nil {
		return nil, err
	}
	registry.Configure(t.session, registry.Files{Embedded: embedded})
	return t.fromCheckpoint(ctx, started, checkpoint, builtIn, stories.Files())
}

func (t *tool) openCheckpoint(ctx context.Context) (*model, error) {
	started := time.Now()
	checkpoint, err := hf.Open(t.model)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(t.model)
	if err != nil {
		return nil, err
	}
	registry.Configure(t.session, registry.Files{})
	return t.fromCheckpoint(ctx, started, checkpoint, folder, os.DirFS(t.model))
}

// fromCheckpoint imports a checkpoint, which lies in a folder for the IR to name.
func (t *tool) fromCheckpoint(ctx context.Context, started time.Time, checkpoint *hf.Checkpoint, folder string, files fs.FS) (*model, error) {
	defer checkpoint.Close()
	if err := checkpoint.Weights.CheckNumbers(ctx); err != nil {
		return nil, err
	}
	options := importer.Options{WeightFile: folder, Checkpoint: folder, DoSample: t.wantsSampling(files)}
	module, err := checkpoint.Model.Build(registry.NewContext(), options)
	if err != nil {
		return nil, err
	}
	t.step("import", started, "%s: %d functions, %d ops", checkpoint.Model.Name, count(module, funcdialect.FuncName), ops(module))
	if err := t.save(ctx, module, "import"); err != nil {
		return nil, err
	}
	if err := t.advance(ctx, module, t.mode); err != nil {
		return nil, err
	}
	m := &model{checkpoint: files, folder: folder}
	if t.model != "" {
		m.folder = t.model
	}
	return m, t.addNets(ctx, m, module)
}

func (t *tool) openFile(ctx context.Context) (*model, error) {
	if format := weightFormat(t.model); format != "" {
		return nil, fmt.Errorf("%s is a file of weights (%s); -m takes a checkpoint's folder, an .mlir file or a folder of nets", t.model, format)
	}
	started := time.Now()
	if t.model != standardInput {
		t.modelFile = t.model
	}
	file, err := irfile.Read(ctx, t.model, t.stdin)
	if err != nil {
		return nil, err
	}
	t.sources = file.Sources
	t.step("read", started, "%s: %d ops", t.model, ops(file.Module))
	registry.Configure(t.session, registry.Files{Input: t.model})
	m := &model{}
	if t.inputsFile == "" || isWhole(file.Module) {
		mode := asTop
		if t.modeGiven {
			mode = t.mode
		}
		if err := t.advance(ctx, file.Module, mode); err != nil {
			return nil, err
		}
	}
	if name, ok := file.Module.StringAttribute(moduledialect.Checkpoint); ok {
		m.folder = embeddingfile.Beside(t.model, name)
		m.checkpoint = os.DirFS(m.folder)
	}
	return m, t.addNets(ctx, m, file.Module)
}

// weightFormat returns the format of a file that by its name holds weights and no IR, "" for others.
func weightFormat(name string) string {
	switch filepath.Ext(name) {
	case ".safetensors":
		return "safetensors"
	case ".npz":
		return "npz"
	}
	return weight.Foreign(name)
}

// isWhole reports whether a module is a whole model, not split into nets.
func isWhole(module *ir.Operation) bool {
	for op := range module.Region(0).First().Operations() {
		if fn, ok := funcdialect.AsFunc(op); ok && fn.Name() == nets.BlockName(0) {
			return true
		}
	}
	return false
}

// isLowered reports whether a module, or the first net in it, holds Tpu IR.
func isLowered(module *ir.Operation) bool {
	if module.Attr(moduledialect.State) != nil {
		return moduledialect.IsLowered(module)
	}
	for op := range module.Region(0).First().Operations() {
		if m, ok := builtin.AsModule(op); ok {
			return isLowered(m.Operation)
		}
	}
	return false
}

// advance splits a whole model into nets, and lowers it where a mode is asked for and it is not lowered.
func (t *tool) advance(ctx context.Context, module *ir.Operation, mode string) error {
	switch {
	case t.splitFlag != "" && !isWhole(module):
		return fmt.Errorf("%s is for the stage split, and the IR holds nets already", t.splitFlag)
	case t.lowerFlag != "" && isLowered(module) && t.mode != asTop:
		return fmt.Errorf("%s is for lowering, and the IR is lowered already", t.lowerFlag)
	case t.lowerFlag != "" && mode == asTop && t.lowerFlag != "-q":
		return fmt.Errorf("%s is for lowering; say with -q what to lower to", t.lowerFlag)
	}
	if isWhole(module) {
		started := time.Now()
		split := fmt.Sprintf("seq-length=%d max-input-length=%d chunk-length=%d dynamic=%t chip=%s", t.sequence, t.maxInput, t.chunk, t.dynamic, t.chip)
		if err := registry.Run(ctx, t.session, module, "split-stages", split); err != nil {
			return err
		}
		t.step("split", started, "%d nets, %d ops", count(module, builtin.ModuleName)-1, ops(module))
		if err := t.save(ctx, module, "split"); err != nil {
			return err
		}
	}
	if mode == asTop || isLowered(module) {
		return nil
	}
	started := time.Now()
	lower := fmt.Sprintf("mode=%s q-group-size=%d q-symmetric=%t chip=%s", strings.ToUpper(mode), t.group, t.symmetric, t.chip)
	if err := registry.Run(ctx, t.session, module, "lower-to-tpu", lower); err != nil {
		return err
	}
	t.step("lower", started, "%s: %d nets, %d ops", strings.ToUpper(mode), count(module, builtin.ModuleName)-1, ops(module))
	return t.save(ctx, module, "tpu")
}

// addNets makes the nets of a module known: those inside it, or the one that it is.
func (t *tool) addNets(ctx context.Context, m *model, module *ir.Operation) error {
	weights := interp.NewCache(weightfile.Of(t.session).Weights(ctx, module), 0)
	for op := range module.Region(0).First().Operations() {
		if inner, ok := builtin.AsModule(op); ok && inner.Name() != ir.SymbolName(module) {
			m.nets = append(m.nets, evaluator.Net{Name: inner.Name(), Module: inner.Operation, Weights: weights})
		}
	}
	if len(m.nets) == 0 {
		m.nets = []evaluator.Net{{Name: ir.SymbolName(module), Module: module, Weights: weights}}
	}
	return nil
}

// ops counts the operations of a module that compute something.
func ops(module *ir.Operation) int {
	n := 0
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		if namespace := op.Name().Namespace(); namespace == "top" || namespace == "tpu" {
			n++
		}
		return ir.Advance
	})
	return n
}

func count(module *ir.Operation, name string) int {
	n := 0
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		if op.Is(name) {
			n++
		}
		return ir.Advance
	})
	return n
}
