package weight

// This file reads and writes the header of numpy's .npy format, versions 1.0 to 3.0. The header is a Python dictionary
// with three keys, padded with spaces and closed by a newline.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	npyMagic     = "\x93NUMPY"
	maxNpyHeader = 1 << 16 // numpy itself reads no more than 10,000 characters unless told to
	npyAlignment = 64
	maxNpyRank   = 64
)

// npyHeader says what the elements after the header are.
type npyHeader struct {
	descr   string
	fortran bool
	shape   []int64
	length  int64 // bytes of magic, version and header
}

// readNpyHeader parses the header at the start of a .npy file.
func readNpyHeader(data content) (npyHeader, error) {
	start, err := data.prefix(12)
	if err != nil {
		return npyHeader{}, err
	}
	if len(start) < 10 || string(start[:6]) != npyMagic {
		return npyHeader{}, errors.New("not a .npy file")
	}
	var before, n int64
	switch start[6] {
	case 1:
		before, n = 10, int64(binary.LittleEndian.Uint16(start[8:]))
	case 2, 3:
		if len(start) < 12 {
			return npyHeader{}, errors.New("the .npy header is cut short")
		}
		before, n = 12, int64(binary.LittleEndian.Uint32(start[8:]))
	default:
		return npyHeader{}, fmt.Errorf("unknown .npy version %d.%d", start[6], start[7])
	}
	if n > maxNpyHeader {
		return npyHeader{}, fmt.Errorf("a .npy header of %d bytes is too long", n)
	}
	whole, err := data.prefix(before + n)
	if err != nil {
		return npyHeader{}, err
	}
	if int64(len(whole)) < before+n {
		return npyHeader{}, errors.New("the .npy header is cut short")
	}
	p := npyParser{text: string(whole[before:])}
	header, err := p.header()
	header.length = before + n
	return header, err
}

// npyParser reads the dictionary of a header.
type npyParser struct {
	text string
	at   int
}

func (p *npyParser) errorf(format string, args ...any) error {
	return fmt.Errorf(".npy header, byte %d: %s", p.at, fmt.Sprintf(format, args...))
}

// skip passes white space and then, if it stands there, the token.
func (p *npyParser) skip(token string) bool {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if token == "" || !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *npyParser) header() (npyHeader, error) {
	var h npyHeader
	var seen []string
	if !p.skip("{") {
		return h, p.errorf("expected a dictionary")
	}
	for !p.skip("}") {
		key, err := p.quoted()
		if err != nil {
			return h, err
		}
		if slices.Contains(seen, key) {
			return h, p.errorf("key %q comes twice", key)
		}
		seen = append(seen, key)
		if !p.skip(":") {
			return h, p.errorf("expected a colon")
		}
		if err := p.value(&h, key); err != nil {
			return h, err
		}
		if !p.skip(",") {
			if !p.skip("}") {
				return h, p.errorf("expected a comma or the end of the dictionary")
			}
			break
		}
	}
	if p.skip(""); p.at != len(p.text) {
		return h, p.errorf("text after the dictionary")
	}
	if len(seen) != 3 {
		return h, p.errorf("expected the keys descr, fortran_order and shape, found %v", seen)
	}
	return h, nil
}

// value reads the value of a key into the header.
func (p *npyParser) value(h *npyHeader, key string) (err error) {
	switch key {
	case "descr":
		p.skip("")
		if p.at < len(p.text) && p.text[p.at] == '[' {
			return p.errorf("structured types are not weights")
		}
		h.descr, err = p.quoted()
	case "fortran_order":
		switch {
		case p.skip("True"):
			h.fortran = true
		case !p.skip("False"):
			return p.errorf("expected True or False")
		}
	case "shape":
		h.shape, err = p.tuple()
	default:
		return p.errorf("unknown key %q", key)
	}
	return err
}

// quoted reads a string without escapes.
func (p *npyParser) quoted() (string, error) {
	p.skip("")
	if p.at < len(p.text) {
		if quote := p.text[p.at]; quote == '\'' || quote == '"' {
			if end := strings.IndexByte(p.text[p.at+1:], quote); end >= 0 {
				s := p.text[p.at+1 : p.at+1+end]
				p.at += end + 2
				return s, nil
			}
		}
	}
	return "", p.errorf("expected a string")
}

// tuple reads non-negative integers in parentheses.
func (p *npyParser) tuple() ([]int64, error) {
	if !p.skip("(") {
		return nil, p.errorf("expected a tuple")
	}
	shape := []int64{}
	for !p.skip(")") {
		digits := p.at
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
		n, err := strconv.ParseInt(p.text[digits:p.at], 10, 64)
		if err != nil || len(shape) == maxNpyRank {
			return nil, p.errorf("expected at most %d sizes below 2^63", maxNpyRank)
		}
		shape = append(shape, n)
		if !p.skip(",") {
			if !p.skip(")") {
				return nil, p.errorf("expected a comma or the end of the tuple")
			}
			break
		}
	}
	return shape, nil
}

// tensor returns the view of the elements behind the header.
func (h npyHeader) tensor(file, name string, data extent) (Tensor, error) {
	dtype := numpyDType(h.descr)
	if dtype == Invalid {
		return Tensor{}, tensorError(file, name, "unsupported .npy type %q", h.descr)
	}
	elements := within{extent: data, start: h.length, length: data.size() - h.length}
	if !h.fortran || len(h.shape) < 2 {
		return newTensor(file, name, dtype, h.shape, elements)
	}
	t, err := newTensor(file, name, dtype, h.shape, elements)
	if err != nil || t.Len() < 2 {
		return t, err
	}
	dims := make([]dimension, len(h.shape))
	stride := int64(1)
	for i, n := range h.shape {
		dims[i] = dimension{size: n, stride: stride}
		stride *= n
	}
	t.dims = mergeDims(dims)
	return t, nil
}

// npyHeaderBytes returns the header, version 1.0, for elements of a type and shape. It ends on a multiple of 64 bytes.
func npyHeaderBytes(dtype DType, shape []int64) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "{'descr': '%s', 'fortran_order': False, 'shape': (", dtypeInfo[dtype].numpy)
	for i, n := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteString("), }")
	const before = len(npyMagic) + 4
	total := (before + b.Len() + 1 + npyAlignment - 1) / npyAlignment * npyAlignment
	if total-before > maxNpyHeader-1 {
		return nil, fmt.Errorf("shape of rank %d is too long for a .npy header", len(shape))
	}
	header := append([]byte(npyMagic), 1, 0)
	header = binary.LittleEndian.AppendUint16(header, uint16(total-before))
	header = append(header, b.String()...)
	for len(header) < total-1 {
		header = append(header, ' ')
	}
	return append(header, '\n'), nil
}
