package tputranslate

// This file holds --split-nets: a module of nets becomes a folder of files.

import (
	"context"
	"errors"
	"path/filepath"

	"tpuir/internal/atomicfile"
	"tpuir/internal/cli/irfile"
	"tpuir/internal/cli/progress"
	"tpuir/internal/embeddingfile"
	"tpuir/internal/netfiles"
	"tpuir/internal/registry"
	"tpuir/pass"
	"tpuir/transforms/weightfile"
)

func splitNets(ctx context.Context, t *tool) (err error) {
	if t.output == "" || t.output == "-" {
		return errors.New("--split-nets writes a folder; name it with -o")
	}
	file, err := irfile.Read(ctx, t.input, t.stdin)
	if err != nil {
		return err
	}
	session := pass.NewSession()
	defer func() { err = errors.Join(err, session.Close()) }()
	registry.Configure(session, registry.Files{Input: t.input, Output: t.output})
	total := 0
	for range file.Module.Region(0).First().Operations() {
		total++
	}
	bar := progress.New(t.stderr, total, "writing nets")
	defer bar.Done()
	folder, err := atomicfile.CreateFolder(t.output)
	if err != nil {
		return err
	}
	defer folder.Abort()
	if err := netfiles.Write(ctx, weightfile.Of(session), file.Module, folder.Staging(), bar.Step); err != nil {
		return file.Located(folder.Explain(err))
	}
	if t.embeddingDisk {
		if err := embeddingfile.Write(ctx, file.Module, t.input, filepath.Join(folder.Staging(), "config")); err != nil {
			return file.Located(folder.Explain(err))
		}
	}
	return folder.Commit()
}
