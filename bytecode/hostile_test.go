package bytecode_test

// This file reads what no writer wrote: an error, or IR that can be verified and printed, at a bounded cost.

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/bytecode"
	"tpuir/ir"
)

// survives reads, verifies and prints.
func survives(t *testing.T, content []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%q\npanics: %v", content, p)
			panic(p)
		}
	}()
	op, err := read("hostile", content)
	if err != nil {
		return
	}
	ir.Verify(context.Background(), op)
	text(op)
}

// TestMutants changes every byte of some files, and cuts them anywhere. TPUIR_ALL_MUTANTS=1 takes all files.
func TestMutants(t *testing.T) {
	step := 12
	if os.Getenv("TPUIR_ALL_MUTANTS") != "" {
		step = 1
	}
	names, texts := validCases(t)
	for i := 0; i < len(names); i += step {
		name := names[i]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(i)))
			content := encode(t, parse(t, name, texts[name]), bytecode.CurrentVersion-i%3)
			for at := range content {
				original := content[at]
				for _, b := range []byte{original + 2, original - 2, original ^ 1, byte(random.Uint32())} {
					content[at] = b
					survives(t, content)
				}
				content[at] = original
				survives(t, content[:at])
			}
		})
	}
}

// file is a small bytecode file, made of sections.
func file(version byte, sections ...[]byte) []byte {
	content := append([]byte("ML\xefR"), version<<1|1)
	content = append(content, "test\x00"...)
	for _, s := range sections {
		content = append(content, s...)
	}
	return content
}

// section is a section of up to 63 bytes.
func section(id byte, data ...byte) []byte {
	return append([]byte{id, byte(len(data))<<1 | 1}, data...)
}

// number is a number of up to seven bits.
func number(v byte) byte { return v<<1 | 1 }

func huge() []byte { return append([]byte{0}, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F) }

func TestMalformed(t *testing.T) {
	stringsSection := section(0, number(1), number(8), 'b', 'u', 'i', 'l', 't', 'i', 'n', 0)
	dialects := section(1, number(1), number(0), number(0), number(1), number(0))
	for _, test := range []struct {
		name, want string
		content    []byte
	}{
		{"no magic", "input buffer is not an MLIR bytecode file", []byte("module {}")},
		{"nothing behind the magic", "attempting to parse a byte at the end of the bytecode", []byte("ML\xefR")},
		{"version from the future", "bytecode version 7 is newer than the current version 6", file(7)},
		{"producer without an end", "malformed null-terminated string, no null character found", []byte("ML\xefR\x0dabc")},
		{"no sections", "missing data for top-level section: String (0)", file(3)},
		{"unknown section", "invalid section ID: 9", file(3, section(9))},
		{"section twice", "duplicate top-level section: String (0)", file(3, stringsSection, stringsSection)},
		{"section too long", "attempting to parse 60 bytes when only 2 remain", file(3, []byte{0, number(60), 1, 2})},
		{"misaligned", "expected alignment to be a power-of-two, but got 3", file(3, []byte{0x80, number(0), number(3)})},
		{"no properties section", "missing data for top-level section: Properties (8)",
			file(6, stringsSection, dialects, section(2), section(3), section(4))},
		{"many strings", "9223372036854775807 strings in 0 bytes",
			file(3, append([]byte{0, number(9)}, huge()...), dialects, section(2), section(3), section(4))},
		{"string too long", "string size exceeds the available data size",
			file(3, section(0, number(1), number(9), 'a'), dialects, section(2), section(3), section(4))},
		{"string index", "invalid string index: 9",
			file(0, stringsSection, section(1, number(1), number(9)), section(2), section(3), section(4))},
		{"many attributes", "9223372036854775807 attributes in 0 bytes",
			file(0, stringsSection, section(1, number(1), number(0)), section(2), append([]byte{3, number(9)}, huge()...), section(4))},
		{"attribute outside", "attempting to parse 1 bytes when only 0 remain",
			file(0, stringsSection, section(1, number(1), number(0)), section(2),
				section(3, number(1), number(0), number(0), number(1), number(3)), section(4))},
		{"unknown attribute code", "unknown attribute code: 99", withAttribute(number(99))},
		{"attribute in itself", "an attribute or type refers to itself", withAttribute(number(0), number(1), number(0))},
		{"trailing bytes", "unexpected trailing bytes after attribute entry", withAttribute(number(7), number(7))},
		{"a location that is none", "expected attribute of type: LocationAttr, but got: unit", withAttribute(number(7))},
		{"attribute that is a type", "invalid Type index: 0", withAttribute(number(8), number(0), number(0))},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := read("in", test.content)
			var d *ir.Diagnostic
			if !errors.As(err, &d) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(test.want, d.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// withAttribute is a file of one operation `builtin` whose location is the only attribute.
func withAttribute(encoding ...byte) []byte {
	return file(0,
		section(0, number(2), number(1), number(8), 'b', 'u', 'i', 'l', 't', 'i', 'n', 0, 0),
		section(1, number(1), number(0), number(0), number(1), number(1)),
		section(2, encoding...),
		section(3, number(1), number(0), number(0), number(1), number(byte(len(encoding))<<1|1)),
		section(4, number(2), number(0), 0, number(0)))
}

// TestDeep reads attributes and regions that are nested deeper than any stack should have to bear.
func TestDeep(t *testing.T) {
	for _, depth := range []int{50_000, 200_000} {
		content := deepArrays(depth)
		_, err := read("deep", content)
		if depth < 100_000 && (err == nil || strings.Contains(err.Error(), "nested")) {
			t.Errorf("depth %d: %v", depth, err) // an array is no location
		}
		if depth > 100_000 && (err == nil || !strings.Contains(err.Error(), "nested deeper than 100000 levels")) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// deepArrays is a file whose attributes are arrays of the next; the last is `unit`.
func deepArrays(depth int) []byte {
	long := func(id byte, data []byte) []byte {
		return append(binary.LittleEndian.AppendUint64([]byte{id, 0}, uint64(len(data))), data...)
	}
	wide := func(v int) []byte { return binary.LittleEndian.AppendUint64([]byte{0}, uint64(v)) }
	offsets := append(append(wide(depth), number(0)), number(0))
	offsets = append(offsets, wide(depth)...)
	var entries []byte
	for i := range depth - 1 {
		entries = append(entries, number(0), number(1))
		entries = append(entries, wide(i+1)...)
		offsets = append(offsets, number(11<<1|1))
	}
	entries = append(entries, number(7))
	offsets = append(offsets, number(1<<1|1))
	return file(0,
		section(0, number(2), number(1), number(8), 'b', 'u', 'i', 'l', 't', 'i', 'n', 0, 0),
		section(1, number(1), number(0), number(0), number(1), number(1)),
		long(2, entries), long(3, offsets),
		section(4, number(2), number(0), 0, number(0)))
}

// TestEntryGraphs reads entries that are made of others, which need no brackets: a graph that stands for a text longer than any
// memory, and a chain that is longer than any stack should have to bear. The same graph of locations is shared in text, too.
func TestEntryGraphs(t *testing.T) {
	c := newContext()
	var doubled, chain ir.Attribute = c.Unit(), c.Unit()
	var calls ir.Location = c.NameLoc("x", nil)
	for range 100 {
		doubled, calls = c.Array(doubled, doubled), c.CallSiteLoc(calls, calls)
	}
	for range 150_000 {
		chain = c.Array(chain)
	}
	for _, test := range []struct {
		name, want string
		loc        ir.Location
		value      ir.Attribute
	}{
		{"doubled arrays", "an entry stands for too long a text", c.UnknownLoc(), doubled},
		{"doubled arrays in a type", "an entry stands for too long a text", c.UnknownLoc(),
			c.TypeAttr(c.RankedTensorType([]int64{1}, c.F32(), doubled))},
		{"chain of arrays", "nested deeper than 100000 levels", c.UnknownLoc(), chain},
		{"doubled locations", "", calls, c.Unit()},
	} {
		t.Run(test.name, func(t *testing.T) {
			op := ir.NewOperation(&ir.OperationState{Name: c.OperationName("t.a"), Loc: test.loc,
				Attributes: c.Dictionary(ir.NamedAttribute{Name: "k", Value: test.value})})
			_, err := read("in", encode(t, op, bytecode.CurrentVersion))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
}
