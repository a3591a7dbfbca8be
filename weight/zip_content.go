package weight

// This file gives the content of zip entries, stored or deflated. No byte of a tensor is handed out before the sum of its
// entry was found right; only the header of an array, which is checked by itself, is read alone.

import (
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"
)

// content is what an entry holds, uncompressed.
type content interface {
	extent
	// prefix returns up to n bytes from the start, without reading the rest or summing it up.
	prefix(n int64) ([]byte, error)
}

// open returns the uncompressed content of the entry.
func (e zipEntry) open(src source) content {
	raw := section{source: src, start: e.data, length: e.compressed}
	if e.method == methodStored {
		return &stored{raw: raw, crc: e.crc}
	}
	return &inflated{raw: raw, length: e.uncompressed, crc: e.crc}
}

// maxSummed bounds the entries whose sum is compared. Writers that hand zlib a length of 32 bits, as TPU-MLIR's does, sum
// up only a part of larger ones.
const maxSummed = math.MaxUint32

// sumBlock is how many bytes are summed up at a time: they are read into memory where the file is not mapped.
const sumBlock = 1 << 20

// stored is the content of a stored entry. It is summed up once, when it is first read.
type stored struct {
	raw  section
	crc  uint32
	once sync.Once
	err  error
}

func (s *stored) size() int64 { return s.raw.length }

func (s *stored) prefix(n int64) ([]byte, error) { return s.raw.bytes(0, min(n, s.raw.length)) }

func (s *stored) bytes(offset, n int64) ([]byte, error) {
	s.once.Do(func() { s.err = s.check() })
	if s.err != nil {
		return nil, s.err
	}
	return s.raw.bytes(offset, n)
}

// check compares the sum of all bytes with the directory's.
func (s *stored) check() error {
	if s.raw.length > maxSummed {
		return nil
	}
	var sum uint32
	for start := int64(0); start < s.raw.length; start += sumBlock {
		block, err := s.raw.bytes(start, min(sumBlock, s.raw.length-start))
		if err != nil {
			return err
		}
		sum = crc32.Update(sum, crc32.IEEETable, block)
	}
	return compareSum(sum, s.crc)
}

// compareSum is the error of content that is not what was written. A sum of 0 says nothing: TPU-MLIR's cnpy leaves it so in
// files that it makes itself.
func compareSum(sum, said uint32) error {
	if said != 0 && sum != said {
		return fmt.Errorf("checksum is %08x, the directory says %08x", sum, said)
	}
	return nil
}

// inflated is the content of a deflated entry. Its first bytes can be had alone; the rest is inflated once, when it is
// first read.
type inflated struct {
	raw    section
	length int64
	crc    uint32
	once   sync.Once
	data   []byte
	err    error
}

func (z *inflated) size() int64 { return z.length }

func (z *inflated) prefix(n int64) ([]byte, error) { return z.inflate(min(n, z.length)) }

func (z *inflated) bytes(offset, n int64) ([]byte, error) {
	z.once.Do(func() { z.data, z.err = z.inflate(z.length) })
	if z.err != nil {
		return nil, z.err
	}
	return z.data[offset : offset+n : offset+n], nil
}

// inflate returns the first n bytes; for all of them it checks that they end there and have the right sum.
func (z *inflated) inflate(n int64) ([]byte, error) {
	compressed, err := z.raw.bytes(0, z.raw.length)
	if err != nil {
		return nil, err
	}
	reader := flate.NewReader(bytes.NewReader(compressed))
	defer reader.Close()
	data := make([]byte, n)
	if _, err := io.ReadFull(reader, data); err != nil {
		return nil, fmt.Errorf("inflating %d bytes: %w", z.length, err)
	}
	if n < z.length {
		return data, nil
	}
	if extra, _ := reader.Read(make([]byte, 1)); extra > 0 {
		return nil, fmt.Errorf("inflates to more than %d bytes", z.length)
	}
	return data, compareSum(crc32.ChecksumIEEE(data), z.crc)
}

// within is a part of another extent.
type within struct {
	extent
	start, length int64
}

func (w within) size() int64                           { return w.length }
func (w within) bytes(offset, n int64) ([]byte, error) { return w.extent.bytes(w.start+offset, n) }
