package tpurun

// This file writes tokens as they come, as text or as ids.

import (
	"fmt"
	"io"

	"tpuir/runtime/tokenizer"
)

// output is where the text goes.
type output interface {
	// begin writes what stands before the first token.
	begin(prompt string) error
	token(id int) error
	end() error
}

func (t *tool) output(words *tokenizer.Tokenizer, stop func(int) bool) output {
	if t.printIDs {
		return &idOutput{w: t.stdout}
	}
	return &textOutput{w: t.stdout, stream: words.NewStream(true), echo: t.hasPrompt && !t.chat, stop: stop}
}

// idOutput writes ids, with commas between.
type idOutput struct {
	w     io.Writer
	count int
}

func (o *idOutput) begin(string) error { return nil }

func (o *idOutput) token(id int) error {
	separator := ","
	if o.count == 0 {
		separator = ""
	}
	o.count++
	_, err := fmt.Fprintf(o.w, "%s%d", separator, id)
	return err
}

func (o *idOutput) end() error {
	_, err := fmt.Fprintln(o.w)
	return err
}

// textOutput writes text. A story begins with its prompt, the answer of a chat does not.
type textOutput struct {
	w      io.Writer
	stream *tokenizer.Stream
	echo   bool
	stop   func(int) bool
}

func (o *textOutput) begin(prompt string) error {
	if !o.echo {
		return nil
	}
	_, err := io.WriteString(o.w, prompt)
	return err
}

func (o *textOutput) token(id int) error {
	if o.stop != nil && o.stop(id) {
		return nil
	}
	_, err := io.WriteString(o.w, o.stream.Push(id))
	return err
}

func (o *textOutput) end() error {
	_, err := io.WriteString(o.w, o.stream.Flush()+"\n")
	return err
}
