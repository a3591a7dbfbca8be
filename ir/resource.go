package ir

// This file holds resources: large blobs that text carries in its `{-# … #-}` section, and that dense_resource attributes
// name by key; and the sections of external tools, which are kept as they are.

import (
	"encoding/binary"
	"slices"
	"strconv"
	"sync"
)

// Resource is one blob. Its bytes are decoded when somebody asks.
type Resource struct {
	// Alignment is the alignment in bytes that the text asks for, a power of two or 0.
	Alignment uint32
	data      blob
}

// NewResource returns a resource of these bytes, which are not copied and must not change.
func NewResource(alignment uint32, data []byte) *Resource {
	return &Resource{Alignment: alignment, data: blob{raw: data}}
}

// HexResource returns a resource whose bytes stand as hex digits, an even number of valid ones, without the alignment.
func HexResource(alignment uint32, digits []byte) *Resource {
	return &Resource{Alignment: alignment, data: blob{hex: digits}}
}

// Len returns the number of bytes.
func (r *Resource) Len() int { return r.data.len() }

// Data returns the bytes.
func (r *Resource) Data() []byte { return r.data.slice(0, r.data.len()) }

// AppendHex writes the blob as text has it, `0x` and the alignment first; the digits are upper case.
func (r *Resource) AppendHex(dst []byte) []byte { return new(TextWriter).AppendBlob(dst, r) }

func (r *Resource) appendAlignment(dst []byte) []byte {
	var alignment [4]byte
	binary.LittleEndian.PutUint32(alignment[:], r.Alignment)
	return AppendHex(append(dst, "0x"...), alignment[:])
}

// ExternalResource is one section of `external_resources`: entries of a tool that this program knows nothing of.
type ExternalResource struct {
	Name    string
	Entries []ExternalEntry
}

// ExternalEntry is `key: value`: a string, a bool or a blob.
type ExternalEntry struct {
	Key string
	// Value is a string, a bool or a *Resource.
	Value any
}

// resourceTable holds a context's resources. Keys are unique in the context: where a second text uses the key of a first,
// it gets another.
type resourceTable struct {
	mu       sync.Mutex
	blobs    map[string]*Resource // nil for a key that is declared and has no blob
	external []*ExternalResource
}

// DeclareResource makes a key known and returns the key that stands for it: itself, or with a number where it is taken.
func (c *Context) DeclareResource(key string) string {
	t := &c.resources
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blobs == nil {
		t.blobs = map[string]*Resource{}
	}
	free := key
	for n := 1; ; n++ {
		if _, taken := t.blobs[free]; !taken {
			break
		}
		free = key + "_" + strconv.Itoa(n)
	}
	t.blobs[free] = nil
	return free
}

// SetResource sets the blob of a declared key.
func (c *Context) SetResource(key string, r *Resource) {
	t := &c.resources
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blobs == nil {
		t.blobs = map[string]*Resource{}
	}
	t.blobs[key] = r
}

// Resource returns the blob of a key, or nil.
func (c *Context) Resource(key string) *Resource {
	t := &c.resources
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.blobs[key]
}

// AddExternalResource adds a section of an external tool. An entry of a key that is there already replaces it.
func (c *Context) AddExternalResource(name string, entries ...ExternalEntry) {
	t := &c.resources
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, section := range t.external {
		if section.Name == name {
			section.Entries = append(section.Entries, entries...)
			return
		}
	}
	t.external = append(t.external, &ExternalResource{Name: name, Entries: slices.Clone(entries)})
}

// ExternalResources returns the sections of external tools in the order they were added.
func (c *Context) ExternalResources() []*ExternalResource {
	t := &c.resources
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.external)
}

// TakeExternalResource removes a section of an external tool and returns it, nil where there is none.
func (c *Context) TakeExternalResource(name string) *ExternalResource {
	t := &c.resources
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, section := range t.external {
		if section.Name == name {
			t.external = slices.Delete(t.external, i, i+1)
			return section
		}
	}
	return nil
}
