package tpurun

// This file leaves the IR of each step behind, in files that the tools read.

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	moduledialect "tpuir/dialect/module"
	"tpuir/internal/cli/files"
	"tpuir/ir"
	"tpuir/printer"
	"tpuir/transforms/weightfile"
)

// save writes the module after a step to DIR/NAME.STEP.mlir. Lowered IR gets its weights beside; other IR names those that it
// was made from. It does nothing without --save-temps.
func (t *tool) save(ctx context.Context, module *ir.Operation, step string) error {
	if t.saveTemps == "" {
		return nil
	}
	if err := os.MkdirAll(t.saveTemps, 0o777); err != nil {
		return err
	}
	base := t.stem(module) + "." + step
	saved := module.Clone()
	defer saved.Erase()
	for _, name := range []string{moduledialect.WeightFile, moduledialect.Checkpoint} {
		file, ok := module.StringAttribute(name)
		if !ok {
			continue
		}
		folder := ""
		if t.modelFile != "" {
			folder = filepath.Dir(t.modelFile)
		}
		saved.SetAttr(name, module.Context().StringAttr(fromFolder(t.saveTemps, folder, file)))
	}
	if isLowered(module) {
		npz := base + "_weights.npz"
		if err := weightfile.Of(t.session).Write(ctx, module, filepath.Join(t.saveTemps, npz)); err != nil {
			return err
		}
		saved.SetAttr(moduledialect.WeightFile, module.Context().StringAttr(npz))
	}
	text := printer.Append(nil, saved, printer.Options{DebugInfo: true})
	return files.WriteOutput(filepath.Join(t.saveTemps, base+".mlir"), text, nil)
}

// stem is what the files of the steps are named after: the model.
func (t *tool) stem(module *ir.Operation) string {
	if t.modelFile != "" {
		return strings.TrimSuffix(filepath.Base(t.modelFile), filepath.Ext(t.modelFile))
	}
	if name := ir.SymbolName(module); name != "" {
		return name
	}
	return "model"
}

// fromFolder returns the path of a file, which is relative to another folder or the working one, as seen from a folder.
func fromFolder(folder, base, file string) string {
	if !filepath.IsAbs(file) && base != "" && exists(filepath.Join(base, file)) {
		file = filepath.Join(base, file)
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return file
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return file
	}
	return filepath.ToSlash(relative)
}
