package weight

// This file reads the directory of a zip archive, as far as npz files need it: stored and deflated entries, zip64. The
// standard library's reader refuses a third of TPU-MLIR's files, whose zip64 locator gives a wrong offset.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	localHeaderLen        = 30
	directoryHeaderLen    = 46
	endLen                = 22
	zip64EndLen           = 56
	zip64LocatorLen       = 20
	maxEndSearch          = endLen + math.MaxUint16 // the end record is followed by a comment of at most 64 KiB
	maxDeflateRatio       = 1032                    // no deflated byte stands for more
	bombLen               = 256 << 20               // beyond this length a deflated entry
	bombRatio             = 100                     // may not be this many times longer than its bytes
	zip64Extra            = 1
	methodStored          = 0
	methodDeflated        = 8
	flagEncrypted         = 1
	localSignature        = "PK\x03\x04"
	directorySignature    = "PK\x01\x02"
	endSignature          = "PK\x05\x06"
	zip64EndSignature     = "PK\x06\x06"
	zip64LocatorSignature = "PK\x06\x07"
)

// zipEntry is a file in the archive, with its data found and checked to lie inside it.
type zipEntry struct {
	name         string
	method       uint16
	crc          uint32
	compressed   int64
	uncompressed int64
	header       int64 // offset of the local header
	data         int64 // offset of the (compressed) bytes
}

// readZipDirectory returns the entries in the order of the directory. Names are unique and entries do not overlap.
func readZipDirectory(src source) ([]zipEntry, error) {
	start, length, count, err := findZipDirectory(src)
	if err != nil {
		return nil, err
	}
	directory, err := src.bytes(start, length)
	if err != nil {
		return nil, err
	}
	var entries []zipEntry
	seen := map[string]bool{}
	for range count {
		entry, n, err := parseDirectoryEntry(directory)
		if err != nil {
			return nil, fmt.Errorf("zip directory, entry %d: %w", len(entries), err)
		}
		directory = directory[n:]
		if seen[entry.name] {
			return nil, fmt.Errorf("zip entry %q stands in the directory twice", entry.name)
		}
		seen[entry.name] = true
		if err := entry.locate(src, start); err != nil {
			return nil, fmt.Errorf("zip entry %q: %w", entry.name, err)
		}
		entries = append(entries, entry)
	}
	return entries, checkOverlap(entries)
}

// findZipDirectory reads the end records and returns where the directory lies and how many entries it has.
func findZipDirectory(src source) (start, length, count int64, err error) {
	tail := min(src.size(), maxEndSearch)
	tailStart := src.size() - tail
	buf, err := src.bytes(tailStart, tail)
	if err != nil {
		return 0, 0, 0, err
	}
	end := findEndRecord(buf)
	if end < 0 {
		return 0, 0, 0, errors.New("not a zip archive, or cut short: it has no end record")
	}
	record := buf[end:]
	count = int64(binary.LittleEndian.Uint16(record[10:]))
	length = int64(binary.LittleEndian.Uint32(record[12:]))
	start = int64(binary.LittleEndian.Uint32(record[16:]))
	limit := tailStart + int64(end)
	if count == math.MaxUint16 || length == math.MaxUint32 || start == math.MaxUint32 {
		record, at, err := findZip64End(src, limit)
		if err != nil {
			return 0, 0, 0, err
		}
		count = int64(binary.LittleEndian.Uint64(record[32:]))
		length = int64(binary.LittleEndian.Uint64(record[40:]))
		start = int64(binary.LittleEndian.Uint64(record[48:]))
		limit = at
	}
	if start < 0 || length < 0 || start > limit || length > limit-start {
		return 0, 0, 0, fmt.Errorf("zip directory of %d bytes at %d does not fit before %d", length, start, limit)
	}
	if count < 0 || count > length/directoryHeaderLen {
		return 0, 0, 0, fmt.Errorf("zip directory of %d bytes cannot hold %d entries", length, count)
	}
	return start, length, count, nil
}

// findEndRecord returns the position of the last end record whose comment fits, or -1.
func findEndRecord(tail []byte) int {
	for at := len(tail) - endLen; at >= 0; at-- {
		if string(tail[at:at+4]) == endSignature &&
			at+endLen+int(binary.LittleEndian.Uint16(tail[at+20:])) <= len(tail) {
			return at
		}
	}
	return -1
}

// findZip64End returns the zip64 end record and its offset. It stands directly before its locator, which stands directly
// before the end record; only where it does not is the locator's offset believed.
func findZip64End(src source, end int64) ([]byte, int64, error) {
	locator := end - zip64LocatorLen
	if locator < zip64EndLen {
		return nil, 0, errors.New("zip64 end record is missing")
	}
	buf, err := src.bytes(locator, zip64LocatorLen)
	if err != nil {
		return nil, 0, err
	}
	if string(buf[:4]) != zip64LocatorSignature {
		return nil, 0, errors.New("zip64 end record is missing")
	}
	said := int64(binary.LittleEndian.Uint64(buf[8:]))
	for _, at := range []int64{locator - zip64EndLen, said} {
		if at < 0 || at > locator-zip64EndLen {
			continue
		}
		record, err := src.bytes(at, zip64EndLen)
		if err != nil {
			return nil, 0, err
		}
		if string(record[:4]) == zip64EndSignature {
			return record, at, nil
		}
	}
	return nil, 0, errors.New("zip64 end record is missing")
}

// parseDirectoryEntry reads the first entry of the directory and returns its length there.
func parseDirectoryEntry(b []byte) (zipEntry, int, error) {
	if len(b) < directoryHeaderLen || string(b[:4]) != directorySignature {
		return zipEntry{}, 0, errors.New("no directory header where one is due")
	}
	nameLen := int(binary.LittleEndian.Uint16(b[28:]))
	extraLen := int(binary.LittleEndian.Uint16(b[30:]))
	commentLen := int(binary.LittleEndian.Uint16(b[32:]))
	n := directoryHeaderLen + nameLen + extraLen + commentLen
	if n > len(b) {
		return zipEntry{}, 0, errors.New("the header is longer than the directory")
	}
	entry := zipEntry{
		name:         string(b[directoryHeaderLen : directoryHeaderLen+nameLen]),
		method:       binary.LittleEndian.Uint16(b[10:]),
		crc:          binary.LittleEndian.Uint32(b[16:]),
		compressed:   int64(binary.LittleEndian.Uint32(b[20:])),
		uncompressed: int64(binary.LittleEndian.Uint32(b[24:])),
		header:       int64(binary.LittleEndian.Uint32(b[42:])),
	}
	if binary.LittleEndian.Uint16(b[8:])&flagEncrypted != 0 {
		return zipEntry{}, 0, fmt.Errorf("%q is encrypted", entry.name)
	}
	extra := b[directoryHeaderLen+nameLen:][:extraLen]
	return entry, n, entry.readZip64(extra)
}

// readZip64 replaces the fields that did not fit 32 bits by those of the extra record, which has them in this order.
func (e *zipEntry) readZip64(extra []byte) error {
	var wide []*int64
	for _, field := range []*int64{&e.uncompressed, &e.compressed, &e.header} {
		if *field == math.MaxUint32 {
			wide = append(wide, field)
		}
	}
	if len(wide) == 0 {
		return nil
	}
	for len(extra) >= 4 {
		kind, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			break
		}
		if kind == zip64Extra && n >= 8*len(wide) {
			for i, field := range wide {
				*field = int64(binary.LittleEndian.Uint64(extra[8*i:]))
			}
			return nil
		}
		extra = extra[n:]
	}
	return fmt.Errorf("%q has no zip64 sizes", e.name)
}

// locate finds the entry's data behind its local header and checks that it lies before the directory.
func (e *zipEntry) locate(src source, directory int64) error {
	if e.header < 0 || e.header > directory-localHeaderLen {
		return fmt.Errorf("its header at %d lies outside the entries, which end at %d", e.header, directory)
	}
	local, err := src.bytes(e.header, localHeaderLen)
	if err != nil {
		return err
	}
	if string(local[:4]) != localSignature {
		return fmt.Errorf("no local header at %d", e.header)
	}
	nameLen := int64(binary.LittleEndian.Uint16(local[26:]))
	e.data = e.header + localHeaderLen + nameLen + int64(binary.LittleEndian.Uint16(local[28:]))
	if e.compressed < 0 || e.data > directory || e.compressed > directory-e.data {
		return fmt.Errorf("its %d bytes at %d reach beyond the entries, which end at %d", e.compressed, e.data, directory)
	}
	name, err := src.bytes(e.header+localHeaderLen, nameLen)
	if err != nil {
		return err
	}
	if string(name) != e.name {
		return fmt.Errorf("its local header names %q", name)
	}
	switch e.method {
	case methodStored:
		if e.compressed != e.uncompressed {
			return fmt.Errorf("it is stored, but its sizes %d and %d differ", e.compressed, e.uncompressed)
		}
	case methodDeflated:
		if e.uncompressed < 0 || e.uncompressed/maxDeflateRatio > e.compressed+1 {
			return fmt.Errorf("%d deflated bytes cannot hold %d", e.compressed, e.uncompressed)
		}
		if e.uncompressed > bombLen && e.uncompressed/bombRatio > e.compressed {
			return fmt.Errorf("refusing to inflate %d bytes to %d", e.compressed, e.uncompressed)
		}
	default:
		return fmt.Errorf("compression method %d is neither stored nor deflated", e.method)
	}
	return nil
}

// checkOverlap refuses archives in which two entries share bytes.
func checkOverlap(entries []zipEntry) error {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b zipEntry) int {
		if a.header < b.header {
			return -1
		}
		if a.header > b.header {
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	for i := 1; i < len(sorted); i++ {
		if before := sorted[i-1]; before.data+before.compressed > sorted[i].header {
			return fmt.Errorf("zip entries %q and %q overlap", before.name, sorted[i].name)
		}
	}
	return nil
}
