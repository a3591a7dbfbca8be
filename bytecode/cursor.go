package bytecode

// This file reads the primitives of the format. An error sticks: after the first one everything reads as zero and every
// count as none, so that callers look for it once, where they have read all that belongs together.

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// failure is where the first error of a file is kept.
type failure struct{ err error }

// corruption is what is wrong with a file, and where.
type corruption struct {
	offset  int
	message string
}

func (c *corruption) Error() string { return c.message }

// cursor reads a part of the file.
type cursor struct {
	data    []byte
	at      int
	base    int // the offset of data in the file
	failure *failure
}

func (c *cursor) fail(format string, args ...any) {
	if c.failure.err == nil {
		c.failure.err = &corruption{c.base + c.at, fmt.Sprintf(format, args...)}
	}
	c.at = len(c.data)
}

func (c *cursor) failed() bool { return c.failure.err != nil }

func (c *cursor) left() int { return len(c.data) - c.at }

func (c *cursor) empty() bool { return c.at >= len(c.data) }

func (c *cursor) byte() byte {
	if c.at >= len(c.data) {
		c.fail("attempting to parse a byte at the end of the bytecode")
		return 0
	}
	b := c.data[c.at]
	c.at++
	return b
}

// varint reads an unsigned number: the zero bits at the low end of the first byte tell how many bytes follow.
func (c *cursor) varint() uint64 {
	if c.at < len(c.data) {
		if b := c.data[c.at]; b&1 != 0 {
			c.at++
			return uint64(b >> 1)
		}
	}
	return c.longVarint()
}

func (c *cursor) longVarint() uint64 {
	first := c.byte()
	more := bits.TrailingZeros8(first) // 8 for a zero byte
	if c.failed() {
		return 0
	}
	if c.left() < more {
		c.fail("attempting to parse a number of %d bytes when only %d remain", more+1, 1+c.left())
		return 0
	}
	var word [8]byte
	copy(word[:], c.data[c.at:c.at+more])
	c.at += more
	rest := binary.LittleEndian.Uint64(word[:])
	if more == 8 {
		return rest
	}
	return uint64(first)>>(more+1) | rest<<(7-more)
}

// flagged reads a number with a flag in its lowest bit.
func (c *cursor) flagged() (uint64, bool) {
	v := c.varint()
	return v >> 1, v&1 != 0
}

// signed reads a number whose sign is in the lowest bit.
func (c *cursor) signed() int64 {
	v := c.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// count reads the number of things that follow, each of which takes a byte at least.
func (c *cursor) count(what string) int { return c.checkedCount(c.varint(), what) }

func (c *cursor) checkedCount(n uint64, what string) int {
	if n > uint64(c.left()) {
		c.fail("%d %s in %d bytes", n, what, c.left())
		return 0
	}
	return int(n)
}

// bytes reads n bytes, which are not copied.
func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(c.left()) {
		c.fail("attempting to parse %d bytes when only %d remain", n, c.left())
		return nil
	}
	part := c.data[c.at : c.at+int(n) : c.at+int(n)]
	c.at += int(n)
	return part
}

// blob reads bytes with their number before them.
func (c *cursor) blob() []byte { return c.bytes(c.varint()) }

// sub reads n bytes as a part of their own.
func (c *cursor) sub(n uint64) cursor {
	base := c.base + c.at
	return cursor{data: c.bytes(n), base: base, failure: c.failure}
}

// terminated reads text up to a NUL.
func (c *cursor) terminated() string {
	for i, b := range c.data[c.at:] {
		if b == 0 {
			text := string(c.data[c.at : c.at+i])
			c.at += i + 1
			return text
		}
	}
	c.fail("malformed null-terminated string, no null character found")
	return ""
}

// align skips the padding before what is aligned in the file.
func (c *cursor) align(alignment uint64) {
	if alignment == 0 || alignment&(alignment-1) != 0 || alignment > 1<<32 {
		c.fail("expected alignment to be a power-of-two, but got %d", alignment)
		return
	}
	for uint64(c.base+c.at)&(alignment-1) != 0 && !c.failed() {
		if b := c.byte(); b != padding && !c.failed() {
			c.fail("expected alignment byte (0xCB), but got: '0x%x'", b)
		}
	}
}

// section reads the head of a section and returns its number and content.
func (c *cursor) section() (id int, content cursor) {
	head := c.byte()
	id = int(head &^ sectionAligned)
	length := c.varint()
	if !c.failed() && id >= sectionCount {
		c.fail("invalid section ID: %d", id)
	}
	if head&sectionAligned != 0 {
		c.align(c.varint())
	}
	return id, c.sub(length)
}

// end makes an error of bytes that are left.
func (c *cursor) end(what string) {
	if !c.failed() && !c.empty() {
		c.fail("unexpected trailing bytes after %s", what)
	}
}
