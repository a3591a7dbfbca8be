// Package chat writes a conversation as the text that a model was trained on, with the chat template of its checkpoint.
// Templates are Jinja, as Hugging Face runs it; gonja executes them. A template comes from a file of somebody else: it
// reads no files, and its time, memory and output are bounded.
//
// gonja differs from Jinja in ways that published templates meet. rewrite.go and expression.go bring a template into a
// form that both understand alike, and functions.go, methods.go and filters.go hold what that form calls.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"

	"tpuir/internal/checkpointfile"
)

// ErrNoTemplate says that a checkpoint has no chat template; it is then no chat model.
var ErrNoTemplate = errors.New("the checkpoint has no chat template")

// Message is one turn of a conversation.
type Message struct {
	// Role is system, user, assistant or what else the template knows.
	Role string
	// Content is the text.
	Content string
	// Fields are further entries of the message (name, reasoning_content, tool_calls): what JSON decodes to, or a
	// json.RawMessage, whose entries keep their order. A role or content here takes the place of the other (content may be
	// a list of parts).
	Fields map[string]any
}

// Options are what a template is told beside the messages.
type Options struct {
	// AddGenerationPrompt asks for the beginning of the assistant's turn at the end.
	AddGenerationPrompt bool
	// Variables are further names, like enable_thinking, with values as in Message.Fields. They win over what
	// the package sets.
	Variables map[string]any
	// Now is the time for templates that ask for it. The zero value means that strftime_now is not defined.
	Now time.Time
}

// Template is a chat template that was read and checked. It is safe for concurrent use.
type Template struct {
	origin    string
	special   map[string]string
	constants []string
	compiled  *exec.Template
}

const (
	configFile  = "tokenizer_config.json"
	jinjaFile   = "chat_template.jinja"
	jsonFile    = "chat_template.json"
	maxFileSize = 64 << 20
)

// Load reads the chat template of a checkpoint's folder: chat_template.jinja, chat_template.json, or the entry of
// tokenizer_config.json (of several the one named default). It returns ErrNoTemplate where there is none; other errors
// name the file, and the line of the template.
func Load(fsys fs.FS) (*Template, error) {
	var settings, separate configJSON
	if err := checkpointfile.ReadJSON(fsys, configFile, maxFileSize, &settings); err != nil {
		return nil, err
	}
	source, origin := "", jinjaFile
	if data, err := checkpointfile.Read(fsys, jinjaFile, maxFileSize); err == nil {
		source = string(data)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", jinjaFile, err)
	}
	if source == "" {
		if err := checkpointfile.ReadJSON(fsys, jsonFile, maxFileSize, &separate); err != nil {
			return nil, err
		}
		source, origin = string(separate.ChatTemplate), jsonFile
	}
	if source == "" {
		source, origin = string(settings.ChatTemplate), configFile+": chat_template"
	}
	if source == "" {
		return nil, ErrNoTemplate
	}
	special := map[string]string{}
	for name, token := range map[string]checkpointfile.TokenName{"bos_token": settings.BOS, "eos_token": settings.EOS,
		"pad_token": settings.PAD, "unk_token": settings.UNK} {
		if token != "" {
			special[name] = string(token)
		}
	}
	return compile(source, origin, special)
}

// New reads a template from text. The special tokens have the names that a template knows them by (bos_token, …).
func New(source string, special map[string]string) (*Template, error) {
	return compile(source, "chat template", special)
}

func compile(source, origin string, special map[string]string) (t *Template, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s: %v", origin, cause)
		}
	}()
	text, constants, err := rewrite(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", origin, err)
	}
	const name = "/template"
	loader, err := loaders.NewMemoryLoader(map[string]string{name: text})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", origin, err)
	}
	environment := &exec.Environment{
		Context:           exec.EmptyContext(),
		Filters:           exec.NewFilterSet(filters()),
		Tests:             builtins.Tests,
		ControlStructures: builtins.ControlStructures,
		Methods:           builtins.Methods,
	}
	compiled, err := exec.NewTemplate(name, config.New(), loader, environment)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", origin, describe(err, text))
	}
	return &Template{origin: origin, special: special, constants: constants, compiled: compiled}, nil
}

// describe leaves the text for gonja, which the user never saw, out of gonja's message.
func describe(err error, text string) error {
	return errors.New(strings.ReplaceAll(err.Error(), " '"+text+"'", ""))
}

// Render writes the conversation. An error names the line of the template; the message of raise_exception is part of it.
func (t *Template) Render(ctx context.Context, messages []Message, options Options) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	run := &run{ctx: ctx}
	defer func() {
		if cause := recover(); cause != nil {
			text, err = "", fmt.Errorf("%s: %v", t.origin, cause)
		}
	}()
	data := functions(run, options.Now)
	data[runName] = run
	for i, constant := range t.constants {
		data[constantName(i)] = constant
	}
	for name, token := range t.special {
		data[name] = token
	}
	if err := t.addInput(data, messages, options); err != nil {
		return "", fmt.Errorf("%s: %w", t.origin, err)
	}
	out := &output{run: run}
	if err := t.compiled.Execute(out, exec.NewContext(data)); err != nil {
		return "", t.renderError(run, err)
	}
	return out.text.String(), nil
}

// addInput adds what the caller gives.
func (t *Template) addInput(data map[string]any, messages []Message, options Options) (err error) {
	if data["messages"], err = convertMessages(messages); err != nil {
		return err
	}
	data["tools"], data["documents"] = none, none
	data["add_generation_prompt"] = options.AddGenerationPrompt
	for name, variable := range options.Variables {
		if strings.HasPrefix(name, "__") {
			return fmt.Errorf("the name %q may not begin with __", name)
		}
		value, err := convert(variable)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		data[name] = value.Interface()
	}
	return nil
}

var lineOfError = regexp.MustCompile(`at line (\d+):`)

// renderError names the innermost line in gonja's message, and the cause that one of our functions gave.
func (t *Template) renderError(run *run, err error) error {
	line := ""
	if found := lineOfError.FindAllStringSubmatch(err.Error(), -1); found != nil {
		line = "line " + found[len(found)-1][1] + ": "
	}
	if run.err != nil {
		return fmt.Errorf("%s: %s%w", t.origin, line, run.err)
	}
	message := err.Error()
	if at := strings.LastIndex(message, ": "); at >= 0 {
		message = message[at+2:]
	}
	return fmt.Errorf("%s: %s%s", t.origin, line, message)
}

// output collects the text up to its bound.
type output struct {
	run  *run
	text strings.Builder
}

func (o *output) Write(data []byte) (int, error) {
	if err := o.run.charge(len(data)); err != nil {
		return 0, err
	}
	return o.text.Write(data)
}

// configJSON is the part of tokenizer_config.json or chat_template.json that matters here.
type configJSON struct {
	ChatTemplate templateJSON             `json:"chat_template"`
	BOS          checkpointfile.TokenName `json:"bos_token"`
	EOS          checkpointfile.TokenName `json:"eos_token"`
	PAD          checkpointfile.TokenName `json:"pad_token"`
	UNK          checkpointfile.TokenName `json:"unk_token"`
}

// templateJSON is a template, or a list of templates with names, of which it takes the default.
type templateJSON string

func (t *templateJSON) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(t)) == nil {
		return nil
	}
	var list []struct {
		Name     string `json:"name"`
		Template string `json:"template"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New("chat_template is neither a string nor a list of templates")
	}
	for _, entry := range list {
		if entry.Name == "default" || len(list) == 1 {
			*t = templateJSON(entry.Template)
		}
	}
	return nil
}
