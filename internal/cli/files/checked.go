package files

import "io"

// Checked is a writer that remembers its first error: what prints help or a list piece by piece learns in the end whether it
// was written.
type Checked struct {
	io.Writer
	Err error
}

// Write writes a piece, unless an earlier one could not be written.
func (c *Checked) Write(data []byte) (n int, err error) {
	if c.Err == nil {
		n, c.Err = c.Writer.Write(data)
	}
	return n, c.Err
}
