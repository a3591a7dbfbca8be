package weight

// This file writes .npz files that numpy and TPU-MLIR read: stored entries with their sizes in the local header, .npy
// version 1.0, zip64 only where something does not fit. Equal tensors in equal order give equal bytes.

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"tpuir/internal/atomicfile"
)

const (
	zipVersion      = 20
	zip64Version    = 45
	madeByUnix      = 3 << 8
	flagUTF8        = 0x800
	earliestDate    = 1<<5 | 1 // 1 January 1980; files of equal content are equal
	ownerReadWrite  = 0o600 << 16
	localCRCOffset  = 14
	maxEntryNameLen = math.MaxUint16 - 4
)

// output is what an archive is written to: in sequence, but for the checksums, which are known only afterwards.
type output interface {
	io.Writer
	io.WriterAt
}

// NPZWriter writes an .npz file, one tensor after the other. The file appears when it is closed.
type NPZWriter struct {
	file    *atomicfile.File // nil in tests that write elsewhere
	name    string
	out     output
	buffer  *bufio.Writer
	offset  int64
	entries []zipEntry
	seen    map[string]bool
	err     error
}

// CreateNPZ starts an .npz file of that name. The caller ends it with Close, or with Abort on an error.
func CreateNPZ(name string) (*NPZWriter, error) {
	file, err := atomicfile.Create(name)
	if err != nil {
		return nil, openError(name, err)
	}
	w := newNPZWriter(name, file)
	w.file = file
	return w, nil
}

func newNPZWriter(name string, out output) *NPZWriter {
	return &NPZWriter{name: name, out: out, buffer: bufio.NewWriterSize(out, 1<<20), seen: map[string]bool{}}
}

// Add writes a tensor under its name, a block at a time. BFloat16 and Float16 become their bits, as TPU-MLIR has them.
// After an error the writer is of no more use but for Abort.
func (w *NPZWriter) Add(ctx context.Context, t Tensor) error {
	if w.err == nil {
		w.err = w.add(ctx, t)
	}
	return w.err
}

func (w *NPZWriter) add(ctx context.Context, t Tensor) error {
	entry, header, err := w.entry(t)
	if err != nil {
		return tensorError(w.name, t.name, "%w", err)
	}
	w.seen[t.name] = true
	if err := w.write(entry.localHeader()); err != nil {
		return err
	}
	sum := &checksum{writer: w}
	if _, err := sum.Write(header); err != nil {
		return err
	}
	if err := t.Stream(ctx, sum); err != nil {
		return err
	}
	if sum.length != entry.uncompressed {
		return tensorError(w.name, t.name, "wrote %d bytes instead of %d", sum.length, entry.uncompressed)
	}
	entry.crc = sum.crc
	w.entries = append(w.entries, entry)
	return w.writeCRC(entry)
}

// entry describes the tensor's place in the archive and returns its .npy header.
func (w *NPZWriter) entry(t Tensor) (zipEntry, []byte, error) {
	if w.seen[t.name] {
		return zipEntry{}, nil, errors.New("written twice")
	}
	if !utf8.ValidString(t.name) || t.name == "" || len(t.name) > maxEntryNameLen {
		return zipEntry{}, nil, errors.New("the name cannot stand in an archive")
	}
	header, err := npyHeaderBytes(t.DType(), t.shape)
	if err != nil {
		return zipEntry{}, nil, err
	}
	n := int64(len(header)) + t.Len()*t.DType().Size()
	return zipEntry{name: t.name + ".npy", compressed: n, uncompressed: n, header: w.offset}, header, nil
}

// write appends to the archive.
func (w *NPZWriter) write(b []byte) error {
	n, err := w.buffer.Write(b)
	w.offset += int64(n)
	return w.wrap(err)
}

func (w *NPZWriter) wrap(err error) error {
	if err == nil {
		return nil
	}
	return openError(w.name, err)
}

// writeCRC puts the checksum into the entry's local header.
func (w *NPZWriter) writeCRC(e zipEntry) error {
	if err := w.buffer.Flush(); err != nil {
		return w.wrap(err)
	}
	_, err := w.out.WriteAt(binary.LittleEndian.AppendUint32(nil, e.crc), e.header+localCRCOffset)
	return w.wrap(err)
}

// Close writes the directory, sorted by name, and puts the file into its place.
func (w *NPZWriter) Close() error {
	defer w.Abort()
	if w.err != nil {
		return w.err
	}
	start := w.offset
	slices.SortFunc(w.entries, func(a, b zipEntry) int { return strings.Compare(a.name, b.name) })
	for _, e := range w.entries {
		if err := w.write(e.directoryHeader()); err != nil {
			return err
		}
	}
	if err := w.write(endRecords(int64(len(w.entries)), start, w.offset)); err != nil {
		return err
	}
	if err := w.buffer.Flush(); err != nil {
		return w.wrap(err)
	}
	w.err = fs.ErrClosed
	if w.file == nil {
		return nil
	}
	return w.wrap(w.file.Commit())
}

// Abort removes what was written. After Close it does nothing.
func (w *NPZWriter) Abort() {
	if w.file != nil {
		w.file.Abort()
	}
}

// checksum passes bytes on to the archive and sums them.
type checksum struct {
	writer *NPZWriter
	crc    uint32
	length int64
}

func (c *checksum) Write(b []byte) (int, error) {
	c.crc = crc32.Update(c.crc, crc32.IEEETable, b)
	c.length += int64(len(b))
	return len(b), c.writer.write(b)
}

// flags returns the general purpose flags of the entry.
func (e zipEntry) flags() uint16 {
	for i := range len(e.name) {
		if e.name[i] >= utf8.RuneSelf {
			return flagUTF8
		}
	}
	return 0
}

// localHeader returns the header before the data; the checksum is put in later.
func (e zipEntry) localHeader() []byte {
	var extra []byte
	version := uint16(zipVersion)
	if e.uncompressed >= math.MaxUint32 {
		version = zip64Version
		extra = appendZip64(nil, e.uncompressed, e.compressed)
	}
	b := []byte(localSignature)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = e.appendCommon(b, len(extra))
	b = append(b, e.name...)
	return append(b, extra...)
}

// directoryHeader returns the entry's header in the directory.
func (e zipEntry) directoryHeader() []byte {
	var wide []int64
	if e.uncompressed >= math.MaxUint32 {
		wide = append(wide, e.uncompressed, e.compressed)
	}
	if e.header >= math.MaxUint32 {
		wide = append(wide, e.header)
	}
	var extra []byte
	version := uint16(zipVersion)
	if len(wide) > 0 {
		version = zip64Version
		extra = appendZip64(nil, wide...)
	}
	b := []byte(directorySignature)
	b = binary.LittleEndian.AppendUint16(b, madeByUnix|version)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = e.appendCommon(b, len(extra))
	b = append(b, 0, 0, 0, 0, 0, 0) // no comment, disk 0, no internal attributes
	b = binary.LittleEndian.AppendUint32(b, ownerReadWrite)
	b = binary.LittleEndian.AppendUint32(b, narrow(e.header))
	b = append(b, e.name...)
	return append(b, extra...)
}

// appendCommon appends the fields that both headers have in the middle, from the flags to the length of the extra data.
func (e zipEntry) appendCommon(b []byte, extraLen int) []byte {
	b = binary.LittleEndian.AppendUint16(b, e.flags())
	b = binary.LittleEndian.AppendUint16(b, methodStored)
	b = binary.LittleEndian.AppendUint16(b, 0) // midnight
	b = binary.LittleEndian.AppendUint16(b, earliestDate)
	b = binary.LittleEndian.AppendUint32(b, e.crc)
	b = binary.LittleEndian.AppendUint32(b, narrow(e.compressed))
	b = binary.LittleEndian.AppendUint32(b, narrow(e.uncompressed))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.name)))
	return binary.LittleEndian.AppendUint16(b, uint16(extraLen))
}

// narrow returns the 32-bit field for n: all ones where the zip64 record has it.
func narrow(n int64) uint32 { return uint32(min(n, math.MaxUint32)) }

// appendZip64 appends the zip64 extra record of those fields.
func appendZip64(b []byte, fields ...int64) []byte {
	b = binary.LittleEndian.AppendUint16(b, zip64Extra)
	b = binary.LittleEndian.AppendUint16(b, uint16(8*len(fields)))
	for _, f := range fields {
		b = binary.LittleEndian.AppendUint64(b, uint64(f))
	}
	return b
}

// endRecords returns the end of an archive whose directory of count entries lies from start up to end.
func endRecords(count, start, end int64) []byte {
	var b []byte
	if count >= math.MaxUint16 || start >= math.MaxUint32 || end-start >= math.MaxUint32 {
		b = append(b, zip64EndSignature...)
		b = binary.LittleEndian.AppendUint64(b, zip64EndLen-12)
		b = binary.LittleEndian.AppendUint16(b, madeByUnix|zip64Version)
		b = binary.LittleEndian.AppendUint16(b, zip64Version)
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0) // disk 0
		for _, n := range []int64{count, count, end - start, start} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		b = append(b, zip64LocatorSignature...)
		b = append(b, 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(end))
		b = append(b, 1, 0, 0, 0)
	}
	b = append(b, endSignature...)
	b = append(b, 0, 0, 0, 0)
	short := uint16(min(count, math.MaxUint16))
	b = binary.LittleEndian.AppendUint16(b, short)
	b = binary.LittleEndian.AppendUint16(b, short)
	b = binary.LittleEndian.AppendUint32(b, narrow(end-start))
	b = binary.LittleEndian.AppendUint32(b, narrow(start))
	return append(b, 0, 0)
}

// WriteNPZ writes all tensors of the store, in the order of their names.
func WriteNPZ(ctx context.Context, name string, s Store) error {
	w, err := CreateNPZ(name)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, tensor := range s.Names() {
		t, ok := s.Lookup(tensor)
		if !ok {
			return fmt.Errorf("%s: lists %q but does not have it", s.File(), tensor)
		}
		if err := w.Add(ctx, t.Rename(tensor)); err != nil {
			return err
		}
	}
	return w.Close()
}
