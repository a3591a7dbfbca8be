package ir

// This file holds the table that makes types and attributes unique. It is read without a lock: most of what a file asks for
// is there already.

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"unsafe"
)

const shardCount = 64

// shard is one part of the table: open addressing with linear probing, at most two thirds full.
type shard struct {
	slots atomic.Pointer[[]slot]

	mu    sync.Mutex // for writing
	count int
	free  []interned // memory for further entries
	arena []byte     // and for their keys
}

// slot is a place of the table. The hash stands beside the entry, so that a search passes other entries without touching
// their memory. It is 0 where there is no entry, and written atomically behind the entry, which whoever has read it may read.
type slot struct {
	hash  uint64
	entry *interned
}

// interned is one entry; it never changes.
type interned struct {
	key   string
	value any
}

const (
	firstSlots  = 16
	entryChunk  = 64
	arenaChunk  = 8 << 10
	largestKeys = 1 << 10 // longer keys get memory of their own
)

func (s *shard) find(hash uint64, key []byte) *interned {
	table := s.slots.Load()
	if table == nil {
		return nil
	}
	slots := *table
	mask := uint64(len(slots) - 1)
	for i := hash / shardCount & mask; ; i = (i + 1) & mask {
		switch atomic.LoadUint64(&slots[i].hash) {
		case 0:
			return nil
		case hash:
			if e := slots[i].entry; e.key == string(key) {
				return e
			}
		}
	}
}

// place returns the entry of a key, or the slot where it belongs. The lock is held.
func (s *shard) place(hash uint64, key []byte) (*interned, *slot) {
	table := s.slots.Load()
	if table == nil || 3*s.count >= 2*len(*table) {
		table = s.grow(table)
	}
	slots := *table
	mask := uint64(len(slots) - 1)
	for i := hash / shardCount & mask; ; i = (i + 1) & mask {
		at := &slots[i]
		if at.hash == 0 {
			return nil, at
		}
		if at.hash == hash && at.entry.key == string(key) {
			return at.entry, at
		}
	}
}

// add puts an entry into its slot. The lock is held.
func (s *shard) add(free *slot, hash uint64, key []byte, value any) {
	if len(s.free) == 0 {
		s.free = make([]interned, min(entryChunk, s.count/2+4))
	}
	e := &s.free[0]
	s.free = s.free[1:]
	*e = interned{key: s.keep(key), value: value}
	free.entry = e
	atomic.StoreUint64(&free.hash, hash)
	s.count++
}

// vacancy returns the first free slot for a hash.
func vacancy(slots []slot, hash uint64) *slot {
	mask := uint64(len(slots) - 1)
	i := hash / shardCount & mask
	for slots[i].hash != 0 {
		i = (i + 1) & mask
	}
	return &slots[i]
}

// grow makes a table of twice the size. Nobody else sees it before it is full.
func (s *shard) grow(old *[]slot) *[]slot {
	size := firstSlots
	if old != nil {
		size = 2 * len(*old)
	}
	slots := make([]slot, size)
	if old != nil {
		for _, moved := range *old {
			if moved.hash != 0 {
				*vacancy(slots, moved.hash) = moved
			}
		}
	}
	s.slots.Store(&slots)
	return &slots
}

// Reserve makes room for n more types and attributes. A table that grows step by step is filled several times.
func (c *Context) Reserve(n int) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for table := s.slots.Load(); table == nil || 3*(s.count+n/shardCount) >= 2*len(*table); {
			table = s.grow(table)
		}
		s.mu.Unlock()
	}
}

// keep copies a key to where it stays.
func (s *shard) keep(key []byte) string {
	if len(key) > largestKeys {
		return string(key)
	}
	if cap(s.arena)-len(s.arena) < len(key) {
		s.arena = make([]byte, 0, max(len(key), min(arenaChunk, 64*(s.count+1))))
	}
	from := len(s.arena)
	s.arena = append(s.arena, key...)
	return unsafe.String(unsafe.SliceData(s.arena[from:]), len(key))
}

// intern returns the object that stands under the key, made now if it is the first.
func intern[T any](c *Context, key Key, build func() T) T {
	hash := max(1, maphash.Bytes(c.seed, key))
	s := &c.shards[hash%shardCount]
	if e := s.find(hash, key); e != nil {
		return e.value.(T)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, free := s.place(hash, key)
	if e != nil {
		return e.value.(T)
	}
	made := build() // makes nothing else unique, so that the slot stays free
	s.add(free, hash, key, made)
	return made
}
