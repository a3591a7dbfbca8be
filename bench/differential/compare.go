// What is compared, and the table of the differences.
package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A comparison runs both programs on the same texts and reports where they differ.
type comparison struct {
	judge, ours program
	known       *regexp.Regexp
	exact       bool // other words in a report, and another text of the same, are differences that should be mended
	report      io.Writer
}

// forms are the flags of the forms of output, the default first.
var forms = [][]string{nil, {"--mlir-print-op-generic"}, {"--mlir-print-debuginfo"}, {"--mlir-print-local-scope"},
	{"--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope"}}

// compareOutputs compares on the texts as they are in every form of output.
func (c *comparison) compareOutputs(ctx context.Context, chunks []chunk) error {
	for _, flags := range forms {
		fmt.Fprintf(c.report, "== %s\n", strings.Join(append([]string{"flags"}, flags...), " "))
		if err := c.compare(ctx, chunks, flags, false); err != nil {
			return err
		}
	}
	return nil
}

var genericFlags = []string{"--mlir-print-op-generic"}
var debugFlags = []string{"--mlir-print-op-generic", "--mlir-print-debuginfo"}

const localScope = "--mlir-print-local-scope"

// compareForms compares on what the judge prints of the chunks: their generic form, the same with locations, both with
// and without aliases, the custom form where both know it; and the verdicts on the chunks themselves.
func (c *comparison) compareForms(ctx context.Context, chunks []chunk) error {
	generic, err := c.printedBy(ctx, chunks, genericFlags)
	if err != nil {
		return err
	}
	debug, err := c.printedBy(ctx, chunks, debugFlags)
	if err != nil {
		return err
	}
	for _, form := range []struct {
		name   string
		chunks []chunk
		flags  []string
	}{
		{"generic form, generic output", generic, genericFlags},
		{"generic form, generic output without aliases", generic, append(slices.Clip(genericFlags), localScope)},
		{"generic form with locations, the same as output", debug, debugFlags},
		{"generic form with locations, the same without aliases", debug, append(slices.Clip(debugFlags), localScope)},
	} {
		fmt.Fprintf(c.report, "== %s\n", form.name)
		if err := c.compare(ctx, form.chunks, form.flags, false); err != nil {
			return err
		}
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
	back, err := c.readBack(ctx, chunks, judged, ours, flags)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for i := range chunks {
		kind := difference(judged[i], ours[i])
		if read, ok := back[i]; ok && judged[i].text() == read.text() {
			kind = otherText
		}
		if c.exact && (kind == otherWords || kind == otherText) {
			kind = "!" + kind
		}
		if foreign && (kind == "!we reject" || kind == "!other position") && strings.Contains(ours[i].message, "custom op '") {
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

// readBack has the judge print what ours printed, for every chunk that both print differently: another text can still mean the same,
// as where only the judge makes an alias of an attribute, because it knows the dialect.
func (c *comparison) readBack(ctx context.Context, chunks []chunk, judged, ours []outcome, flags []string) (map[int]outcome, error) {
	var printed []chunk
	var from []int
	for i := range chunks {
		if judged[i].accepted && ours[i].accepted && judged[i].text() != ours[i].text() {
			printed, from = append(printed, chunk{chunks[i].name, ours[i].output + "\n"}), append(from, i)
		}
	}
	read, err := c.judge.outcomes(ctx, printed, flags...)
	if err != nil {
		return nil, err
	}
	back := make(map[int]outcome, len(from))
	for n, i := range from {
		read[n].first = ours[i].first // the locations are in the text
		back[i] = read[n]
	}
	return back, nil
}

const (
	otherText  = "both accept, other text that reads back to the same"
	otherWords = "both reject, other words"
)

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
	case judged.accepted && judged.text() != ours.text():
		return "!other output"
	case judged.accepted:
		return "both accept, equal output"
	case judged.position != ours.position:
		return "!other position"
	case judged.report != ours.report:
		return otherWords
	}
	return "both reject, same words"
}

func (c *comparison) show(kind string, text chunk, judged, ours outcome) {
	fmt.Fprintf(c.report, "---- %s: %s\n", kind, text.name)
	if judged.accepted && ours.accepted {
		a, b := firstDifference(judged.text(), ours.text())
		fmt.Fprintf(c.report, "  judge: %s\n  ours:  %s\n", a, b)
		return
	}
	if kind == "!"+otherWords {
		a, b := firstDifference(judged.report, ours.report)
		fmt.Fprintf(c.report, "  at %s\n  judge: %s\n  ours:  %s\n", judged.position, a, b)
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
