package diagnosticformat_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/diagnosticformat"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
)

// diagnostics are an error of the parser, one with a note elsewhere, one without a place, a warning and a remark.
func diagnostics(t *testing.T) (*ir.Sources, []*ir.Diagnostic) {
	t.Helper()
	sources := &ir.Sources{}
	source := sources.Add("a folder/ä.mlir", []byte("func.func @f() { return }\n\n  func.func @f() { retrn }\n"))
	c := registry.NewContext()
	_, found := parser.Parse(t.Context(), c, source, parser.Options{})
	if len(found) == 0 {
		t.Fatal("the text is accepted")
	}
	noted := &ir.Diagnostic{Message: "redefinition", Position: source.Position(29)}
	noted.Note(c.FileLoc("other.mlir", 7, 3), "see there")
	noted.Note(nil, "and here")
	return sources, append(found, noted,
		&ir.Diagnostic{Message: "no place"},
		&ir.Diagnostic{Severity: ir.SeverityWarning, Message: "a name", Loc: c.NameLoc("layer", c.UnknownLoc())},
		&ir.Diagnostic{Severity: ir.SeverityRemark, Message: "a remark", Position: source.Position(0)})
}

// What stands in the log has what version 2.1.0 requires, and nothing that it does not allow.
func TestSARIF(t *testing.T) {
	sources, list := diagnostics(t)
	var out bytes.Buffer
	if err := diagnosticformat.SARIF(&out, sources, "top-opt", "top-opt 1", list); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	for _, problem := range checkLog(log) {
		t.Error(problem)
	}
	var got struct {
		Runs []struct {
			Results []struct {
				Level            string
				Message          struct{ Text string }
				Locations        []place
				RelatedLocations []place
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range got.Runs[0].Results {
		lines = append(lines, fmt.Sprint(r.Level, " ", r.Message.Text, " ", r.Locations, " ", r.RelatedLocations))
	}
	want := []string{
		"error custom op 'retrn' is unknown (tried 'func.retrn' as well) [a%20folder/%C3%A4.mlir:3:20] []",
		"error redefinition [a%20folder/%C3%A4.mlir:3:3] [other.mlir:7:3 see there a%20folder/%C3%A4.mlir:3:3 and here]",
		"error no place [] []",
		"warning a name [] []",
		"note a remark [a%20folder/%C3%A4.mlir:1:1] []",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type place struct {
	PhysicalLocation *struct {
		ArtifactLocation struct{ URI string }
		Region           struct{ StartLine, StartColumn int }
	}
	Message struct{ Text string }
}

func (p place) String() string {
	if p.PhysicalLocation == nil {
		return p.Message.Text
	}
	text := fmt.Sprintf("%s:%d:%d", p.PhysicalLocation.ArtifactLocation.URI, p.PhysicalLocation.Region.StartLine, p.PhysicalLocation.Region.StartColumn)
	if p.Message.Text != "" {
		text += " " + p.Message.Text
	}
	return text
}

// checkLog returns what the standard does not allow: properties that are required and missing, and values out of range.
func checkLog(log map[string]any) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if log["version"] != "2.1.0" {
		wrong("version is %v", log["version"])
	}
	runs, ok := log["runs"].([]any)
	if !ok {
		wrong("runs is no array")
	}
	for _, r := range runs {
		run := r.(map[string]any)
		driver := object(object(run["tool"])["driver"])
		if name, _ := driver["name"].(string); name == "" {
			wrong("the tool's driver has no name")
		}
		results, ok := run["results"].([]any)
		if !ok {
			wrong("results is no array")
		}
		for _, r := range results {
			result := object(r)
			if text, _ := object(result["message"])["text"].(string); text == "" {
				wrong("a result has no message")
			}
			if level, _ := result["level"].(string); !slices.Contains([]string{"none", "note", "warning", "error"}, level) {
				wrong("level is %q", level)
			}
			for _, key := range []string{"locations", "relatedLocations"} {
				list, _ := result[key].([]any)
				for _, l := range list {
					problems = append(problems, checkLocation(object(l))...)
				}
			}
		}
	}
	return problems
}

func checkLocation(location map[string]any) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if message, ok := location["message"]; ok && object(message)["text"] == nil {
		wrong("the message of a location has no text")
	}
	physical, ok := location["physicalLocation"]
	if !ok {
		return problems
	}
	uri, _ := object(object(physical)["artifactLocation"])["uri"].(string)
	if parsed, err := url.Parse(uri); err != nil || uri == "" || parsed.String() != uri {
		wrong("%q is no URI reference", uri)
	}
	if region, ok := object(physical)["region"]; ok {
		for _, key := range []string{"startLine", "startColumn"} {
			if n, _ := object(region)[key].(float64); n < 1 {
				wrong("%s is %v", key, object(region)[key])
			}
		}
	}
	return problems
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
