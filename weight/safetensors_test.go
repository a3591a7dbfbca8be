package weight

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// safetensorsFile returns the bytes of a file with that header and data.
func safetensorsFile(t testing.TB, header, data string) []byte {
	t.Helper()
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(file, header...), data...)
}

func TestSafetensorsHeaders(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	eight := strings.Repeat("x", 8)
	tests := []struct {
		name, header, data, want string
	}{
		{"good", `{"__metadata__":{"format":"pt"},` + a + `} `, eight, ""},
		{"scalar", `{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, "xxxx", ""},
		{"empty tensor", `{` + a + `,"e":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]}}`, eight, ""},
		{"no tensors", `{}`, "", ""},
		{"cut short", `{` + a + `}`, "xxxx", `f: tensor "a": data_offsets [0 8] reach beyond the 4 bytes of data in the file`},
		{"wrong size", `{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,8]}}`, eight,
			`f: tensor "a": type BF16 and shape [2] need 4 bytes, the data has 8`},
		{"overflow", `{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}}`, eight,
			`f: tensor "a": type F32 and shape [4294967296 4294967296] have no size`},
		{"negative", `{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, eight,
			`f: tensor "a": type F32 and shape [-2] have no size`},
		{"fraction", `{"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}}`, eight,
			`f: safetensors header: tensor "a": shape is a JSON number 2.5; expected a whole number`},
		{"no shape", `{"a":{"dtype":"F32","data_offsets":[0,8]}}`, eight, `f: tensor "a": no shape`},
		{"unknown type", `{"a":{"dtype":"F12","shape":[2],"data_offsets":[0,8]}}`, eight, `f: tensor "a": unsupported type "F12"`},
		{"overlap", `{` + a + `,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, eight,
			`f: tensor "b": data_offsets [4 8] overlap those of "a", [0 8]`},
		{"gap", `{"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, eight, `f: tensor "b": 4 bytes before it belong to no tensor`},
		{"rest", `{` + a + `}`, eight + "yy", `f: 2 bytes behind the last tensor belong to none`},
		{"backwards", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, eight,
			`f: tensor "a": data_offsets [8 0] are not a start and an end`},
		{"one offset", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[8]}}`, eight,
			`f: tensor "a": data_offsets [8] are not a start and an end`},
		{"huge offsets", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[18446744073709551608,18446744073709551615]}}`, eight,
			`f: tensor "a": data_offsets [18446744073709551608 18446744073709551615] reach beyond the 8 bytes of data in the file`},
		{"twice", `{` + a + `,` + a + `}`, eight, `f: safetensors header: tensor "a" comes twice`},
		{"not an object", `[1]`, eight, `f: safetensors header: not a JSON object`},
		{"not JSON", `{"a":`, eight, `f: safetensors header: tensor "a": the JSON ends too early`},
		{"more JSON", `{}{}`, "", `f: safetensors header: text after the JSON object`},
		{"metadata", `{"__metadata__":{"x":1}}`, "",
			`f: safetensors header: __metadata__: the value is a JSON number; expected a string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readSafetensors("f", memorySource(safetensorsFile(t, tt.header, tt.data)))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got error %s\n       want %s", got, tt.want)
			}
		})
	}
	for name, tt := range map[string]struct {
		length uint64
		want   string
	}{
		"longer than the file": {100, "f: cut short: the header should have 100 bytes, 2 follow"},
		"absurd":               {1 << 40, "f: not a safetensors file: a header of 1099511627776 bytes is more than the format allows"},
		"all ones":             {1<<64 - 1, "f: not a safetensors file: a header of 18446744073709551615 bytes is more than the format allows"},
	} {
		t.Run(name, func(t *testing.T) {
			file := append(binary.LittleEndian.AppendUint64(nil, tt.length), "{}"...)
			if _, err := readSafetensors("f", memorySource(file)); err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestWriteSafetensors(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "model.safetensors")
	transposed := do(t)(numbered(t, Float32, 2, 3).Transpose())
	s, err := NewMemory("", numbered(t, Uint8, 3).Rename("codes"), numbered(t, BFloat16, 2, 2).Rename("häßlich <&>\"\\"),
		do(t)(transposed.Convert(Float16)).Rename("half"), numbered(t, Int64).Rename("scalar"))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteSafetensors(t.Context(), name, s, map[string]string{"format": "pt"}); err != nil {
		t.Fatal(err)
	}
	back := openStore(t, folder)
	if diff := cmp.Diff(s.Names(), back.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, n := range s.Names() {
		want, got := find(t, s, n), find(t, back, n)
		if diff := cmp.Diff(floats(t, want), floats(t, got)); diff != "" || want.DType() != got.DType() {
			t.Errorf("%s: %v (-want +got):\n%s", n, got.DType(), diff)
		}
		if !slices.Equal(want.Shape(), got.Shape()) {
			t.Errorf("%s: shape %v, want %v", n, got.Shape(), want.Shape())
		}
	}
	mustNotExist(t, folder, "model.safetensors")
}

// Opening takes work and memory in proportion to the number of tensors.
func TestManyTensors(t *testing.T) {
	perTensor := func(count int) float64 {
		var header strings.Builder
		for i := range count {
			fmt.Fprintf(&header, `,"layers.%d.weight":{"dtype":"F32","shape":[2],"data_offsets":[%d,%d]}`, i, 8*i, 8*i+8)
		}
		file := memorySource(safetensorsFile(t, "{"+header.String()[1:]+"}", strings.Repeat("12345678", count)))
		return testing.AllocsPerRun(1, func() {
			s, err := readSafetensors("f", file)
			if err != nil || len(s.Names()) != count {
				t.Errorf("%d of %d tensors, %v", len(s.Names()), count, err)
			}
		}) / float64(count)
	}
	if few, many := perTensor(1000), perTensor(8000); many > 1.2*few {
		t.Errorf("%.1f allocations a tensor among 8,000, %.1f among 1,000", many, few)
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(safetensorsFile(f, `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, "12345678"))
	f.Add(safetensorsFile(f, `{"__metadata__":{"x":"y"},"a":{"dtype":"BF16","shape":[2,0],"data_offsets":[0,0]}}`, ""))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := readSafetensors("f", memorySource(file))
		if err == nil {
			readEverything(t, s)
		}
	})
}

// The scanner gives what encoding/json gives, and leaves to it what it does not know.
func TestHeaderScanner(t *testing.T) {
	for _, tt := range []struct {
		header string
		scans  bool
	}{
		{`{}`, true},
		{` { "__metadata__" : { } , "a" : { "shape" : [ ] , "dtype" : "F32" , "data_offsets" : [ 0 , 4 ] } } `, true},
		{`{"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"a":{"dtype":"Q9","shape":[1],"data_offsets":[12]}}`, true},
		{`{"__metadata__":{"format":"pt","x":"y"}}`, true},
		{`{"a":{}}`, true},
		{`{"a":{"shape":[999999999999999999]}}`, true},
		{`{"a":{"shape":[1000000000000000000]}}`, false},
		{`{"\u0061":{"dtype":"F32"}}`, false},
		{`{"größe":{"dtype":"F32"}}`, false},
		{`{"a":{"DType":"F32"}}`, false},
		{`{"a":{"extra":1}}`, false},
		{`{"a":null}`, false},
		{`{"a":{"shape":null}}`, false},
		{`{"a":{"shape":[01]}}`, false},
		{`{"a":{"shape":[-1]}}`, false},
		{`{"a":{"shape":[1.0]}}`, false},
		{`{"a":{"shape":[1,]}}`, false},
		{`{"a":{"shape":[1 2]}}`, false},
		{`{"a":{"shape":[1],"shape":[2]}}`, false},
		{`{"a":{},"a":{}}`, false},
		{`{"a":{},}`, false},
		{`{} x`, false},
		{`{"a`, false},
		{``, false},
	} {
		if _, ok := newHeaderScanner([]byte(tt.header)).entries(0); ok != tt.scans {
			t.Errorf("%s: scanned %t, want %t", tt.header, ok, tt.scans)
		}
		compareHeaderReaders(t, []byte(tt.header))
	}
}

func compareHeaderReaders(t *testing.T, header []byte) {
	t.Helper()
	got, ok := newHeaderScanner(header).entries(0)
	if !ok {
		return
	}
	want, err := decodeSafetensorsHeader(header, 0)
	if err != nil {
		t.Errorf("%q is scanned, but %v", header, err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(safetensorsEntry{})); diff != "" {
		t.Errorf("%q (-want +got):\n%s", header, diff)
	}
}

func FuzzHeaderScanner(f *testing.F) {
	f.Add([]byte(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`))
	f.Add([]byte(` { "a" : { "shape" : [ 1 , 20 ] } , "b" : { } } `))
	f.Fuzz(func(t *testing.T, header []byte) { compareHeaderReaders(t, header) })
}

// readEverything reads all tensors in every form; errors are fine, panics are not.
func readEverything(t *testing.T, s Store) {
	for _, n := range s.Names() {
		w, ok := s.Lookup(n)
		if !ok {
			t.Fatalf("%q is listed but not there", n)
		}
		raw, err := w.Bytes(t.Context())
		if size := w.Len() * w.DType().Size(); err == nil && int64(len(raw)) != size {
			t.Fatalf("%v has %d bytes", w, len(raw))
		}
		_, _ = w.Float32s(t.Context())
		if v, err := w.Transpose(); err == nil {
			_, _ = v.Float32s(t.Context())
		}
	}
}
