// Running one of the two programs on many chunks at once: a process a chunk would spend its time on starting.
package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// program is the path of top-opt or mlir-opt.
type program struct {
	path string
}

// An outcome is what a program did with one chunk.
type outcome struct {
	accepted bool
	crashed  bool
	output   string
	first    int    // the line of the chunk in what the program read
	position string // line:column of the first error within the chunk
	message  string // of the first error
	report   string // all that is written of the first error: its notes, lines of the text, carets
}

const batchSize = 64

// outcomes runs the program on the chunks; one outcome a chunk, in order.
func (p program) outcomes(ctx context.Context, chunks []chunk, flags ...string) ([]outcome, error) {
	var all []outcome
	for len(chunks) > 0 {
		n := min(batchSize, len(chunks))
		some, err := p.batch(ctx, chunks[:n], flags)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		chunks = chunks[n:]
	}
	return all, nil
}

const (
	inputMarker  = "// -----"
	outputMarker = "// =====differential====="
	batchName    = "batch.mlir"
)

// batch runs one process. Where its output has not one part a chunk (it died, or the text fools the split), halves are
// run on their own.
func (p program) batch(ctx context.Context, chunks []chunk, flags []string) ([]outcome, error) {
	folder, err := os.MkdirTemp("", "differential")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	text, firstLines := join(chunks)
	if err := os.WriteFile(filepath.Join(folder, batchName), []byte(text), 0o666); err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, p.path, append([]string{
		"--allow-unregistered-dialect", "--split-input-file", "--output-split-marker=" + outputMarker, batchName}, flags...)...)
	command.Dir = folder // so that the name in locations is the same for both programs
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if _, exited := err.(*exec.ExitError); err != nil && !exited {
		return nil, err
	}
	parts := strings.Split(stdout.String(), outputMarker)
	died := command.ProcessState.ExitCode() != 0 && command.ProcessState.ExitCode() != 1
	if died || len(parts) != len(chunks) {
		return p.halves(ctx, chunks, flags)
	}
	return attribute(parts, firstLines, stderr.String()), nil
}

func (p program) halves(ctx context.Context, chunks []chunk, flags []string) ([]outcome, error) {
	if len(chunks) == 1 {
		return []outcome{{crashed: true}}, nil
	}
	half := len(chunks) / 2
	first, err := p.batch(ctx, chunks[:half], flags)
	if err != nil {
		return nil, err
	}
	second, err := p.batch(ctx, chunks[half:], flags)
	return append(first, second...), err
}

// join makes one file of the chunks; firstLines has the line in it (from 1) at which each chunk begins.
func join(chunks []chunk) (text string, firstLines []int) {
	var b strings.Builder
	line := 1
	for i, c := range chunks {
		if i > 0 {
			b.WriteString(inputMarker + "\n")
			line++
		}
		firstLines = append(firstLines, line)
		b.WriteString(c.text)
		line += strings.Count(c.text, "\n")
	}
	return b.String(), firstLines
}

var errorLine = regexp.MustCompile(`(?m)^batch\.mlir:(\d+):(\d+): error: (.*)$`)
var anyError = regexp.MustCompile(`(?m)^(?:.*: )?error: (.*)$`)
var reportPlace = regexp.MustCompile(`(?m)^batch\.mlir:(\d+):`)
var locationPlace = regexp.MustCompile(`"batch\.mlir":(\d+):`)

// attribute gives each chunk its part of the output, and the first error whose line lies within it.
func attribute(parts []string, firstLines []int, stderr string) []outcome {
	outcomes := make([]outcome, len(parts))
	for i := range parts {
		// No output at all means an error without a position in this file.
		outcomes[i] = outcome{accepted: strings.TrimSpace(parts[i]) != "", output: strings.Trim(parts[i], "\n"),
			first: firstLines[i]}
	}
	errors := anyError.FindAllStringSubmatchIndex(stderr, -1)
	for n, at := range errors {
		end := len(stderr)
		if n+1 < len(errors) {
			end = errors[n+1][0]
		}
		report := stderr[at[0]:end]
		found := errorLine.FindStringSubmatch(report)
		if found == nil {
			if len(parts) == 1 && outcomes[0].message == "" {
				outcomes[0].message, outcomes[0].report = stderr[at[2]:at[3]], report
			}
			continue
		}
		line, _ := strconv.Atoi(found[1])
		i := len(firstLines) - 1
		for i > 0 && firstLines[i] > line {
			i--
		}
		if outcomes[i].message != "" || outcomes[i].accepted {
			continue
		}
		outcomes[i].position = strconv.Itoa(line-firstLines[i]+1) + ":" + found[2]
		outcomes[i].message = found[3]
		outcomes[i].report = relativeLines(reportPlace, report, firstLines[i])
	}
	return outcomes
}

// text is the output with the lines of locations counted from the chunk's first.
func (o outcome) text() string { return relativeLines(locationPlace, o.output, o.first) }

// relativeLines counts the lines of a report or an output from the chunk's first: a batch may have been run in halves.
func relativeLines(places *regexp.Regexp, text string, first int) string {
	return places.ReplaceAllStringFunc(text, func(place string) string {
		number := places.FindStringSubmatch(place)[1]
		line, _ := strconv.Atoi(number)
		return strings.Replace(place, number, strconv.Itoa(max(line-first+1, 0)), 1)
	})
}
