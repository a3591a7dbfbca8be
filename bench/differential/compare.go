// What is compared, and the table of the differences.
package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// A comparison runs both programs on the same texts and reports where they differ.
type comparison struct {
	judge, ours program
	known       *regexp.Regexp
	report      io.Writer
}

var genericFlags = []string{"--mlir-print-op-generic"}
var debugFlags = []string{"--mlir-print-op-generic", "--mlir-print-debuginfo"}

// compareForms compares on what the judge prints of the chunks: their generic form, the same with locations, the custom
// form where both know it; and the verdicts on the chunks themselves.
func (c *comparison) compareForms(ctx context.Context, chunks []chunk) error {
	generic, err := c.printedBy(ctx, chunks, genericFlags)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.report, "== generic form, generic output\n")
	if err := c.compare(ctx, generic, genericFlags, false); err != nil {
		return err
	}
	debug, err := c.printedBy(ctx, chunks, debugFlags)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.report, "== generic form with locations, the same as output\n")
	if err := c.compare(ctx, debug, debugFlags, false); err != nil {
		return err
	}
	var custom []chunk
	for _, g := range generic {
		if c.allKnown(g.text) {
			custom = append(custom, g)
		}
	}
	fmt.Fprintf(c.report, "== generic form, custom output\n")
	if err := c.compare(ctx, custom, nil, false); err != nil {
		return err
	}
	fmt.Fprintf(c.report, "== as they stand in the files\n")
	return c.compareTexts(ctx, chunks, true)
}

// compareTexts compares verdict, position and generic output on the texts as they are. Where foreign, texts in custom
// forms of dialects that ours does not know are counted apart.
func (c *comparison) compareTexts(ctx context.Context, chunks []chunk, foreign bool) error {
	return c.compare(ctx, chunks, genericFlags, foreign)
}

// printedBy gives the judge's output for the chunks that it accepts.
func (c *comparison) printedBy(ctx context.Context, chunks []chunk, flags []string) ([]chunk, error) {
	outcomes, err := c.judge.outcomes(ctx, chunks, flags...)
	if err != nil {
		return nil, err
	}
	var accepted []chunk
	for i, o := range outcomes {
		if o.accepted {
			accepted = append(accepted, chunk{chunks[i].name, o.output + "\n"})
		}
	}
	return accepted, nil
}

var operationName = regexp.MustCompile(`"([\w.$-]+)"\(`)

// allKnown says whether a generic text has only operations that both programs know, or neither does.
func (c *comparison) allKnown(generic string) bool {
	for _, found := range operationName.FindAllStringSubmatch(generic, -1) {
		if !c.known.MatchString(found[1]) {
			return false
		}
	}
	return true
}

// compare runs both and counts. Where foreign, a text of which ours says that an operation's custom form or a dialect is
// not known is counted apart: no program knows every dialect.
func (c *comparison) compare(ctx context.Context, chunks []chunk, flags []string, foreign bool) error {
	judged, err := c.judge.outcomes(ctx, chunks, flags...)
	if err != nil {
		return err
	}
	ours, err := c.ours.outcomes(ctx, chunks, flags...)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for i := range chunks {
		kind := difference(judged[i], ours[i])
		if foreign && strings.HasSuffix(kind, "reject") && strings.Contains(ours[i].message, "custom op '") {
			kind = "custom form of another dialect"
		}
		count[kind]++
		if strings.HasPrefix(kind, "!") {
			c.show(kind, chunks[i], judged[i], ours[i])
		}
	}
	fmt.Fprintf(c.report, "%d chunks: %v\n", len(chunks), count)
	return nil
}

// difference names what is different; names of what should be mended begin with "!".
func difference(judged, ours outcome) string {
	switch {
	case judged.crashed:
		return "the judge crashes"
	case ours.crashed:
		return "!ours crashes"
	case judged.accepted && !ours.accepted:
		return "!we reject"
	case !judged.accepted && ours.accepted:
		return "!we accept"
	case judged.accepted && judged.output != ours.output:
		return "!other output"
	case judged.accepted:
		return "both accept, equal output"
	case judged.position != ours.position:
		return "!other position"
	case judged.message != ours.message:
		return "both reject, other words"
	}
	return "both reject, same words"
}

func (c *comparison) show(kind string, text chunk, judged, ours outcome) {
	fmt.Fprintf(c.report, "---- %s: %s\n", kind, text.name)
	if kind == "!other output" {
		a, b := firstDifference(judged.output, ours.output)
		fmt.Fprintf(c.report, "  judge: %s\n  ours:  %s\n", a, b)
		return
	}
	fmt.Fprintf(c.report, "  judge: %s %s\n  ours:  %s %s\n", judged.position, judged.message, ours.position, ours.message)
	lines := strings.Split(text.text, "\n")
	for _, position := range []string{judged.position, ours.position} {
		var line, column int
		if _, err := fmt.Sscanf(position, "%d:%d", &line, &column); err == nil && line >= 1 && line <= len(lines) {
			fmt.Fprintf(c.report, "  %d | %s\n", line, clip(lines[line-1], column-100))
		}
	}
}

// firstDifference gives the first lines in which two texts differ, from shortly before the place.
func firstDifference(a, b string) (string, string) {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := 0; i < len(left) && i < len(right); i++ {
		if left[i] != right[i] {
			at := 0
			for at < len(left[i]) && at < len(right[i]) && left[i][at] == right[i][at] {
				at++
			}
			return clip(left[i], at-60), clip(right[i], at-60)
		}
	}
	return fmt.Sprint(len(left), " lines"), fmt.Sprint(len(right), " lines")
}

// clip cuts a line to what fits a terminal, from the given byte.
func clip(line string, from int) string {
	from = max(0, min(from, len(line)))
	return line[from:min(len(line), from+240)]
}
