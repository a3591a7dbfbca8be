package parser

// This file reads parts of a large text at the same time: the functions of a module, and the aliases behind it. What is a
// part is guessed from the layout of the text, read, and taken only if each part ended exactly where the next one begins;
// else the text is read again from the start of the first part, one thing after another. So the result, errors included,
// never depends on the guess.

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"tpuir/ir"
)

// shared is what all parsers of one text know together.
type shared struct {
	mu        sync.Mutex
	distinct  map[uint64]*ir.DistinctAttr
	resources map[string]string
}

// distinctAttr returns the attribute of a number, made now if it is the first.
func (s *shared) distinctAttr(c *ir.Context, number uint64, referenced ir.Attribute) *ir.DistinctAttr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.distinct[number] == nil {
		s.distinct[number] = c.NewDistinct(referenced)
	}
	return s.distinct[number]
}

// resourceKey returns the context's key for a key of this text.
func (s *shared) resourceKey(c *ir.Context, key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.resources[key]
	if !ok {
		known = c.DeclareResource(key)
		s.resources[key] = known
	}
	return known
}

// smallestChunk is the number of bytes below which a part is not worth a goroutine.
const smallestChunk = 32 << 10

// deepestChunks is how many regions deep parts are looked for: modules of nets, and a module around.
const deepestChunks = 4

// fork returns a parser that reads the same text from an offset on. What p knows of aliases is read, not changed.
func (p *parser) fork(at int) *parser {
	q := newParser(p.cancel, p.context, p.source)
	q.defaults = append([]string(nil), p.defaults...)
	q.typeAliases = p.typeAliases
	q.attributeAliases.outer = &p.attributeAliases
	q.shared = p.shared
	q.depth = p.depth
	q.line, q.lineStart, q.counted = p.line, p.lineStart, p.counted
	q.begin()
	q.reset(at)
	return q
}

// parseChunks reads the operations from the current one to the end of the region in parallel, if it can.
func (p *parser) parseChunks() {
	if p.workers < 2 || len(p.blocks) > deepestChunks || len(p.text)-p.token.start < 4*smallestChunk || !p.nothingNamed() {
		return
	}
	starts := p.chunkStarts()
	if len(starts) < 2 {
		return
	}
	chunks := make([]*parser, len(starts))
	for i, at := range starts {
		p.countLines(at)
		chunks[i] = p.fork(at)
	}
	p.line, p.lineStart, p.counted = chunks[0].line, chunks[0].lineStart, chunks[0].counted
	var failed atomic.Bool
	var next atomic.Int32
	var group sync.WaitGroup
	for range min(p.workers, len(chunks)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(chunks) && !failed.Load(); i = int(next.Add(1)) - 1 {
				limit := len(p.text)
				if i+1 < len(starts) {
					limit = starts[i+1]
				}
				if !chunks[i].parseChunk(limit) {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	if failed.Load() {
		p.workers = 1 // a layout that misleads once will do so again
		return
	}
	for _, q := range chunks {
		p.laterLocs = append(p.laterLocs, q.laterLocs...)
		p.parts = append(p.parts, &q.attributeAliases)
		for op := range q.block.Operations() {
			op.MoveToEnd(p.block)
		}
	}
	p.reset(chunks[len(chunks)-1].token.start)
}

// nothingNamed reports whether no value has a name here, so that what follows can't refer to one.
func (p *parser) nothingNamed() bool { return len(p.defined) == 0 && len(p.forward) == 0 }

// chunkStarts guesses where parts of about the same size start: at operations that are indented like the current one and
// have its name.
func (p *parser) chunkStarts() []int {
	start := p.token.start
	line := bytes.LastIndexByte(p.text[:start], '\n') + 1
	indent := p.text[line:start]
	if p.token.kind != tokenString && p.token.kind != tokenBare || len(bytes.TrimLeft(indent, " ")) > 0 {
		return nil
	}
	begin := append([]byte{'\n'}, p.text[line:p.token.end]...)
	size := max(smallestChunk, (len(p.text)-start)/(4*p.workers))
	starts := []int{start}
	for at := start + size; at < len(p.text); {
		i := bytes.Index(p.text[at:], begin)
		if i < 0 {
			break
		}
		starts = append(starts, at+i+1+len(indent))
		at += i + size
	}
	return starts
}

// parseChunk reads operations up to the limit, or to the end of the region for the last part. It reports whether it ended
// there, and left nothing that what follows could refer to.
func (p *parser) parseChunk(limit int) bool {
	for p.token.start < limit && p.token.kind != tokenRightBrace {
		if err := p.parseOperation(); err != nil {
			return false
		}
	}
	if limit == len(p.text) {
		if p.token.kind != tokenRightBrace {
			return false
		}
	} else if p.token.start != limit {
		return false
	}
	return len(p.errors) == 0 && p.nothingNamed() && len(p.blockNames) == 0
}

// tail is the alias definitions at the end of a text.
type tail struct {
	start  int
	parser *parser // nil: they could not be read
}

// startTail begins to read the alias definitions at the end of the text, once.
func (p *parser) startTail() {
	if p.tail != nil || p.workers < 2 || len(p.text)-p.token.start < 4*smallestChunk {
		return
	}
	head := p.attributeAliases
	p.attributeAliases = aliasTable{outer: &head}
	q := p.fork(p.token.start)
	q.attributeAliases.outer = &head
	var stop context.CancelFunc
	q.cancel, stop = context.WithCancel(p.cancel)
	done := make(chan *tail, 1)
	p.tail = done
	p.endTail = func() {
		stop()
		<-done
	}
	go func() { done <- q.parseTail() }()
}

func (p *parser) parseTail() *tail {
	t := &tail{start: tailStart(p.text)}
	if len(p.text)-t.start < smallestChunk || t.start < p.token.start {
		return t
	}
	p.reset(t.start)
	for n := 0; p.token.kind == tokenHash; n++ {
		if n%1024 == 0 && p.cancel.Err() != nil {
			return t
		}
		if err := p.parseAttributeAlias(); err != nil {
			return t
		}
	}
	if p.token.kind == tokenEOF {
		t.parser = p
	}
	return t
}

// tailStart returns the offset of the first of the lines at the end of a text that all start with #.
func tailStart(text []byte) int {
	start := len(text)
	for end := len(bytes.TrimRight(text, "\n")); ; {
		line := bytes.LastIndexByte(text[:end], '\n') + 1
		if line >= end || text[line] != '#' {
			return start
		}
		start = line
		if line == 0 {
			return start
		}
		end = line - 1
	}
}

// takeTail takes over the aliases at the end of the text, if these start at the current token and were read.
func (p *parser) takeTail() bool {
	if p.tail == nil {
		return false
	}
	t := <-p.tail
	p.tail <- t
	if t.parser == nil || t.start != p.token.start || p.attributeAliases.anyDefined() {
		return false
	}
	p.parts = append(p.parts, &aliasTable{named: p.attributeAliases.named, pages: p.attributeAliases.pages})
	p.attributeAliases = t.parser.attributeAliases
	p.token, p.last = t.parser.token, t.parser.last
	return true
}

// resolveParts gives the aliases that were used in parts of the text the values they have got since.
func (p *parser) resolveParts() {
	for _, part := range p.parts {
		part.waiting(func(name []byte, a *alias) {
			if known := p.attributeAliases.defined(name); known != nil {
				a.value = known.value
			}
		})
	}
}
