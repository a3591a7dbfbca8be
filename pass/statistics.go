package pass

// This file holds the statistics that passes count.

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
)

// Statistics collects what passes count. The zero value is ready; it is safe for concurrent use.
type Statistics struct {
	mu      sync.Mutex
	entries map[statisticKey]*Statistic
}

// statisticKey names a place of the pipeline by its path, since every operation that a pass runs on has a stage of
// its own there.
type statisticKey struct {
	path, name string
}

// Statistic is one number of one pass at one place of the pipeline.
type Statistic struct {
	Pass, Name, Description string
	Value                   int64
	stage                   *stage
}

func (s *Statistics) add(at *stage, name, description string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		s.entries = map[statisticKey]*Statistic{}
	}
	key := statisticKey{fmt.Sprint(at.path()), name}
	if s.entries[key] == nil {
		s.entries[key] = &Statistic{Pass: at.name, Name: name, Description: description, stage: at}
	}
	s.entries[key].Value += n
}

// List returns the statistics in the order of the pipeline, those of a pass by name.
func (s *Statistics) List() []Statistic {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Statistic, 0, len(s.entries))
	for _, e := range s.entries {
		list = append(list, *e)
	}
	sort.Slice(list, func(i, j int) bool {
		if c := list[i].stage.compare(list[j].stage); c != 0 {
			return c < 0
		}
		return list[i].Name < list[j].Name
	})
	return list
}

func (s *stage) path() []int {
	if s == nil || s.parent == nil {
		return nil
	}
	return append(s.parent.path(), s.index)
}

func (s *stage) compare(other *stage) int {
	a, b := s.path(), other.path()
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] - b[i]
		}
	}
	return len(a) - len(b)
}

const statisticsHeading = timingRule + "\n                         ... Pass statistics report ...\n" + timingRule + "\n"

// ReportPipeline writes the statistics as MLIR does, nested as the pipeline is.
func (s *Statistics) ReportPipeline(w io.Writer) {
	fmt.Fprint(w, statisticsHeading)
	var open []*stage
	last := ""
	for _, e := range s.List() {
		open = reportNesting(w, open, e.stage)
		indent := strings.Repeat("  ", len(open))
		if at := fmt.Sprint(e.stage.path()); at != last {
			fmt.Fprintf(w, "%s%s\n", indent, e.Pass)
			last = at
		}
		e.report(w, indent)
	}
	fmt.Fprintln(w)
}

// reportNesting writes the headings of the pipelines around a stage that are not written yet, and returns all of them.
func reportNesting(w io.Writer, open []*stage, at *stage) []*stage {
	var around []*stage
	for p := at.parent; p != nil && p.parent != nil; p = p.parent {
		around = append([]*stage{p}, around...)
	}
	for i, p := range around {
		if i < len(open) && fmt.Sprint(open[i].path()) == fmt.Sprint(p.path()) {
			continue
		}
		open = open[:min(i, len(open))]
		fmt.Fprintf(w, "%s'%s' Pipeline\n", strings.Repeat("  ", i), p.name)
	}
	return around
}

// ReportList writes the statistics as MLIR does, those of a pass added up, by the name of the pass.
func (s *Statistics) ReportList(w io.Writer) {
	fmt.Fprint(w, statisticsHeading)
	sums := map[statisticKey]*Statistic{}
	var list []*Statistic
	for _, e := range s.List() {
		key := statisticKey{e.Pass, e.Name}
		if sums[key] == nil {
			sums[key] = &Statistic{Pass: e.Pass, Name: e.Name, Description: e.Description}
			list = append(list, sums[key])
		}
		sums[key].Value += e.Value
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Pass < list[j].Pass })
	last := ""
	for _, e := range list {
		if e.Pass != last {
			fmt.Fprintln(w, e.Pass)
			last = e.Pass
		}
		e.report(w, "")
	}
	fmt.Fprintln(w)
}

func (e *Statistic) report(w io.Writer, indent string) {
	fmt.Fprintf(w, "%s  (S) %d %s - %s\n", indent, e.Value, e.Name, e.Description)
}
