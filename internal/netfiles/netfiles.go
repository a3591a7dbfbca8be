// Package netfiles writes a module of nets as the files that TPU-MLIR's tools work on: a folder a net, its .mlir in it, and
// its weights where the .mlir says they are.
//
//	DIR/block_0/block_0.mlir            DIR/block_0_top_weights.npz                    Top, one npz for the stages of a layer
//	DIR/block_0/block_0_CHIP_MODE_tpu.mlir   DIR/block_0/block_0_CHIP_MODE_tpu_weights.npz   lowered, one npz a net
package netfiles

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tpuir/dialect/builtin"
	moduledialect "tpuir/dialect/module"
	"tpuir/internal/cli/files"
	"tpuir/ir"
	"tpuir/printer"
	"tpuir/transforms/nets"
	"tpuir/transforms/weightfile"
)

// Write writes every net of a module of nets below dir. The progress function, where it is not nil, is told of each net
// before it is written. Files appear whole or not at all; what was written before an error stays.
func Write(ctx context.Context, weights *weightfile.Session, module *ir.Operation, dir string, progress func(net string)) error {
	all, err := list(module)
	if err != nil {
		return err
	}
	w := &writer{weights: weights, dir: dir, groups: map[nets.Net][]*ir.Operation{}}
	for _, n := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if progress != nil {
			progress(n.net.String())
		}
		if err := w.net(ctx, n); err != nil {
			return fmt.Errorf("net %s: %w", n.net, err)
		}
	}
	return w.topWeights(ctx)
}

// netModule is a net's module in the module of nets.
type netModule struct {
	net    nets.Net
	module builtin.Module
}

func list(module *ir.Operation) ([]netModule, error) {
	var all []netModule
	for op := range module.Region(0).First().Operations() {
		m, ok := builtin.AsModule(op)
		if !ok {
			return nil, op.Errorf("stands where a net is expected: a module of modules can be written as nets; run --split-stages first")
		}
		net := nets.Parse(m.Name())
		if net.Kind == nets.Unknown {
			return nil, op.Errorf("@%s is no net; known are embedding, embedding_cache, block_i, block_kv_i, block_cache_i, lm_head, "+
				"greedy_head, sample_head", m.Name())
		}
		all = append(all, netModule{net, m})
	}
	if len(all) == 0 {
		return nil, module.Errorf("holds no net")
	}
	return all, nil
}

type writer struct {
	weights *weightfile.Session
	dir     string
	// groups holds the Top nets that share a weight file, order the groups as they came.
	groups map[nets.Net][]*ir.Operation
	order  []nets.Net
}

func (w *writer) net(ctx context.Context, n netModule) error {
	folder := filepath.Join(w.dir, n.net.String())
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	lowered := moduledialect.IsLowered(n.module.Operation)
	base := n.net.String()
	file := w.topWeightFile(n)
	if lowered {
		suffix := "_" + attribute(n.module, moduledialect.Chip) + "_" + strings.ToLower(attribute(n.module, moduledialect.Mode)) + "_tpu"
		base += suffix
		file = n.net.ModuleName() + suffix + "_weights.npz"
		if err := w.weights.Write(ctx, n.module.Operation, filepath.Join(folder, file)); err != nil {
			return err
		}
	}
	text := w.text(n, file, lowered)
	return files.WriteOutput(filepath.Join(folder, base+".mlir"), text, nil)
}

func attribute(m builtin.Module, name string) string {
	value, _ := m.StringAttribute(name)
	return value
}

// topWeightFile returns what module.weight_file of a Top net says, and remembers the net for its group.
func (w *writer) topWeightFile(n netModule) string {
	if !weightfile.HasWeights(n.module.Operation) {
		return "None" // TPU-MLIR's word for a net without weights
	}
	group := n.net.WeightGroup()
	if w.groups[group] == nil {
		w.order = append(w.order, group)
	}
	w.groups[group] = append(w.groups[group], n.module.Operation)
	return "../" + topWeights(group)
}

func topWeights(group nets.Net) string { return group.String() + "_top_weights.npz" }

// text prints a net as a module of its own. Top files end as TPU-MLIR's importer writes them, with one end of line,
// lowered ones as its driver does.
func (w *writer) text(n netModule, file string, lowered bool) []byte {
	c := n.module.Context()
	alone := n.module.Operation.Clone()
	alone.SetAttr(ir.SymbolNameAttribute, c.StringAttr(n.net.ModuleName()))
	alone.SetAttr(moduledialect.WeightFile, c.StringAttr(file))
	text := printer.Append(nil, alone, printer.Options{DebugInfo: true})
	alone.Erase()
	if !lowered {
		text = append(bytes.TrimRight(text, "\n"), '\n')
	}
	return text
}

// topWeights writes the npz files that Top nets share.
func (w *writer) topWeights(ctx context.Context) error {
	for _, group := range w.order {
		members := w.groups[group]
		if slices.ContainsFunc(members, moduledialect.IsLowered) {
			continue
		}
		if err := w.weights.WriteAll(ctx, members, filepath.Join(w.dir, topWeights(group))); err != nil {
			return fmt.Errorf("weights of %s: %w", group, err)
		}
	}
	return nil
}
