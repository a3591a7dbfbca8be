package weight

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/sbinet/npyio/npz"

	"tpuir/internal/shareddata"
)

func openStore(t *testing.T, name string) Store {
	t.Helper()
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func find(t *testing.T, s Store, name string) Tensor {
	t.Helper()
	w, err := Find(s, name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustNotExist(t *testing.T, folder string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(but, e.Name()) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// A case of the peer's files, mapped, through fs.FS and read as a whole, with values that npyio reads too.
func TestPeerFile(t *testing.T) {
	const file, tensor = "testdata/lowered.npz", "model.layers.0.input_layernorm.weight_bf16"
	mapped := openStore(t, file)
	throughFS, err := OpenFS(os.DirFS("testdata"), "lowered.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer throughFS.Close()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inMemory, err := OpenFS(fstest.MapFS{"a/lowered.npz": {Data: raw}}, "a/lowered.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer inMemory.Close()
	for name, s := range map[string]Store{"mapped": mapped, "DirFS": throughFS, "MapFS": inMemory} {
		w := find(t, s, tensor)
		if diff := cmp.Diff([]int64{1, 1, 64}, w.Shape()); diff != "" || w.DType() != Uint16 {
			t.Errorf("%s: %v, want U16 [1 1 64]", name, w)
		}
		bits, err := w.Uint16s(t.Context())
		if err != nil || len(bits) != 64 {
			t.Errorf("%s: %d elements, %v", name, len(bits), err)
		}
		if first := do(t)(w.Reinterpret(BFloat16)); math.Abs(float64(floats(t, first)[0])-1) > 0.5 {
			t.Errorf("%s: a norm's weight is %v", name, floats(t, first)[0])
		}
	}
}

// TestGoldenFiles reads every tensor of every golden npz and of every checkpoint.
func TestGoldenFiles(t *testing.T) {
	files, tensors := 0, 0
	visit := func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch {
		case strings.HasSuffix(name, ".npz"), strings.HasSuffix(name, ".safetensors"), strings.HasSuffix(name, ".index.json"):
		default:
			return nil
		}
		s, err := Open(name)
		if err != nil {
			return err
		}
		defer s.Close()
		files++
		for _, n := range s.Names() {
			w := find(t, s, n)
			raw, err := w.Bytes(t.Context())
			if err != nil {
				return err
			}
			if size, _ := byteCount(w.DType(), w.Shape()); size != int64(len(raw)) {
				t.Errorf("%s: %v has %d bytes", name, w, len(raw))
			}
			tensors++
		}
		return nil
	}
	for _, root := range []string{shareddata.Golden(t), shareddata.Models(t)} {
		if err := filepath.WalkDir(root, visit); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files, %d tensors", files, tensors)
}

// npyio is the second opinion on what numpy's files hold; it cannot open the peer's.
func TestAgainstNpyio(t *testing.T) {
	file := filepath.Join(shareddata.Models(t), "tiny-qwen3-untied", "reference.npz")
	theirs, err := npz.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours := openStore(t, file)
	if len(theirs.Keys()) != len(ours.Names()) {
		t.Errorf("%d tensors, npyio has %d", len(ours.Names()), len(theirs.Keys()))
	}
	for _, key := range theirs.Keys() {
		var want []float32
		if err := theirs.Read(key, &want); err != nil {
			t.Fatal(err)
		}
		if got := floats(t, find(t, ours, strings.TrimSuffix(key, ".npy"))); !slices.Equal(got, want) {
			t.Errorf("%s differs from what npyio reads", key)
		}
	}
}

// The sharded checkpoint holds the same weights as the one in a single file.
func TestShardedCheckpoint(t *testing.T) {
	models := filepath.Join(shareddata.Dir(t), "models")
	single := openStore(t, filepath.Join(models, "stories-llama"))
	for name, s := range map[string]Store{
		"folder": openStore(t, filepath.Join(models, "stories-llama-sharded")),
		"index":  openStore(t, filepath.Join(models, "stories-llama-sharded", indexFile)),
	} {
		if diff := cmp.Diff(single.Names(), s.Names()); diff != "" {
			t.Errorf("%s: names (-single +sharded):\n%s", name, diff)
		}
		for _, n := range single.Names() {
			if !slices.Equal(floats(t, find(t, single, n)), floats(t, find(t, s, n))) {
				t.Errorf("%s: %s differs", name, n)
			}
		}
	}
}

func TestMissingTensor(t *testing.T) {
	s := openStore(t, "testdata/lowered.npz")
	_, err := Find(s, "model.layers.7.mlp.up_proj.weight")
	want := `testdata/lowered.npz: tensor "model.layers.7.mlp.up_proj.weight": no such tensor among the 29 here`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestClosedStore(t *testing.T) {
	s, err := Open("testdata/lowered.npz")
	if err != nil {
		t.Fatal(err)
	}
	w := find(t, s, s.Names()[0])
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Bytes(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("reading after Close gives %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice gives %v", err)
	}
}

func TestViewStore(t *testing.T) {
	base, err := NewMemory("checkpoint", numbered(t, BFloat16, 2, 3).Rename("q"), numbered(t, BFloat16, 3).Rename("norm"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewViews(base, map[string]View{
		"layer.q.weight":    {Source: "q", Transpose: true, DType: Float32},
		"layer.norm.weight": {Source: "norm", DType: Float32, Shape: []int64{1, 1, 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"layer.norm.weight", "layer.q.weight"}, s.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	w := find(t, s, "layer.q.weight")
	if diff := cmp.Diff([]float32{0, 3, 1, 4, 2, 5}, floats(t, w)); diff != "" || w.DType() != Float32 {
		t.Errorf("%v (-want +got):\n%s", w, diff)
	}
	if _, ok := s.Lookup("q"); ok {
		t.Error("a base tensor shows through")
	}
	_, err = NewViews(base, map[string]View{"x": {Source: "k"}})
	if want := `checkpoint: tensor "k": no such tensor among the 2 here`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	_, err = NewViews(base, map[string]View{"x": {Source: "q", Shape: []int64{7}}})
	if want := `tensor "q": shape [7] does not fit [2 3]`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, content string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := string(safetensorsFile(t, `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "x"))
	write("bare/readme.txt", "")
	for _, name := range []string{"pytorch_model-00001-of-00002.bin", "a.Q8_0.gguf", "b.pt", "tokenizer.bin", "z.ONNX"} {
		write("other/"+name, "")
	}
	write("two/a.safetensors", good)
	write("two/b.safetensors", good)
	write("away/secret.safetensors", good)
	index := func(folder, shard string) string {
		return write(folder+"/"+indexFile, `{"weight_map":{"a":"`+shard+`"}}`)
	}
	write("lacks/s.safetensors", string(safetensorsFile(t, `{}`, "")))
	tests := []struct {
		name, path, want string
	}{
		{"missing file", filepath.Join(folder, "none.npz"), "DIR/none.npz: no such file or directory"},
		{"other kind", write("weights.bin", ""), "DIR/weights.bin: not a weight file: expected .npz, .safetensors, " +
			".index.json or a folder"},
		{"empty folder", filepath.Join(folder, "bare"), "DIR/bare: no weights: neither model.safetensors nor " + indexFile},
		{"other formats", filepath.Join(folder, "other"), "DIR/other: no weights: neither model.safetensors nor " + indexFile +
			"; the folder holds a.Q8_0.gguf (GGUF), b.pt (PyTorch), pytorch_model-00001-of-00002.bin (PyTorch) and 1 more, " +
			"which can't be read: weights are read from safetensors and npz"},
		{"several files", filepath.Join(folder, "two"), "DIR/two: several weight files and no " + indexFile +
			": a.safetensors, b.safetensors"},
		{"missing shard", index("gone", "model-2.safetensors"), "DIR/gone/" + indexFile +
			`: tensor "a": its file "model-2.safetensors" is missing`},
		{"outside", index("out", "../away/secret.safetensors"), "DIR/out/" + indexFile +
			`: tensor "a": the file "../away/secret.safetensors" would lie outside the checkpoint's folder`},
		{"outside by root", index("root", "/etc/passwd"), "DIR/root/" + indexFile +
			`: tensor "a": the file "/etc/passwd" would lie outside the checkpoint's folder`},
		{"outside, hidden", index("hidden", "x/../../away/secret.safetensors"), "DIR/hidden/" + indexFile +
			`: tensor "a": the file "x/../../away/secret.safetensors" would lie outside the checkpoint's folder`},
		{"shard lacks the tensor", index("lacks", "s.safetensors"), "DIR/lacks/s.safetensors" +
			`: tensor "a": not in the file, though DIR/lacks/` + indexFile + " says so"},
		{"index is no JSON", write("odd/x.index.json", "{"), "DIR/odd/x.index.json: 1:1: not valid JSON: unexpected end of JSON input"},
		{"index without map", write("odd/y.index.json", "{}"), "DIR/odd/y.index.json: has no weight_map"},
		{"empty npz", write("empty.npz", ""), "DIR/empty.npz: not a zip archive, or cut short: it has no end record"},
		{"empty safetensors", write("empty.safetensors", ""),
			"DIR/empty.safetensors: 0 bytes are too few for a safetensors file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(tt.path)
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			if got := strings.ReplaceAll(err.Error(), folder, "DIR"); got != tt.want {
				t.Errorf("got error %s\n       want %s", got, tt.want)
			}
		})
	}
}
