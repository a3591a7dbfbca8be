// A guess at what in the input a pattern was meant to match, shown beside the error that it was not found.

package filecheck

import "strings"

const (
	// guessReach is how far into the region a guess is looked for, in bytes.
	guessReach = 4096
	// guessPattern is the longest pattern, in bytes, that a guess is made for.
	guessPattern = 2048
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
	if len(wanted) > guessPattern {
		return
	}
	best, quality := -1, float64(guessLimit)
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
		cost := float64(distance.to(candidate, int(quality)+1)) + float64(lines)*guessLineCost
		if cost < quality {
			best, quality = i, cost
		}
	}
	if best <= 0 {
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

// to returns the distance, or limit where it is no less. Only the band of the table that can stay below the limit is filled
// (Ukkonen: Algorithms for Approximate String Matching), so a long pattern costs no more than limit times its length.
func (e *editDistance) to(other string, limit int) int {
	if max(len(e.text)-len(other), len(other)-len(e.text)) >= limit {
		return limit
	}
	for i := range e.row {
		e.row[i] = i
	}
	for y := range len(other) {
		from, to := max(0, y-limit), min(len(e.text), y+limit)
		diagonal := e.row[from]
		e.row[from] = limit
		if from == 0 {
			e.row[0] = y + 1
		}
		least := e.row[from]
		for x := from; x < to; x++ {
			above := e.row[x+1]
			if x+1 > y+limit-1 {
				above = limit // outside of the band of the row before
			}
			cost := diagonal
			if e.text[x] != other[y] {
				cost = min(diagonal, above, e.row[x]) + 1
			}
			diagonal = e.row[x+1]
			e.row[x+1] = cost
			least = min(least, cost)
		}
		if least >= limit {
			return limit
		}
	}
	return min(e.row[len(e.text)], limit)
}
