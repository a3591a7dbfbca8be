package bytecode

// This file reads resources: blobs, which stay views of the input, and entries of external tools.

import "tpuir/ir"

func (r *reader) readResources() {
	if r.failed() {
		return
	}
	if r.present[sectionResources] != r.present[sectionResourceOffsets] {
		r.fail("expected a resource offset section where a resource section is present, and the other way")
		return
	}
	if !r.present[sectionResources] {
		return
	}
	offsets, content := r.sections[sectionResourceOffsets], r.sections[sectionResources]
	for range offsets.count("groups of resources") {
		name := r.string(&offsets)
		var entries []ir.ExternalEntry
		r.resourceGroup(&offsets, &content, func(key string, kind byte, c *cursor) {
			entries = append(entries, ir.ExternalEntry{Key: key, Value: r.resource(kind, c)})
		})
		if !r.failed() {
			r.context.AddExternalResource(name, entries...)
		}
	}
	for !offsets.empty() && !r.failed() {
		if dialect := offsets.varint(); !r.failed() && (dialect >= uint64(len(r.dialects)) || r.dialects[dialect].name != builtinDialect) {
			offsets.fail("unexpected resources for a dialect that is not builtin")
		}
		r.resourceGroup(&offsets, &content, r.declare)
	}
}

// declare makes a resource of the builtin dialect known; without bytes it is only declared.
func (r *reader) declare(key string, kind byte, c *cursor) {
	key = r.context.DeclareResource(key)
	r.resources = append(r.resources, key)
	if c.empty() {
		return
	}
	blob, ok := r.resource(kind, c).(*ir.Resource)
	if !ok && !r.failed() {
		c.fail("expected a blob resource entry for '%s'", key)
	}
	if !r.failed() {
		r.context.SetResource(key, blob)
	}
}

func (r *reader) resourceGroup(offsets, content *cursor, entry func(key string, kind byte, c *cursor)) {
	for range offsets.count("resources") {
		key := r.string(offsets)
		size := offsets.varint()
		kind := offsets.byte()
		part := content.sub(size)
		if r.failed() {
			return
		}
		entry(key, kind, &part)
		part.end("resource entry '" + key + "'")
	}
}

func (r *reader) resource(kind byte, c *cursor) any {
	switch kind {
	case resourceBool:
		return c.byte() != 0
	case resourceString:
		return r.string(c)
	case resourceBlob:
		alignment := c.varint()
		size := c.varint()
		c.align(max(alignment, 1)) // an empty blob of mlir-opt has 0
		data := c.bytes(size)
		if alignment > 1<<31 {
			c.fail("alignment %d of a resource is too large", alignment)
		}
		return ir.NewResource(uint32(alignment), data)
	}
	c.fail("invalid resource kind: %d", kind)
	return nil
}
