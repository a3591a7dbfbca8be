package checkpointfile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
)

func TestReadJSON(t *testing.T) {
	files := fstest.MapFS{
		"good.json":  {Data: []byte(`{"a": 7}`)},
		"long.json":  {Data: []byte(`{"a": 1234567890}`)},
		"cut.json":   {Data: []byte("{\n  \"a\":")},
		"word.json":  {Data: []byte(`{"a": "7"}`)},
		"empty.json": {},
	}
	for _, tt := range []struct {
		name string
		a    int
		want string
	}{
		{"good.json", 7, ""},
		{"none.json", 1, ""},
		{"long.json", 1, "long.json: the file has more than 16 bytes"},
		{"cut.json", 1, "cut.json: 2:6: not valid JSON: unexpected end of JSON input"},
		{"word.json", 1, "word.json: a is a JSON string; expected a whole number"},
		{"empty.json", 1, "empty.json: 1:1: not valid JSON: unexpected end of JSON input"},
	} {
		target := struct {
			A int `json:"a"`
		}{1}
		err := ReadJSON(files, tt.name, 16, &target)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want || target.A != tt.a {
			t.Errorf("%s: %d, error %q; want %d, %q", tt.name, target.A, got, tt.a, tt.want)
		}
	}
}

// The cause of an error is told without the name, and can be asked for.
func TestReadMissing(t *testing.T) {
	folder := os.DirFS(t.TempDir())
	if _, err := Read(folder, "x.json", 1); !errors.Is(err, fs.ErrNotExist) || err.Error() != "no such file or directory" {
		t.Errorf("got error %v", err)
	}
}

func TestTokenName(t *testing.T) {
	for text, want := range map[string]string{`"<s>"`: "<s>", `{"content": "<s>", "lstrip": true}`: "<s>", `null`: "", `{}`: ""} {
		var got TokenName
		if err := json.Unmarshal([]byte(text), &got); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
	var got TokenName
	if err := json.Unmarshal([]byte("3"), &got); err == nil || err.Error() != "a token is neither a string nor an object with content" {
		t.Errorf("got error %v", err)
	}
}
