package jsonerror

import (
	"encoding/json"
	"errors"
	"io"
	"testing"
)

func TestDescribe(t *testing.T) {
	type part struct {
		Count int      `json:"count"`
		Start uint64   `json:"start"`
		Names []string `json:"names"`
		Scale float32  `json:"scale"`
		Part  *part    `json:"part"`
		On    bool     `json:"on"`
		Word  string   `json:"word"`
	}
	tests := []struct{ text, want string }{
		{`{"count": 1}`, ""},
		{"{\n  \"count\": x\n}", "2:12: not valid JSON: invalid character 'x' looking for beginning of value"},
		{"", "1:1: not valid JSON: unexpected end of JSON input"},
		{`[]`, "the value is a JSON array; expected an object"},
		{`{"count": 1.5}`, "count is a JSON number 1.5; expected a whole number"},
		{`{"part": {"count": "1"}}`, "part.count is a JSON string; expected a whole number"},
		{`{"start": -1}`, "start is a JSON number -1; expected a whole number from 0 on"},
		{`{"scale": {}}`, "scale is a JSON object; expected a number"},
		{`{"names": 1}`, "names is a JSON number; expected a list"},
		{`{"on": 1}`, "on is a JSON number; expected true or false"},
		{`{"word": true}`, "word is a JSON bool; expected a string"},
	}
	for _, test := range tests {
		got := ""
		if err := Describe([]byte(test.text), json.Unmarshal([]byte(test.text), &part{})); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q; want %q", test.text, got, test.want)
		}
	}
	if err := Describe(nil, io.ErrUnexpectedEOF); err == nil || err.Error() != "the JSON ends too early" {
		t.Errorf("end of the text: %v", err)
	}
	if other := errors.New("other"); Describe(nil, other) != other {
		t.Error("another error does not stay")
	}
}
