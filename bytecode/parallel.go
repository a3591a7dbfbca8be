package bytecode

// This file reads the regions of isolated operations side by side: they share no values, and each is a section of its own.

import (
	"runtime"
	"sync"
	"sync/atomic"

	"tpuir/ir"
)

// parallelSize is the size of the IR section from which starting goroutines pays.
const parallelSize = 64 << 10

// parallelDepth is the nesting at which regions are put aside: the functions of a module, or the nets.
const parallelDepth = 2

// job is the regions of an isolated operation, put aside.
type job struct {
	op      *ir.Operation
	content cursor
}

// workers returns how many goroutines read the operations.
func (r *reader) workers(wanted int) int {
	if wanted == 0 {
		wanted = runtime.GOMAXPROCS(0)
	}
	if r.version < versionLazy || r.sections[sectionIR].left() < parallelSize {
		return 1
	}
	return wanted
}

// resolveAll decodes everything that operations may refer to, so that goroutines only look it up. What can't be decoded is an
// error when an operation refers to it.
func (r *reader) resolveAll() {
	c := r.cursor(nil)
	for i := range r.names {
		r.resolveName(&c, &r.names[i])
		r.failure.err = nil
	}
	for i := range r.types {
		r.typeAt(&c, uint64(i))
		r.noteBroken(&r.types[i].entry)
	}
	for i := range r.attributes {
		if _, ok := r.stringEntry(&r.attributes[i].entry); ok {
			continue // it takes no time when an operation refers to it
		}
		if r.pendingLocation(&r.attributes[i]) {
			continue // nor this
		}
		r.attributeAt(&c, uint64(i))
		r.noteBroken(&r.attributes[i].entry)
	}
	r.resolved = true
}

// noteBroken keeps the error of an entry for when an operation refers to it.
func (r *reader) noteBroken(e *entry) {
	if r.failure.err == nil {
		return
	}
	if r.broken == nil {
		r.broken = map[*entry]error{}
	}
	r.broken[e], r.failure.err = r.failure.err, nil
}

// runJobs reads what was put aside. Of several errors that of the first in the file counts.
func (r *reader) runJobs(n int) {
	jobs := r.jobs
	r.jobs, r.collecting = nil, false
	errors := make([]error, len(jobs))
	workers := make([]*reader, min(n, len(jobs)))
	var next atomic.Int64
	var group sync.WaitGroup
	for i := range workers {
		w := *r
		w.slab, w.forward, w.orders = ir.Slab{}, map[*ir.Value]bool{}, nil
		w.operandBuffer, w.typeBuffer, w.successorBuffer, w.elementStack, w.namedStack = nil, nil, nil, nil, nil
		w.depth = parallelDepth
		workers[i] = &w
		group.Go(func() {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(jobs) {
					return
				}
				errors[at] = w.runJob(jobs[at])
			}
		})
	}
	group.Wait()
	for _, err := range errors {
		if err != nil {
			r.failure.err = err
			return
		}
	}
	for _, w := range workers {
		r.orders = append(r.orders, w.orders...)
	}
}

func (r *reader) runJob(j job) error {
	r.failure.err = nil
	j.content.failure = &r.failure
	r.readSection(&j.content, j.op)
	if r.failure.err == nil && len(r.forward) > 0 {
		j.content.fail(unresolved)
	}
	clear(r.forward)
	return r.failure.err
}
