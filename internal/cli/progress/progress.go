// Package progress shows on a terminal how far a command is, and nothing where its messages go to a file or a pipe.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Bar shows how many of a number of things are done.
type Bar struct {
	w           io.Writer // nil: nobody watches
	title       string
	done, total int // total is -1 where it is not known
	drawn       time.Time
	shown       int // length of the line on the terminal
}

// barWidth is the length of a full bar; redraw is how much time passes at least between two lines, so that drawing costs
// nothing.
const (
	barWidth = 30
	redraw   = 50 * time.Millisecond
)

// New starts a bar on w, with a word for what is going on. The total is -1 where it is not known.
func New(w io.Writer, total int, title string) *Bar {
	if !IsTerminal(w) {
		return &Bar{}
	}
	return &Bar{w: w, total: total, title: title}
}

// Step says that the next thing begins.
func (b *Bar) Step(string) {
	b.done++
	if b.w != nil && time.Since(b.drawn) >= redraw {
		b.drawn = time.Now()
		b.draw(b.line())
	}
}

// Done takes the bar away.
func (b *Bar) Done() {
	if b.w != nil && b.shown > 0 {
		b.draw("")
	}
}

// line is what the terminal shows: "writing nets [#####     ] 3/6", or the count alone where there is no total.
func (b *Bar) line() string {
	if b.total <= 0 {
		return fmt.Sprintf("%s %d", b.title, b.done)
	}
	full := min(b.done, b.total) * barWidth / b.total
	return fmt.Sprintf("%s [%s%s] %d/%d", b.title, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), b.done, b.total)
}

// draw writes over the line before. A bar that can't be drawn is no reason to stop.
func (b *Bar) draw(line string) {
	_, _ = fmt.Fprintf(b.w, "\r%s%s", line, strings.Repeat(" ", max(0, b.shown-len(line))))
	if line == "" {
		_, _ = io.WriteString(b.w, "\r")
	}
	b.shown = len(line)
}

// IsTerminal reports whether what is written goes to a person's screen.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
