package pass

// This file holds the instrument that measures time, and its report in MLIR's form.

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"time"
)

// Timing measures passes and whatever else is given to [Timing.Phase]. The zero value is not ready: see [NewTiming].
type Timing struct {
	mu    sync.Mutex
	start time.Time
	root  timingNode
}

type timingNode struct {
	name     string
	order    int
	spent    time.Duration
	children map[string]*timingNode
}

// NewTiming starts the clock.
func NewTiming() *Timing { return &Timing{start: time.Now()} }

// Phase measures from now to the call of what it returns.
func (t *Timing) Phase(name string) (done func()) {
	started := time.Now()
	return func() { t.add([]timingStep{{name: name}}, time.Since(started)) }
}

type timingKey struct{}

// BeforePass starts a pass's clock.
func (t *Timing) BeforePass(s *Step) { s.Data[timingKey{}] = time.Now() }

// AfterPass stops it.
func (t *Timing) AfterPass(s *Step, _ error) {
	spent := time.Since(s.Data[timingKey{}].(time.Time))
	var path []timingStep
	for at := s.stage; at != nil && at.parent != nil; at = at.parent {
		name := at.name
		if at != s.stage {
			name = "'" + name + "' Pipeline"
		}
		path = append(path, timingStep{name, at.index})
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	t.add(path, spent)
}

type timingStep struct {
	name  string
	index int
}

func (t *Timing) add(path []timingStep, spent time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	node := &t.root
	for _, s := range path {
		key := fmt.Sprint(s.index, s.name)
		if node.children == nil {
			node.children = map[string]*timingNode{}
		}
		if node.children[key] == nil {
			node.children[key] = &timingNode{name: s.name, order: len(node.children)}
		}
		node = node.children[key]
		node.spent += spent
	}
}

const timingRule = "===-------------------------------------------------------------------------==="

// Report writes the times as MLIR does: a tree in the order of the pipeline. Where operations run in parallel the time of
// a pass is the sum over its runs and may exceed the whole.
func (t *Timing) Report(w io.Writer) {
	total := time.Since(t.start)
	fmt.Fprintf(w, "%s\n                         ... Execution time report ...\n%s\n", timingRule, timingRule)
	fmt.Fprintf(w, "  Total Execution Time: %.4f seconds\n\n  ----Wall Time----  ----Name----\n", total.Seconds())
	row := func(spent time.Duration, depth int, name string) {
		fmt.Fprintf(w, "  %8.4f (%5.1f%%)  %s%s\n", spent.Seconds(), 100*spent.Seconds()/total.Seconds(), strings.Repeat("  ", depth), name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var sum time.Duration
	var walk func(n *timingNode, depth int)
	walk = func(n *timingNode, depth int) {
		for _, child := range n.sorted() {
			if depth == 0 {
				sum += child.spent
			}
			row(child.spent, depth, child.name)
			walk(child, depth+1)
		}
	}
	walk(&t.root, 0)
	row(max(total-sum, 0), 0, "Rest")
	row(total, 0, "Total")
	fmt.Fprintln(w)
}

func (n *timingNode) sorted() []*timingNode {
	list := make([]*timingNode, 0, len(n.children))
	for _, c := range n.children {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].order < list[j].order })
	return list
}
