package diagnosticformat

// This file writes SARIF.

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"

	"tpuir/ir"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"driver"`
}

type sarifResult struct {
	Level            string          `json:"level"`
	Message          sarifMessage    `json:"message"`
	Locations        []sarifLocation `json:"locations,omitempty"`
	RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical          []sarifLogical `json:"logicalLocations,omitempty"`
	Message          *sarifMessage  `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// SARIF writes a log of one run with all diagnostics; notes are related locations.
func SARIF(w io.Writer, sources *ir.Sources, tool, version string, diagnostics []*ir.Diagnostic) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver.Name, run.Tool.Driver.Version = tool, version
	for _, d := range diagnostics {
		result := sarifResult{Level: level(d.Severity), Message: sarifMessage{d.Message}}
		if place := location(convert(sources, d, nil)); place != nil {
			result.Locations = []sarifLocation{*place}
		}
		for _, note := range d.Notes {
			place := location(convert(sources, note, d))
			if place == nil {
				place = &sarifLocation{}
			}
			place.Message = &sarifMessage{note.Message}
			result.RelatedLocations = append(result.RelatedLocations, *place)
		}
		run.Results = append(run.Results, result)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// level is SARIF's word for a severity.
func level(s ir.Severity) string {
	if s == ir.SeverityRemark {
		return "note"
	}
	return s.String()
}

func location(d diagnostic) *sarifLocation {
	var place sarifLocation
	if d.File != "" {
		place.PhysicalLocation = &sarifPhysical{}
		place.PhysicalLocation.Artifact.URI = (&url.URL{Path: filepath.ToSlash(d.File)}).String()
		if d.Line > 0 {
			place.PhysicalLocation.Region = &sarifRegion{StartLine: d.Line, StartColumn: max(d.Column, 1)}
		}
	}
	if d.Location != "" && d.File == "" {
		place.Logical = []sarifLogical{{d.Location}}
	}
	if place.PhysicalLocation == nil && place.Logical == nil {
		return nil
	}
	return &place
}
