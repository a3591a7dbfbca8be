package weightfile

// This file holds the weight files that passes name: they are written when the run has gone well, with the weights that the
// IR names then, and appear together with the output.

import (
	"context"
	"slices"

	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/weight"
)

// pending is a weight file that is to be written.
type pending struct {
	root *ir.Operation
	file string
}

// Move makes file the weight file of a module, to be written by [Session.Stage]. Until then the weights are read where they
// are now.
func (s *Session) Move(module *ir.Operation, file string) {
	old := FileOf(module)
	module.SetAttr(moduledialect.WeightFile, module.Context().StringAttr(file))
	s.mu.Lock()
	defer s.mu.Unlock()
	if old != file {
		s.moved[file] = old
		delete(s.moved, old) // what was read from a file that is read again is no longer redirected
	}
	s.pending = slices.DeleteFunc(s.pending, func(p pending) bool { return p.root == module })
	s.pending = append(s.pending, pending{module, file})
}

// Open opens the weight file of a module, so that one that is missing is found before the work begins.
func (s *Session) Open(module *ir.Operation) error {
	file := FileOf(module)
	if file == "" || !HasWeights(module) {
		return nil
	}
	if _, err := s.open(file); err != nil {
		return module.PlainErrorf("%w", err)
	}
	return nil
}

// Staged is weight files that are written but not yet in their places.
type Staged struct{ files []*weight.NPZWriter }

// Stage writes the weight files that passes have named beside their places.
func (s *Session) Stage(ctx context.Context) (*Staged, error) {
	staged := &Staged{}
	for _, p := range s.pending {
		if !HasWeights(p.root) {
			continue
		}
		out, err := s.write(ctx, []*ir.Operation{p.root}, s.OutputPath(p.file))
		if err != nil {
			staged.Abort()
			return nil, err
		}
		staged.files = append(staged.files, out)
	}
	s.pending = nil
	return staged, nil
}

// Commit puts the files into their places.
func (s *Staged) Commit() error {
	defer s.Abort()
	for _, f := range s.files {
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes what is not in its place.
func (s *Staged) Abort() {
	for _, f := range s.files {
		f.Abort()
	}
}

// HasWeights reports whether there is a weight under root.
func HasWeights(root *ir.Operation) bool {
	return !root.Walk(func(op *ir.Operation) ir.WalkResult {
		if _, ok := top.AsWeight(op); ok {
			return ir.Interrupt
		}
		return ir.Advance
	})
}
