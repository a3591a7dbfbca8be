// Package pass runs passes over IR: what a pass is and how it is found by name, options, pipelines as text, the manager
// that runs them, and the instruments that watch it (printing, timing, statistics).
//
// Nothing here knows a particular pass. Passes are registered in a [Registry] that the tool makes; there is no global one.
package pass

// This file holds the pass itself, its definition and the registry.

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"

	"tpuir/ir"
)

// Pass transforms one operation and what is nested in it. A pass that is anchored on an isolated operation may run on
// several of them at once, each with an instance of its own.
type Pass interface {
	// Run transforms op. Errors with places are [ir.Diagnostic]s; several may be joined.
	Run(run *Run, op *ir.Operation) error
}

// Configurable is a pass with options: Options binds them to the pass's fields.
type Configurable interface {
	Pass
	Options(set *OptionSet)
}

// Definition describes a pass to the registry, to help texts and to instruments.
type Definition struct {
	// Argument is the name on the command line and in pipelines, "lower-to-tpu".
	Argument string
	// Name is the name in messages and IR dumps, "LowerToTpu".
	Name string
	// Summary says in one line what the pass does; Description in full.
	Summary, Description string
	// Anchor is the operation the pass runs on, "builtin.module"; "" for any.
	Anchor string
	// Peer says that the pass is TPU-MLIR's: the driver puts `init` and `deinit` around it where the module has a weight file.
	Peer bool
	// Model says that the pass works on models, whose tensors are named by their locations: the driver prints locations
	// where the module has a weight file, unless it is told otherwise.
	Model bool
	// New makes an instance with default options.
	New func() Pass
}

// Registry holds definitions by argument. The zero value is empty and ready.
type Registry struct {
	definitions map[string]*Definition
}

// Add registers definitions. Registering an argument twice is a mistake of the program, and panics.
func (r *Registry) Add(definitions ...*Definition) {
	if r.definitions == nil {
		r.definitions = map[string]*Definition{}
	}
	for _, d := range definitions {
		if r.definitions[d.Argument] != nil {
			panic("pass: registered twice: " + d.Argument)
		}
		r.definitions[d.Argument] = d
	}
}

// Lookup returns a definition, or nil.
func (r *Registry) Lookup(argument string) *Definition { return r.definitions[argument] }

// All returns the definitions by argument.
func (r *Registry) All() []*Definition {
	all := make([]*Definition, 0, len(r.definitions))
	for _, d := range r.definitions {
		all = append(all, d)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Argument < all[j].Argument })
	return all
}

// Run is what a pass is given beside its operation.
type Run struct {
	// Context ends the work early when it is cancelled.
	Context context.Context
	// Session is shared by all passes of the pipeline.
	Session *Session
	// Warn takes warnings and remarks; errors are returned.
	Warn       func(*ir.Diagnostic)
	output     *output
	statistics *Statistics
	stage      *stage
}

// Count adds to a statistic of the pass.
func (r *Run) Count(name, description string, n int64) {
	if r.statistics != nil {
		r.statistics.add(r.stage, name, description, n)
	}
}

// Print lets a pass write for people, to standard error as a rule; what several write at once does not get mixed.
func (r *Run) Print(write func(w io.Writer) error) error {
	r.output.mu.Lock()
	defer r.output.mu.Unlock()
	if r.output.w == nil {
		return nil
	}
	return write(r.output.w)
}

// output is where passes print.
type output struct {
	mu sync.Mutex
	w  io.Writer
}

// Session keeps what passes of one pipeline share beyond the IR, such as open weight files, under the type of the
// value. It is safe for concurrent use.
type Session struct {
	mu     sync.Mutex
	values map[any]any

	closersMu sync.Mutex // apart, since a value that is made may register its end
	closers   []func() error
}

// NewSession returns an empty session.
func NewSession() *Session { return &Session{values: map[any]any{}} }

type sessionKey[T any] struct{}

// Shared returns the session's value of type T, made by the function the first time.
func Shared[T any](s *Session, build func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.values[sessionKey[T]{}]; ok {
		return v.(T)
	}
	v := build()
	s.values[sessionKey[T]{}] = v
	return v
}

// OnClose has a function called when the session ends, the last first.
func (s *Session) OnClose(close func() error) {
	s.closersMu.Lock()
	defer s.closersMu.Unlock()
	s.closers = append(s.closers, close)
}

// Close ends the session and returns the first error.
func (s *Session) Close() error {
	var first error
	for _, closer := range slices.Backward(s.closers) {
		if err := closer(); err != nil && first == nil {
			first = err
		}
	}
	s.closers = nil
	return first
}

// Suggest returns the registered argument that looks most like a misspelt one, or "".
func (r *Registry) Suggest(argument string) string {
	names := make([]string, 0, len(r.definitions))
	for name := range r.definitions {
		names = append(names, name)
	}
	return Closest(argument, names)
}

// Closest returns the name that a misspelt word was most likely meant to be, or "" where none is near: at most a third
// of the letters may differ.
func Closest(word string, names []string) string {
	const longest = 200 // nothing that is longer is a name
	if len(word) > longest {
		return ""
	}
	best, bestDistance := "", len(word)/3+1
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	for _, name := range sorted {
		if d := editDistance(strings.ToLower(word), strings.ToLower(name), bestDistance); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance is Levenshtein's, given up at the limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return min(row[len(b)], limit)
}

// didYouMean is the end of a message about an unknown word.
func didYouMean(word string, names []string) string {
	if closest := Closest(word, names); closest != "" {
		return fmt.Sprintf("; did you mean '%s'?", closest)
	}
	return ""
}
