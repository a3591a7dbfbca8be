package chat

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var special = map[string]string{"bos_token": "<s>", "eos_token": "</s>"}

// A rendering is what Jinja 3.1.6, set up as Hugging Face does, gave for a template: a file of testdata, or one text.
type rendering struct {
	Name                string                       `json:"name"`
	Template            string                       `json:"template"`
	Messages            []map[string]json.RawMessage `json:"messages"`
	AddGenerationPrompt bool                         `json:"add_generation_prompt"`
	Variables           map[string]json.RawMessage   `json:"variables"`
	Want                string                       `json:"want"`
	Error               *string                      `json:"error"`
}

func TestAgainstJinja(t *testing.T) {
	data, err := os.ReadFile("testdata/jinja.json")
	if err != nil {
		t.Fatal(err)
	}
	var renderings []rendering
	if err := json.Unmarshal(data, &renderings); err != nil {
		t.Fatal(err)
	}
	for _, want := range renderings {
		if want.Template == "" {
			source, err := os.ReadFile(filepath.Join("testdata", want.Name))
			if err != nil {
				t.Fatal(err)
			}
			want.Template = string(source)
		}
		got, err := want.render()
		name := want.Name
		if len(want.Template) < 500 {
			name += ": " + want.Template
		}
		switch {
		case want.Error != nil && (err == nil || !strings.Contains(err.Error(), *want.Error)):
			t.Errorf("%s: %q and error %v, want an error with %q", name, got, err, *want.Error)
		case want.Error == nil && err != nil:
			t.Errorf("%s: %v", name, err)
		case want.Error == nil && got != want.Want:
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want.Want, got))
		}
	}
}

func (r rendering) render() (string, error) {
	template, err := New(r.Template, special)
	if err != nil {
		return "", err
	}
	var messages []Message
	for _, fields := range r.Messages {
		message := Message{Fields: map[string]any{}}
		for name, value := range fields {
			var text string
			isText := json.Unmarshal(value, &text) == nil
			switch {
			case name == "role" && isText:
				message.Role = text
			case name == "content" && isText:
				message.Content = text
			default:
				message.Fields[name] = value
			}
		}
		messages = append(messages, message)
	}
	variables := map[string]any{}
	for name, value := range r.Variables {
		variables[name] = value
	}
	return template.Render(context.Background(), messages, Options{
		AddGenerationPrompt: r.AddGenerationPrompt, Variables: variables,
		Now: time.Date(2026, time.March, 7, 15, 4, 5, 0, time.UTC),
	})
}
