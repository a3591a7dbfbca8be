// Package diagnosticformat writes diagnostics for programs: editors and CI read a JSON object per line, or SARIF, the
// format of static analysis results (OASIS, version 2.1.0).
package diagnosticformat

import (
	"encoding/json"
	"io"

	"tpuir/ir"
)

// diagnostic is the JSON form. Lines and columns count from 1 and are left out where a message has no place.
type diagnostic struct {
	Severity  string       `json:"severity"`
	Message   string       `json:"message"`
	File      string       `json:"file,omitempty"`
	Line      int          `json:"line,omitempty"`
	Column    int          `json:"column,omitempty"`
	Location  string       `json:"location,omitempty"`
	Operation string       `json:"operation,omitempty"`
	Notes     []diagnostic `json:"notes,omitempty"`
}

// JSON writes a diagnostic, with its notes, as an object on a line of its own.
func JSON(w io.Writer, sources *ir.Sources, d *ir.Diagnostic) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(convert(sources, d, nil))
}

func convert(sources *ir.Sources, d, parent *ir.Diagnostic) diagnostic {
	placed := *d
	if d.Loc == nil && d.Position == 0 && parent != nil {
		placed.Loc, placed.Position = parent.Loc, parent.Position
	}
	out := diagnostic{Severity: d.Severity.String(), Message: d.Message}
	out.File, out.Line, out.Column = sources.Place(&placed)
	if placed.Loc != nil {
		out.Location = ir.LocationText(placed.Loc)
	}
	if d.Op != nil {
		out.Operation = d.Op.Name().String()
	}
	for _, note := range d.Notes {
		out.Notes = append(out.Notes, convert(sources, note, &placed))
	}
	return out
}
