package chat

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/race"
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

func TestLoad(t *testing.T) {
	config := func(template string) fstest.MapFS {
		return fstest.MapFS{configFile: {Data: []byte(`{"bos_token": {"content": "<s>"}, "eos_token": "</s>"` + template + `}`)}}
	}
	with := func(files fstest.MapFS, name, data string) fstest.MapFS {
		files[name] = &fstest.MapFile{Data: []byte(data)}
		return files
	}
	for _, test := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"text", config(`, "chat_template": "{{ bos_token }}A{{ eos_token }}"`), "<s>A</s>"},
		{"list", config(`, "chat_template": [{"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]`), "D"},
		{"file", with(config(`, "chat_template": "A"`), jinjaFile, "{{ eos_token }}J"), "</s>J"},
		{"JSON file", with(config(``), jsonFile, `{"chat_template": "{{ bos_token }}C"}`), "<s>C"},
		{"no settings", fstest.MapFS{jinjaFile: {Data: []byte("{{ bos_token is defined }}")}}, "False"},
	} {
		template, err := Load(test.files)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got, err := template.Render(context.Background(), nil, Options{})
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
	if _, err := Load(config("")); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("error %v, want ErrNoTemplate", err)
	}
	_, err := Load(config(`, "chat_template": "a\n{% if %}"`))
	if err == nil || !strings.HasPrefix(err.Error(), "tokenizer_config.json: chat_template: line 2: ") {
		t.Errorf("error %v, want file and line", err)
	}
	_, err = Load(config(`, "chat_template": 5`))
	if err == nil || !strings.HasPrefix(err.Error(), "tokenizer_config.json: chat_template is neither") {
		t.Errorf("error %v, want file and field", err)
	}
}

// TestErrors: what a template does wrong is told with its line, whether it shows on reading or on rendering.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ template, want string }{
		{"a\n\n{{ 1 + }}", "line 3: expected an expression at the end of the tag"},
		{"{% if x %}\n{% for a in b %}", `line 2: "for" is not closed`},
		{"{% endif %}", `line 1: "endif" without "if"`},
		{"{% if a %}{% endfor %}", `"endfor" without "for"`},
		{"\n{{ 'a }}", "line 2: the tag {{ has no end"},
		{"{% include 'tokenizer.json' %}", `line 1: the tag "include" is not supported`},
		{"{% extends 'a' %}", `the tag "extends" is not supported`},
		{"{% import 'a' as b %}", `the tag "import" is not supported`},
		{"{{ a ? b }}", "line 1: unexpected character '?'"},
		{"{{ __add(1, 2) }}", "may not begin with __"},
		{"{{ a.__class__ }}", "expected the name of an attribute"},
		{"\n{{ 'a' | nothing }}", "filter 'nothing' not found"},
		{"\n{{ 'a' is nothing }}", `line 2: there is no test "nothing"`},
		{"\n\n{{ 'a' + 1 }}", "line 3: + does not work on a string and a number"},
		{"\n{{ 'a' + nothing }}", "line 2: + does not work on a string and undefined"},
		{"{% for m in messages %}\n{% if m.role == 'user' %}\n{{ raise_exception('No ' + m.role) }}{% endif %}{% endfor %}",
			"line 3: the template refuses the conversation: No user"},
		{"\n{% set a = nothing.name %}", "line 2: an undefined value has no name"},
		{"\n{% if 1 // 0 %}{% endif %}", "line 2: division by zero"},
		{"\n{% for a in 5 %}{% endfor %}", "line 2: a number cannot be looped over"},
		{"{{ 'a'.encode() }}", "a string has no method encode"},
		{"{{ nothing() }}", "line 1: "},
		{"{{ strftime_now('%d') }}", "line 1: "},
	} {
		template, err := New(test.template, nil)
		if err == nil {
			_, err = template.Render(context.Background(), []Message{{Role: "user", Content: "Hi"}}, Options{})
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.template, err, test.want)
		}
	}
}

// TestBounds: templates that would use up memory, stack or time end with an error, and soon.
func TestBounds(t *testing.T) {
	for _, template := range []string{
		"{{ 'a' * 100000000000 }}",
		"{{ [1] * 1000000000 }}",
		"{% set n = namespace(s='ab') %}{% for i in range(1000) %}{% set n.s = n.s + n.s %}{% endfor %}",
		"{% set n = namespace(s=[1]) %}{% for i in range(1000) %}{% set n.s = n.s + n.s %}{% endfor %}",
		"{% for i in range(9999) %}{% for j in range(9999) %}{% for k in range(9999) %}{% endfor %}{% endfor %}{% endfor %}",
		"{% for i in range(9999) %}{% for j in range(9999) %}x{{ j }}{% endfor %}{% endfor %}",
		"{% for i in range(100000000000) %}{% endfor %}",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
		"{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
		"{{ ('a' * 1000000).replace('', 'b' * 1000000) }}",
		"{{ (('a' * 1000000)|list|join('b' * 1000000)) }}",
		"{{ 'a' | indent(100000000) }}",
		"{{ [1] | tojson(indent=1000000000) }}",
		"{{ " + strings.Repeat("(", 100000) + " }}",
		"{{ " + strings.Repeat("not ", 100000) + "1 }}",
		"{{ " + strings.Repeat("-", 100000) + "1 }}",
		"{{ " + strings.Repeat("a if b else ", 10000) + "1 }}",
		"{{ " + strings.Repeat("1+", 100000) + "1 }}",
		strings.Repeat("{% if 1 %}", 20000) + strings.Repeat("{% endif %}", 20000),
		"{{ 1" + strings.Repeat("|abs", 60000) + " }}",
		strings.Repeat("a", maxTemplate+1),
	} {
		limit := 3 * maxTime // other packages are tested at the same time
		if race.Enabled {
			limit *= 10 // everything is slower, and so is a step between two looks at the clock
		}
		start := time.Now()
		compiled, err := New(template, nil)
		if err == nil {
			_, err = compiled.Render(context.Background(), nil, Options{})
		}
		if took := time.Since(start); err == nil || took > limit {
			t.Errorf("%.80q: error %v after %v", template, err, took)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	template, err := New("{{ 1 + 1 }}", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Render(ctx, nil, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// FuzzTemplate: any template gives text or an error, without a panic and within its bounds.
func FuzzTemplate(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jinja")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("{% for a, b in {'x': 1}.items() if a %}{{ loop.index }}{{ a[::-1] | trim }}{% endfor %}{% raw %}{{{% endraw %}")
	f.Fuzz(func(t *testing.T, source string) {
		template, err := New(source, special)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// An error is as good as a text here.
		_, _ = template.Render(ctx, []Message{{Role: "user", Content: "Hi"}}, Options{AddGenerationPrompt: true})
	})
}

func BenchmarkRender(b *testing.B) {
	source, err := os.ReadFile("testdata/qwen3-kind.jinja")
	if err != nil {
		b.Fatal(err)
	}
	template, err := New(string(source), special)
	if err != nil {
		b.Fatal(err)
	}
	messages := []Message{{Role: "system", Content: "Be kind."}, {Role: "user", Content: "Hi"}}
	for b.Loop() {
		if _, err := template.Render(context.Background(), messages, Options{AddGenerationPrompt: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	source, err := os.ReadFile("testdata/qwen3-kind.jinja")
	if err != nil {
		t.Fatal(err)
	}
	template, err := New(string(source), special)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			text := strings.Repeat("x", i)
			got, err := template.Render(context.Background(), []Message{{Role: "user", Content: text}}, Options{})
			if want := "<|im_start|>user\n" + text + "<|im_end|>\n"; err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		})
	}
	group.Wait()
}
