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

// row is a line of a report.
type row struct {
	name  string
	depth int
	spent time.Duration
	list  []row // what is nested in it
}

// Report writes the times as MLIR does: a tree in the order of the pipeline, or a list with the longest first. Where
// operations run in parallel the time of a pass is the sum over its runs and may exceed the whole.
func (t *Timing) Report(w io.Writer, asList bool) {
	total := time.Since(t.start)
	fmt.Fprintf(w, "%s\n                         ... Execution time report ...\n%s\n", timingRule, timingRule)
	fmt.Fprintf(w, "  Total Execution Time: %.4f seconds\n\n  ----Wall Time----  ----Name----\n", total.Seconds())
	var write func(r row)
	write = func(r row) {
		fmt.Fprintf(w, "  %8.4f (%5.1f%%)  %s%s\n", r.spent.Seconds(), percent(r.spent, total), strings.Repeat("  ", r.depth), r.name)
		for _, inner := range r.list {
			write(inner)
		}
	}
	for _, r := range t.rows(total, asList) {
		write(r)
	}
	fmt.Fprintln(w)
}

// ReportJSON writes what Report does as JSON in MLIR's form.
func (t *Timing) ReportJSON(w io.Writer, asList bool) {
	total := time.Since(t.start)
	value := func(r row) string {
		return fmt.Sprintf(`{"wall": {"duration": %8.4f, "percentage": %5.1f}, "name": %q`, r.spent.Seconds(), percent(r.spent, total), r.name)
	}
	var write func(r row)
	write = func(r row) {
		indent := strings.Repeat("  ", r.depth)
		fmt.Fprintf(w, "%s%s, \"passes\": [\n", indent, value(r))
		for _, inner := range r.list {
			write(inner)
		}
		fmt.Fprintf(w, "%s{}]},\n", indent)
	}
	fmt.Fprint(w, "[\n")
	rows := t.rows(total, asList)
	for _, r := range rows[:len(rows)-2] {
		write(r)
	}
	fmt.Fprintf(w, "%s},\n%s}\n]\n", value(rows[len(rows)-2]), value(rows[len(rows)-1]))
}

func percent(part, whole time.Duration) float64 { return 100 * part.Seconds() / whole.Seconds() }

// rows returns the rows of a report, the last two of which are the rest and the total.
func (t *Timing) rows(total time.Duration, asList bool) []row {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.root.rows(0)
	var sum time.Duration
	for _, r := range list {
		sum += r.spent
	}
	if asList {
		list = merged(list)
	}
	return append(list, row{name: "Rest", spent: max(total-sum, 0)}, row{name: "Total", spent: total})
}

func (n *timingNode) rows(depth int) []row {
	var list []row
	for _, child := range n.sorted() {
		list = append(list, row{child.name, depth, child.spent, child.rows(depth + 1)})
	}
	return list
}

// merged flattens rows, adds up those of one name, and puts the longest first.
func merged(list []row) []row {
	var flat []row
	place := map[string]int{}
	var add func(list []row)
	add = func(list []row) {
		for _, r := range list {
			i, ok := place[r.name]
			if !ok {
				i = len(flat)
				place[r.name] = i
				flat = append(flat, row{name: r.name})
			}
			flat[i].spent += r.spent
			add(r.list)
		}
	}
	add(list)
	sort.SliceStable(flat, func(i, j int) bool { return flat[i].spent > flat[j].spent })
	return flat
}

func (n *timingNode) sorted() []*timingNode {
	list := make([]*timingNode, 0, len(n.children))
	for _, c := range n.children {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].order < list[j].order })
	return list
}
