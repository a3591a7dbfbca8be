package pass

// This file holds the statistics that passes count.

import (
	"fmt"
	"sort"
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
