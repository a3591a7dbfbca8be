package printer

// This file lets several goroutines write the operations of a large block: names and aliases are fixed before anything is
// written, so that the text of an operation depends on no other. The pieces are put together in order.

import (
	"runtime"
	"slices"
	"sync"

	"tpuir/ir"
)

const (
	// pieceWeight is how much goes into a piece: an operation weighs 1, one with regions regionWeight.
	pieceWeight  = 1024
	regionWeight = 64
	// parallelWeight is what a block must weigh to be worth the goroutines.
	parallelWeight = 4 * pieceWeight
)

// piece is a run of operations of a block.
type piece struct {
	first, end *ir.Operation // end is the first that is not in it, nil for none
	text       []byte
	resources  []string // the keys that were written in it
	done       chan struct{}
}

// goroutines returns how many may write: 1 where the order of writing matters to what is written.
func (p *printer) goroutines() int {
	if p.options.Serial || p.options.Track != nil || p.options.LocalScope || p.aliases.distinct {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

func weight(op *ir.Operation) int {
	if op.NumRegions() > 0 {
		return regionWeight
	}
	return 1
}

// isLarge reports whether a block is worth several goroutines.
func isLarge(b *ir.Block) bool {
	total := 0
	for op := b.First(); op != nil; op = op.Next() {
		if total += weight(op); total >= parallelWeight {
			return true
		}
	}
	return false
}

// inParallel writes the operations of a block up to end.
func (p *printer) inParallel(b *ir.Block, end *ir.Operation) {
	ordered := make(chan *piece, 2*p.workers) // bounds the text that waits
	todo := make(chan *piece, 2*p.workers)
	var used sync.Pool
	go func() {
		for first := b.First(); first != end; {
			next := first
			for total := 0; next != end && total < pieceWeight; next = next.Next() {
				total += weight(next)
			}
			part := &piece{first: first, end: next, done: make(chan struct{})}
			ordered <- part
			todo <- part
			first = next
		}
		close(ordered)
		close(todo)
	}()
	var workers sync.WaitGroup
	for range p.workers {
		// A worker takes what it needs of p before it starts, and p goes on only when all have ended.
		w := &printer{options: p.options, context: p.context, names: p.names, aliases: p.aliases, indent: p.indent,
			defaultDialects: slices.Clone(p.defaultDialects), workers: 1}
		workers.Go(func() { w.pieces(todo, &used) })
	}
	for part := range ordered {
		<-part.done
		p.add(part)
		used.Put(&part.text)
	}
	workers.Wait()
}

// pieces writes pieces as they come.
func (w *printer) pieces(todo <-chan *piece, used *sync.Pool) {
	w.setText()
	for part := range todo {
		if text, ok := used.Get().(*[]byte); ok {
			w.buf = (*text)[:0]
		}
		w.operations(part.first, part.end)
		part.text, part.resources = w.buf, w.resources.keys
		w.buf, w.resources = nil, resources{}
		close(part.done)
	}
}

// add puts a piece behind what is written. A key that a worker has remembered the text of is in an earlier piece.
func (p *printer) add(part *piece) {
	for _, key := range part.resources {
		p.resources.addKey(key)
	}
	if p.out == nil {
		p.buf = append(p.buf, part.text...)
		return
	}
	p.flush()
	if p.err == nil {
		_, p.err = p.out.Write(part.text)
	}
}
