package tpurun

// This file writes tokens as they come, as text or as ids.

import (
	"fmt"
	"io"

	"tpuir/runtime/tokenizer"
)

// output is where the text goes.
type output interface {
	token(id int) error
	// end is called behind the last token, where there was one.
	end() error
}

func (t *tool) output(words *tokenizer.Tokenizer, stop func(int) bool) output {
	if t.printIDs {
		return &idOutput{w: t.stdout}
	}
	out := &textOutput{w: t.stdout, stream: words.NewStream(true), stop: stop}
	if !t.chat {
		out.before = t.prompt
	}
	return out
}

// idOutput writes ids, with commas between.
type idOutput struct {
	w     io.Writer
	count int
}

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

// textOutput writes text.
type textOutput struct {
	w      io.Writer
	stream *tokenizer.Stream
	before string // written before the first token: a story begins with its prompt, the answer of a chat does not
	stop   func(int) bool
}

func (o *textOutput) token(id int) error {
	text := o.before
	o.before = ""
	if o.stop == nil || !o.stop(id) {
		text += o.stream.Push(id)
	}
	_, err := io.WriteString(o.w, text)
	return err
}

func (o *textOutput) end() error {
	_, err := io.WriteString(o.w, o.stream.Flush()+"\n")
	return err
}
