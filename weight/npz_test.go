package weight

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sbinet/npyio/npz"
)

// The files that testdata/numpy_files.py makes with numpy: stored, deflated, and streamed with data descriptors.
func TestNumpyFiles(t *testing.T) {
	counting := []float32{0, 1, 2, 3, 4, 5}
	cube := make([]float32, 24)
	for i := range cube {
		cube[i] = float32(i)
	}
	want := map[string]struct {
		dtype  DType
		shape  []int64
		values []float32
	}{
		"f4":         {Float32, []int64{2, 3}, []float32{0, 1, 2, 3, 4, 5}},
		"f8":         {Float64, []int64{3}, []float32{0, 0.5, 1}},
		"f2":         {Float16, []int64{3}, []float32{1, -2, 0.5}},
		"i1":         {Int8, []int64{2}, []float32{-1, 2}},
		"u1":         {Uint8, []int64{2}, []float32{255, 2}},
		"i2":         {Int16, []int64{1}, []float32{-300}},
		"i4":         {Int32, []int64{1}, []float32{-70000}},
		"i8":         {Int64, []int64{1}, []float32{-(1 << 40)}},
		"b1":         {Bool, []int64{2}, []float32{1, 0}},
		"scalar":     {Float32, []int64{}, []float32{3.5}},
		"empty":      {Float32, []int64{0, 4}, []float32{}},
		"fortran":    {Float32, []int64{2, 3}, counting},
		"fortran3":   {Float32, []int64{2, 3, 4}, cube},
		"a/b.weight": {Float32, []int64{1}, []float32{1}},
		"zeros":      {Float32, []int64{20000}, make([]float32, 20000)},
	}
	for file, count := range map[string]int{"numpy.npz": 14, "numpy_deflated.npz": 15, "numpy_streamed.npz": 2} {
		s := openStore(t, filepath.Join("testdata", file))
		if len(s.Names()) != count {
			t.Errorf("%s: %d arrays, want %d", file, len(s.Names()), count)
		}
		for _, name := range s.Names() {
			w := find(t, s, name)
			if w.DType() != want[name].dtype || !slices.Equal(w.Shape(), want[name].shape) {
				t.Errorf("%s: %v, want %v%v", file, w, want[name].dtype, want[name].shape)
			}
			if diff := cmp.Diff(want[name].values, floats(t, w)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", file, name, diff)
			}
		}
		fortran := do(t)(find(t, s, "fortran").Transpose())
		if diff := cmp.Diff([]float32{0, 3, 1, 4, 2, 5}, floats(t, fortran)); diff != "" {
			t.Errorf("%s: fortran, transposed (-want +got):\n%s", file, diff)
		}
	}
}

// storedBytes is the content of a stored entry.
func storedBytes(b []byte) content {
	return &stored{raw: section{source: memorySource(b), length: int64(len(b))}, crc: crc32.ChecksumIEEE(b)}
}

func TestNpyHeaders(t *testing.T) {
	header := func(text string) []byte {
		b := append([]byte(npyMagic), 1, 0)
		return append(binary.LittleEndian.AppendUint16(b, uint16(len(text))), text...)
	}
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"good", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  \n"), ""},
		{"other order, other quotes", header(`{"shape": (), "descr": "<f4", "fortran_order": True}`), ""},
		{"version 2", []byte(npyMagic + "\x02\x00\x37\x00\x00\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"), ""},
		{"magic", []byte("NUMPY     "), "not a .npy file"},
		{"version", []byte(npyMagic + "\x09\x00\x00\x00"), "unknown .npy version 9.0"},
		{"empty", nil, "not a .npy file"},
		{"cut short", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }")[:30], "the .npy header is cut short"},
		{"too long", []byte(npyMagic + "\x02\x00\xff\xff\xff\x7f"), "a .npy header of 2147483647 bytes is too long"},
		{"no dictionary", header("[]"), ".npy header, byte 0: expected a dictionary"},
		{"structured", header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"),
			".npy header, byte 10: structured types are not weights"},
		{"order", header("{'fortran_order': 1"), ".npy header, byte 18: expected True or False"},
		{"negative", header("{'shape': (-2,)"), ".npy header, byte 11: expected at most 64 sizes below 2^63"},
		{"overflow", header("{'shape': (99999999999999999999,)"), ".npy header, byte 31: expected at most 64 sizes below 2^63"},
		{"missing key", header("{'descr': '<f4'}"), ".npy header, byte 16: expected the keys descr, fortran_order and shape, found [descr]"},
		{"twice", header("{'descr': '<f4', 'descr': '<f4'}"), `.npy header, byte 24: key "descr" comes twice`},
		{"unknown key", header("{'x': 1}"), `.npy header, byte 5: unknown key "x"`},
		{"rest", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x"), ".npy header, byte 58: text after the dictionary"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readNpyHeader(storedBytes(tt.file))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got error %q\n     want %q", got, tt.want)
			}
		})
	}
}

// buffer is an output in memory.
type buffer struct{ bytes.Buffer }

func (b *buffer) WriteAt(p []byte, offset int64) (int, error) {
	return copy(b.Bytes()[offset:], p), nil
}

// writeTestNPZ returns an archive with two tensors.
func writeTestNPZ(t testing.TB) []byte {
	t.Helper()
	var out buffer
	w := newNPZWriter("out.npz", &out)
	for _, name := range []string{"b", "a"} {
		tensor, err := FromFloat32s(name, []int64{2, 2}, []float32{1, 2, 3, 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(t.Context(), tensor); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDamagedArchives(t *testing.T) {
	good := writeTestNPZ(t)
	directory := bytes.Index(good, []byte(directorySignature))
	second := bytes.Index(good[4:], []byte(localSignature)) + 4
	set := func(at int, value uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[at:], value)
			return b
		}
	}
	// The directory is sorted, so its first entry is that of a, which lies second.
	tests := []struct {
		name   string
		damage func([]byte) []byte
		want   string
	}{
		{"cut short", func(b []byte) []byte { return b[:len(b)-30] }, "not a zip archive, or cut short: it has no end record"},
		{"no archive", func([]byte) []byte { return []byte("hello") }, "not a zip archive, or cut short: it has no end record"},
		{"front cut off", func(b []byte) []byte { return b[100:] }, fmt.Sprintf("zip directory of 102 bytes at %d does not fit "+
			"before %d", directory, len(good)-endLen-100)},
		{"directory outside", set(len(good)-6, 1<<31), fmt.Sprintf("zip directory of 102 bytes at 2147483648 does not fit before %d",
			len(good)-endLen)},
		{"too many entries", func(b []byte) []byte { b[len(b)-12] = 200; return b }, "zip directory of 102 bytes cannot hold 200 entries"},
		{"entry outside", set(directory+42, 1<<30), fmt.Sprintf(`zip entry "a.npy": its header at 1073741824 lies outside the entries, `+
			"which end at %d", directory)},
		{"too long", func(b []byte) []byte { return set(directory+24, 5000)(set(directory+20, 5000)(b)) },
			fmt.Sprintf(`zip entry "a.npy": its 5000 bytes at %d reach beyond the entries, which end at %d`, second+35, directory)},
		{"overlap", func(b []byte) []byte { return set(directory+51+24, 300)(set(directory+51+20, 300)(b)) },
			`zip entries "b.npy" and "a.npy" overlap`},
		{"twice", func(b []byte) []byte { b[directory+51+46] = 'a'; b[30] = 'a'; return b },
			`zip entry "a.npy" stands in the directory twice`},
		{"other name", func(b []byte) []byte { b[30] = 'x'; return b }, `zip entry "b.npy": its local header names "x.npy"`},
		{"sizes differ", set(directory+24, 100), `zip entry "a.npy": it is stored, but its sizes 144 and 100 differ`},
		{"method", func(b []byte) []byte { b[directory+10] = 12; return b },
			`zip entry "a.npy": compression method 12 is neither stored nor deflated`},
		{"bomb", func(b []byte) []byte { b[directory+10] = 8; return set(directory+24, 1<<30)(b) },
			`zip entry "a.npy": 144 deflated bytes cannot hold 1073741824`},
		{"encrypted", func(b []byte) []byte { b[directory+8] = 1; return b }, `zip directory, entry 0: "a.npy" is encrypted`},
		{"no zip64 sizes", set(directory+20, 1<<32-1), `zip directory, entry 0: "a.npy" has no zip64 sizes`},
		{"no local header", func(b []byte) []byte { b[second] = 0; return b }, fmt.Sprintf(`zip entry "a.npy": no local header at %d`, second)},
		{"type", func(b []byte) []byte { return bytes.Replace(b, []byte("<f4"), []byte(">f4"), 1) },
			`tensor "b": unsupported .npy type ">f4"`},
		{"shape", func(b []byte) []byte { return bytes.Replace(b, []byte("(2, 2)"), []byte("(2, 9)"), 1) },
			`tensor "b": type F32 and shape [2 9] need 72 bytes, the data has 16`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readNPZ("f", memorySource(tt.damage(slices.Clone(good))))
			if want := "f: " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got error %v\n     want %s", err, want)
			}
		})
	}
}

// An entry whose bytes are not what the directory says gives an error whichever part of it is read, and each time; other
// entries of the file are read.
func TestWrongBytes(t *testing.T) {
	deflated, err := os.ReadFile("testdata/numpy_deflated.npz")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, wrong, right string
		file               []byte
		damage             func([]byte)
		want               string
	}{
		{"stored", "b", "a", writeTestNPZ(t), func(b []byte) { b[bytes.LastIndex(b, []byte("\x00\x00\x40\x40"))-144-35] ^= 1 },
			`f: tensor "b": checksum is b98afbd0, the directory says 7520fb4e`},
		{"deflated", "zeros", "f4", deflated, func(b []byte) { b[bytes.LastIndex(b, []byte("zeros.npy"))-directoryHeaderLen+16]++ },
			`f: tensor "zeros": checksum is e8ed14ae, the directory says e8ed14af`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.damage(tt.file)
			s, err := readNPZ("f", memorySource(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			w, values := find(t, s, tt.wrong), make([]float32, 1)
			_, whole := w.Bytes(t.Context())
			for _, err := range []error{whole, w.ReadFloat32s(values, w.Len()-1), w.Stream(t.Context(), io.Discard)} {
				if err == nil || err.Error() != tt.want {
					t.Errorf("got error %v\n     want %s", err, tt.want)
				}
			}
			if _, err := find(t, s, tt.right).Bytes(t.Context()); err != nil {
				t.Errorf("%s: %v", tt.right, err)
			}
		})
	}
}

// A file is summed up once, and a block at a time where it is not mapped.
func TestSumOnce(t *testing.T) {
	data := bytes.Repeat([]byte("weights!"), 3*sumBlock/8+1)
	reader := &countingReader{Reader: bytes.NewReader(data)}
	source := &readerSource{reader: reader, length: int64(len(data))}
	c := &stored{raw: section{source: source, length: source.length}, crc: crc32.ChecksumIEEE(data)}
	for range 3 {
		if got, err := c.bytes(8, 8); err != nil || string(got) != "weights!" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if want := int64(len(data)) + 3*8; reader.total != want || reader.largest > sumBlock {
		t.Errorf("read %d bytes, at most %d at once; want %d, at most %d", reader.total, reader.largest, want, sumBlock)
	}
}

// countingReader counts the bytes that are read.
type countingReader struct {
	*bytes.Reader
	total, largest int64
}

func (r *countingReader) ReadAt(p []byte, offset int64) (int, error) {
	r.total += int64(len(p))
	r.largest = max(r.largest, int64(len(p)))
	return r.Reader.ReadAt(p, offset)
}

func TestWriteNPZ(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "out.npz")
	large := numbered(t, Float32, 1000, 700)
	s, err := NewMemory("", numbered(t, Float32, 2, 3).Rename("x"), numbered(t, Uint8, 5).Rename("codes"),
		numbered(t, BFloat16, 4).Rename("half"), numbered(t, Float32).Rename("scalar"), numbered(t, Float32, 0).Rename("none"),
		do(t)(large.Transpose()).Rename("large"), do(t)(do(t)(large.Transpose()).Convert(BFloat16)).Rename("large_bf16"),
		numbered(t, Int64, 1, 1).Rename("größe"))
	if err != nil {
		t.Fatal(err)
	}
	var files [][]byte
	for range 2 {
		if err := WriteNPZ(t.Context(), name, s); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, raw)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("writing twice gives different bytes")
	}
	mustNotExist(t, folder, "out.npz")
	back := openStore(t, name)
	if diff := cmp.Diff(s.Names(), back.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, n := range s.Names() {
		want, got := find(t, s, n), find(t, back, n)
		if want.DType() == BFloat16 {
			got = do(t)(got.Reinterpret(BFloat16))
		}
		if !slices.Equal(floats(t, want), floats(t, got)) || !slices.Equal(want.Shape(), got.Shape()) {
			t.Errorf("%v is read back as %v, or with other values", want, got)
		}
	}
	checkWithOthers(t, name, files[0])
}

// checkWithOthers reads the archive with the standard library, which checks the sums, and with npyio.
func checkWithOthers(t *testing.T, name string, file []byte) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		if f.Method != zip.Store || f.Flags&8 != 0 {
			t.Errorf("%s: method %d, flags %#x; want stored, no data descriptor", f.Name, f.Method, f.Flags)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		r.Close()
	}
	theirs, err := npz.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	var x []float32
	if err := theirs.Read("x.npy", &x); err != nil || !slices.Equal(x, []float32{0, 1, 2, 3, 4, 5}) {
		t.Errorf("npyio reads %v, %v", x, err)
	}
	if descr := theirs.Header("codes.npy").Descr.Type; descr != "<u1" {
		t.Errorf("bytes have the type %q, want TPU-MLIR's <u1", descr)
	}
}

// Zip64: archives too large for a test, so their headers alone are checked.
func TestZip64Headers(t *testing.T) {
	e := zipEntry{name: "x.npy", compressed: 5 << 30, uncompressed: 5 << 30, header: 6 << 30}
	got, n, err := parseDirectoryEntry(e.directoryHeader())
	if err != nil || n != len(e.directoryHeader()) || got.compressed != e.compressed || got.header != e.header {
		t.Errorf("read back %+v, %v; want %+v", got, err, e)
	}
	local := e.localHeader()
	if version := binary.LittleEndian.Uint16(local[4:]); version != zip64Version || len(local) != localHeaderLen+5+20 {
		t.Errorf("local header of version %d, %d bytes", version, len(local))
	}
	small := zipEntry{name: "x.npy", compressed: 1 << 20, uncompressed: 1 << 20, header: 6 << 30}
	if got, _, err := parseDirectoryEntry(small.directoryHeader()); err != nil || got.header != small.header {
		t.Errorf("read back %+v, %v; want %+v", got, err, small)
	}
	many := endRecords(70_000, 10, 10+70_000*directoryHeaderLen)
	padded := append(make([]byte, 10+70_000*directoryHeaderLen), many...)
	start, length, count, err := findZipDirectory(memorySource(padded))
	if err != nil || start != 10 || count != 70_000 || length != 70_000*directoryHeaderLen {
		t.Errorf("found %d bytes at %d for %d entries, %v", length, start, count, err)
	}
}

// A writer that stops, or a context that ends, stops the stream with an error.
func TestStreamStops(t *testing.T) {
	w := do(t)(numbered(t, Float32, 1000, 1000).Transpose())
	stop := errors.New("stop")
	for _, room := range []int{0, 1 << 20} {
		if err := w.Stream(t.Context(), &stopping{room: room, err: stop}); !errors.Is(err, stop) {
			t.Errorf("after %d bytes: got error %v, want %v", room, err, stop)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := w.Stream(ctx, &stopping{room: room, cancel: cancel})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d bytes: got error %v", room, err)
		}
	}
}

// stopping takes some bytes and then gives the error or cancels.
type stopping struct {
	room   int
	err    error
	cancel func()
}

func (s *stopping) Write(b []byte) (int, error) {
	if s.room -= len(b); s.room < 0 {
		if s.cancel == nil {
			return 0, s.err
		}
		s.cancel()
	}
	return len(b), nil
}

// full is a disk with room for some bytes.
type full struct {
	buffer
	room int
}

func (f *full) Write(b []byte) (int, error) {
	if f.Len()+len(b) > f.room {
		n, _ := f.buffer.Write(b[:max(f.room-f.Len(), 0)])
		return n, &os.PathError{Op: "write", Path: "out", Err: syscall.ENOSPC}
	}
	return f.buffer.Write(b)
}

func TestFullDisk(t *testing.T) {
	tensor := numbered(t, Float32, 1000, 1000)
	for _, room := range []int{0, 100, 1 << 20, 4_000_200} {
		w := newNPZWriter("out.npz", &full{room: room})
		err := w.Add(t.Context(), tensor)
		if closed := w.Close(); err == nil {
			err = closed
		}
		if want := "out.npz: no space left on device"; err == nil || err.Error() != want {
			t.Errorf("room for %d bytes: got error %v, want %s", room, err, want)
		}
		if err := w.Add(t.Context(), tensor); !errors.Is(err, syscall.ENOSPC) && room < 4_000_000 {
			t.Errorf("room for %d bytes: adding again gives %v", room, err)
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	if err := WriteNPZ(t.Context(), "/dev/full/out.npz", nil); err == nil {
		t.Error("wrote below /dev/full")
	}
}

// On a file system of 64 KiB, where the test may mount one, nothing is left of what did not fit.
func TestFullFileSystem(t *testing.T) {
	folder := t.TempDir()
	if err := mountSmall(folder); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	defer unmount(t, folder)
	s, err := NewMemory("", numbered(t, Float32, 1000, 1000))
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(string) error{
		"w.npz":         func(name string) error { return WriteNPZ(t.Context(), name, s) },
		"w.safetensors": func(name string) error { return WriteSafetensors(t.Context(), name, s, nil) },
	} {
		path := filepath.Join(folder, name)
		err := write(path)
		if want := path + ": no space left on device"; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
		mustNotExist(t, folder)
	}
}

func TestWriterErrors(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "out.npz")
	w, err := CreateNPZ(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), numbered(t, Float32, 1)); err != nil {
		t.Fatal(err)
	}
	err = w.Add(t.Context(), numbered(t, Float32, 1))
	if want := name + `: tensor "numbered": written twice`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	if closed := w.Close(); closed == nil || closed.Error() != err.Error() {
		t.Errorf("closing after an error gives %v", closed)
	}
	mustNotExist(t, folder)
	missing := filepath.Join(folder, "none", "out.npz")
	if _, err := CreateNPZ(missing); err == nil || err.Error() != missing+": no such file or directory" {
		t.Errorf("got error %v", err)
	}
}

func FuzzNPZ(f *testing.F) {
	f.Add(writeTestNPZ(f))
	for _, name := range []string{"numpy.npz", "numpy_streamed.npz"} {
		file, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := readNPZ("f", memorySource(file))
		if err == nil {
			readEverything(t, s)
		}
	})
}

func FuzzNpyHeader(f *testing.F) {
	f.Add("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", []byte("123456781234567812345678"))
	f.Add(`{"shape": (), "descr": "|u1", "fortran_order": False}`, []byte("1"))
	f.Fuzz(func(t *testing.T, header string, data []byte) {
		file := append([]byte(npyMagic), 2, 0)
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(header))), header...)
		file = append(file, data...)
		h, err := readNpyHeader(storedBytes(file))
		if err != nil {
			return
		}
		if w, err := h.tensor("f", "w", storedBytes(file)); err == nil {
			readEverything(t, newArchive("f", memorySource(file), []Tensor{w}))
		}
	})
}

// TPU-MLIR's cnpy leaves the sum at 0 in files that it makes itself: such an entry is read.
func TestNoChecksum(t *testing.T) {
	file := writeTestNPZ(t)
	at := bytes.LastIndex(file, []byte("b.npy")) - directoryHeaderLen + 16
	copy(file[at:at+4], make([]byte, 4))
	s, err := readNPZ("f", memorySource(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := find(t, s, "b").Bytes(t.Context()); err != nil {
		t.Error(err)
	}
}
