// Package progress shows on a terminal how far a command is, and nothing where its messages go to a file or a pipe.
package progress

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar shows how many of a number of things are done.
type Bar struct{ bar *progressbar.ProgressBar }

// New starts a bar on w, with a word for what is going on.
func New(w io.Writer, total int, title string) *Bar {
	if !IsTerminal(w) {
		return &Bar{}
	}
	return &Bar{progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))}
}

// Step says that the next thing begins.
func (b *Bar) Step(string) {
	if b.bar != nil {
		_ = b.bar.Add(1) // a bar that can't be drawn is no reason to stop
	}
}

// Done takes the bar away.
func (b *Bar) Done() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}

// IsTerminal reports whether what is written goes to a person's screen.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
