// A guess at what in the input a pattern was meant to match, shown beside the error that it was not found.

package filecheck

import "strings"

const (
	// guessReach is how far into the region a guess is looked for, in bytes.
	guessReach = 4096
	// guessWork bounds the reach times the length of the pattern.
	guessWork = 4096 * 2048
	// guessLimit is the quality, in edits, from which on a guess is not worth showing.
	guessLimit = 50
	// guessLineCost is what each line skipped costs, in edits.
	guessLineCost = 0.01
)

// guess reports the place in the region whose text is fewest edits away from the pattern.
func (r *run) guess(p *pattern, region span) {
	wanted := p.fixed
	if wanted == "" {
		wanted = p.regexText
	}
	text := r.input.text[region.start:region.end]
	reach := min(guessReach, len(text))
	if reach*len(wanted) > guessWork {
		return
	}
	best, quality := -1, 0.0
	lines := 0
	distance := newEditDistance(wanted)
	for i := range reach {
		if text[i] == '\n' {
			lines++
		}
		if text[i] == ' ' || text[i] == '\t' {
			continue
		}
		candidate := text[i:min(i+len(wanted), len(text))]
		candidate, _, _ = strings.Cut(candidate, "\n")
		cost := float64(distance.to(candidate)) + float64(lines)*guessLineCost
		if best < 0 || cost < quality {
			best, quality = i, cost
		}
	}
	if best <= 0 || quality >= guessLimit {
		return
	}
	found := span{region.start + best, region.start + best}
	r.annotate(outcomeFuzzy, p, found, "")
	r.say(at(SeverityNote, piece{r.input, found.start, found.end}, "possible intended match here"))
}

// editDistance counts insertions, deletions and replacements between a text and others.
type editDistance struct {
	text string
	row  []int
}

func newEditDistance(text string) *editDistance {
	return &editDistance{text: text, row: make([]int, len(text)+1)}
}

func (e *editDistance) to(other string) int {
	for i := range e.row {
		e.row[i] = i
	}
	for y := range len(other) {
		diagonal := e.row[0]
		e.row[0] = y + 1
		for x := range len(e.text) {
			above := e.row[x+1]
			cost := diagonal
			if e.text[x] != other[y] {
				cost = min(diagonal, above, e.row[x]) + 1
			}
			e.row[x+1], diagonal = cost, above
		}
	}
	return e.row[len(e.text)]
}
