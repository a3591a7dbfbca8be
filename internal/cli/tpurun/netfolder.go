package tpurun

// This file opens a folder of nets, as tpu-translate --split-nets and TPU-MLIR's tools write them.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	moduledialect "tpuir/dialect/module"
	"tpuir/internal/cli/irfile"
	"tpuir/internal/embeddingfile"
	"tpuir/internal/registry"
	"tpuir/interp"
	"tpuir/pass"
	"tpuir/runtime/evaluator"
	"tpuir/transforms/nets"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

func (t *tool) openNets(ctx context.Context) (*model, error) {
	started := time.Now()
	entries, err := os.ReadDir(t.model)
	if err != nil {
		return nil, err
	}
	var found []nets.Net
	for _, e := range entries {
		if n := nets.Parse(e.Name()); e.IsDir() && n.Kind != nets.Unknown && n.String() == e.Name() {
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s is neither a checkpoint (there is no config.json) nor a folder of nets (there is no block_0)%s",
			t.model, weight.DescribeForeign(entries))
	}
	m := &model{embedding: t.model}
	total := 0
	for _, n := range found {
		path, err := t.netFile(n)
		if err != nil {
			return nil, err
		}
		count, err := t.addFile(ctx, m, n, path, len(found))
		if err != nil {
			return nil, err
		}
		total += count
	}
	t.step("read", started, "%s: %d nets, %d ops", t.model, len(found), total)
	return m, nil
}

// addFile reads the file of one net, and lowers it where a mode is asked for.
func (t *tool) addFile(ctx context.Context, m *model, n nets.Net, path string, total int) (int, error) {
	file, err := irfile.Read(ctx, path, nil)
	if err != nil {
		return 0, err
	}
	// A session of its own, since paths in a file are seen from its folder.
	one := &tool{options: t.options, stderr: t.stderr, session: pass.NewSession()}
	one.quiet, one.saveTemps = true, ""
	t.closers = append(t.closers, one.session.Close)
	registry.Configure(one.session, registry.Files{Input: path})
	mode := asTop
	if t.modeGiven {
		mode = t.mode
	}
	if err := one.advance(ctx, file.Module, mode); err != nil {
		return 0, file.Located(err)
	}
	if name, ok := file.Module.StringAttribute(moduledialect.Checkpoint); ok && m.checkpoint == nil {
		m.folder = embeddingfile.Beside(path, name)
		m.checkpoint = os.DirFS(m.folder)
	}
	weights := interp.NewCache(weightfile.Of(one.session).Weights(ctx, file.Module), interp.DefaultMemory/int64(total))
	m.nets = append(m.nets, evaluator.Net{Name: n.String(), Module: file.Module, Weights: weights})
	return ops(file.Module), nil
}

// netFile chooses the file of a net: the lowered one, but the Top one where -q asks for it or for lowering.
func (t *tool) netFile(n nets.Net) (string, error) {
	folder := filepath.Join(t.model, n.String())
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var lowered, top []string
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasSuffix(name, "_tpu.mlir"):
			lowered = append(lowered, name)
		case name == n.String()+".mlir", name == n.ModuleName()+".mlir":
			top = append(top, name)
		}
	}
	slices.Sort(lowered)
	if t.modeGiven && len(top) > 0 {
		lowered = nil
	}
	switch {
	case len(lowered) == 1:
		return filepath.Join(folder, lowered[0]), nil
	case len(lowered) > 1:
		return "", fmt.Errorf("%s holds several lowered files: %s; leave one", folder, strings.Join(lowered, ", "))
	case len(top) > 0:
		return filepath.Join(folder, top[0]), nil
	}
	return "", errors.New(folder + " holds no .mlir of its net")
}
