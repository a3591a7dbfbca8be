// Package weightfile gives passes the weights of the module they work on, takes the weights that they make, and writes
// them. Nothing is read, computed or held before it is written or asked for, so that peak memory follows the largest
// tensor and not the model.
package weightfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/top"
	"tpuir/importer"
	"tpuir/importer/source"
	"tpuir/internal/atomicfile"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/weight"
)

// Files says where a run reads and writes.
type Files struct {
	// Input and Output are the paths of the .mlir files; "-" or "" for none.
	Input, Output string
	// Embedded holds checkpoints that are built into the program; nil for none.
	Embedded fs.FS
}

// Session is the weights of one run of a pipeline.
type Session struct {
	mu      sync.Mutex
	files   Files
	opened  map[string]source.Source
	derived map[string]Recipe
	// moved says of files that are yet to be written where their weights are read until then.
	moved   map[string]string
	pending []pending
	recent  recent
	// Target is the file that the weights are to be written to when the run ends, "" where no pass named one.
	Target string
}

// Read reads a weight. The shape is what the IR says where the weight is used, or nil for that where the reader was made:
// the stage split decides some shapes behind the passes that make weights.
type Read func(ctx context.Context, shape []int64) (weight.Tensor, error)

// Recipe makes a weight that is in no file yet.
type Recipe struct {
	Type *ir.RankedTensorType
	// Make computes the tensor. It is called when the tensor is read or written, maybe more than once.
	Make Read
}

// Of returns the session's weights.
func Of(s *pass.Session) *Session {
	return pass.Shared(s, func() *Session {
		made := &Session{opened: map[string]source.Source{}, derived: map[string]Recipe{}, moved: map[string]string{}}
		s.OnClose(made.close)
		return made
	})
}

// Configure tells the session where the run reads and writes.
func Configure(s *pass.Session, f Files) { Of(s).files = f }

// Files returns where the run reads and writes.
func (s *Session) Files() Files { return s.files }

func (s *Session) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, o := range s.opened {
		if err := o.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.opened = map[string]source.Source{}
	return first
}

// FileOf returns the weight file of the module around an op, "" where none is named.
func FileOf(op *ir.Operation) string {
	for ; op != nil; op = op.Parent() {
		if file, ok := op.StringAttribute(moduledialect.WeightFile); ok {
			return file
		}
	}
	return ""
}

// Define adds a weight that the IR will name. A name that is defined already stays as it is: nets of one model make the
// same weights.
func (s *Session) Define(name string, r Recipe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.derived[name]; !ok {
		s.derived[name] = r
	}
}

// Tensor returns the weight of a top.Weight, with the shape of its type. The error is a diagnostic at the op.
func (s *Session) Tensor(ctx context.Context, op *ir.Operation) (weight.Tensor, error) {
	found, err := s.wanted(op).read(ctx, nil)
	if err != nil {
		return weight.Tensor{}, op.Errorf("%w", err)
	}
	return found, nil
}

// Reader returns a function that reads the weight of a top.Weight later, when the op may have changed or gone.
func (s *Session) Reader(op *ir.Operation) Read {
	return s.wanted(op).read
}

// wanted is a weight as an op names it: with its type, and the file that it is in if nobody makes it.
type wanted struct {
	session *Session
	name    string
	typ     ir.Type
	file    string
}

func (s *Session) wanted(op *ir.Operation) *wanted {
	return &wanted{session: s, name: ir.LocationName(op.Loc()), typ: op.Result(0).Type(), file: FileOf(op)}
}

func (w *wanted) read(ctx context.Context, shape []int64) (weight.Tensor, error) {
	t, ok := w.typ.(*ir.RankedTensorType)
	if ok && shape != nil {
		t = t.Context().RankedTensorType(shape, t.Element, t.Encoding)
	}
	if !ok || !ir.HasStaticShape(t) {
		return weight.Tensor{}, fmt.Errorf("must have a static shape for its elements to be read, but has type %s", w.typ)
	}
	s := w.session
	s.mu.Lock()
	recipe, derived := s.derived[w.name]
	s.mu.Unlock()
	if derived {
		made, err := recipe.Make(ctx, t.Shape)
		if err != nil {
			return weight.Tensor{}, err
		}
		if !slices.Equal(made.Shape(), t.Shape) {
			if made, err = fit(made, w.name, t.Shape); err != nil {
				return weight.Tensor{}, err
			}
		}
		return made.Rename(w.name), nil
	}
	if w.name == "" {
		return weight.Tensor{}, errors.New("has no name location, by which a weight is found in its file; was the text printed " +
			"without --mlir-print-debuginfo?")
	}
	if w.file == "" {
		return weight.Tensor{}, fmt.Errorf("failed to find tensor %s to read: the module has no %s", w.name, moduledialect.WeightFile)
	}
	from, err := s.open(w.file)
	if err != nil {
		return weight.Tensor{}, fmt.Errorf("failed to find tensor %s to read: %w", w.name, err)
	}
	found, err := from.Tensor(w.name, t)
	if err != nil {
		return weight.Tensor{}, fmt.Errorf("failed to find tensor %s to read: %w", w.name, err)
	}
	return found, nil
}

// fit gives a tensor the shape that the IR wants: the first rows of a table, or the same elements.
func fit(t weight.Tensor, name string, shape []int64) (weight.Tensor, error) {
	rows, err := importer.CutTable(t, name, shape)
	if err != nil {
		return rows, err
	}
	return rows.Reshape(shape...)
}

func (s *Session) open(file string) (source.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for seen := 0; s.moved[file] != "" && seen < len(s.moved); seen++ {
		file = s.moved[file]
	}
	if found, ok := s.opened[file]; ok {
		return found, nil
	}
	opened, err := source.Find(file, s.folders(), s.files.Embedded)
	if err != nil {
		return nil, err
	}
	s.opened[file] = opened
	return opened, nil
}

// folders returns where relative paths are looked for before the working folder.
func (s *Session) folders() []string {
	if !atomicfile.HasPlace(s.files.Input) {
		return nil
	}
	return []string{filepath.Dir(s.files.Input)}
}

// OutputPath returns where a weight file is written that an attribute names: beside the output, or in the working folder
// where there is none.
func (s *Session) OutputPath(file string) string {
	if filepath.IsAbs(file) || !atomicfile.HasPlace(s.files.Output) {
		return file
	}
	return filepath.Join(filepath.Dir(s.files.Output), file)
}

// Write writes the weights that the IR under root names to an npz file, one after the other in the order of their names.
func (s *Session) Write(ctx context.Context, root *ir.Operation, path string) error {
	return s.WriteAll(ctx, []*ir.Operation{root}, path)
}

// WriteAll is [Session.Write] for the weights of several operations in one file.
func (s *Session) WriteAll(ctx context.Context, roots []*ir.Operation, path string) error {
	out, err := s.write(ctx, roots, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	return out.Close()
}

// write writes everything but the end of a file, which then appears when it is closed.
func (s *Session) write(ctx context.Context, roots []*ir.Operation, path string) (_ *weight.NPZWriter, err error) {
	byName := map[string]*ir.Operation{}
	for _, root := range roots {
		root.Walk(func(op *ir.Operation) ir.WalkResult {
			if _, ok := top.AsWeight(op); ok {
				byName[ir.LocationName(op.Loc())] = op
			}
			return ir.Advance
		})
	}
	out, err := weight.CreateNPZ(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			out.Abort()
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := s.Tensor(ctx, byName[name])
		if err != nil {
			return nil, err
		}
		if err := out.Add(ctx, t); err != nil {
			return nil, atWeight(byName[name], path, err)
		}
	}
	return out, nil
}

// atWeight gives an error of writing a weight the place of its op, if it is not the file that could not be written but the
// weight that could not be read.
func atWeight(op *ir.Operation, path string, err error) error {
	var at *weight.Error
	if errors.As(err, &at) && at.File != path {
		return op.Errorf("failed to read its weight: %w", err)
	}
	return err
}
