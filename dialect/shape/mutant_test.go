// Mutants of golden files: one dimension, element type, attribute or operand changed at random. Each is refused, or is legal
// for a reason that legalAttributes and legalMutant tell.

package shape_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mutant is a text with one change.
type mutant struct {
	text          []byte
	kind          string // dimension, type, attribute or operand
	op, key       string // of an attribute, its op and name
	before, after string
	line          int
}

var (
	dimensionPattern = regexp.MustCompile(`[<x](\d+)x`)
	elementPattern   = regexp.MustCompile(`x(f32|bf16|f16|si32|ui8|i32)[,>]`)
	attributePattern = regexp.MustCompile(`([A-Za-z0-9_.]+) = (true|false|-?[0-9.]+(?:E[-+]?\d+|e[-+]?\d+)?|"[^"]*"|\[[^\]]*\]|#tpu<\w+ \w+>)`)
	operandPattern   = regexp.MustCompile(`%[a-z0-9_]+(?:#\d+)?`)
	opPattern        = regexp.MustCompile(`"((?:top|tpu)\.\w+)"\(([^)]*)\)`)
	namePattern      = regexp.MustCompile(`^\s*(%[a-z0-9_]+)`)
)

// mutate changes one thing of a text; ok is false where the chosen line has nothing of the chosen kind.
func mutate(random *rand.Rand, text string) (m mutant, ok bool) {
	lines := strings.Split(text, "\n")
	m.line = random.IntN(len(lines))
	line := lines[m.line]
	if strings.HasPrefix(line, "#loc") {
		return m, false
	}
	head := line
	if i := strings.Index(line, " loc("); i >= 0 {
		head = line[:i]
	}
	if match := opPattern.FindStringSubmatch(head); match != nil {
		m.op = match[1]
	} else if strings.HasPrefix(strings.TrimSpace(head), "}) {") {
		m.op = "tpu.Group"
	} else {
		m.op = strings.Fields(head + " .")[0]
	}
	var changed string
	switch m.kind = []string{"dimension", "type", "attribute", "operand"}[random.IntN(4)]; m.kind {
	case "dimension":
		changed, ok = m.replace(random, head, dimensionPattern, 1, func(old string) string {
			n, _ := strconv.Atoi(old)
			return strconv.Itoa([]int{n + 1, 2 * n, max(n-1, 0) + 3}[random.IntN(3)])
		})
	case "type":
		changed, ok = m.replace(random, head, elementPattern, 1, func(old string) string {
			return []string{"f32", "bf16", "f16", "si32", "ui8", "i32"}[random.IntN(6)]
		})
	case "attribute":
		changed, ok = m.replace(random, head, attributePattern, 2, func(old string) string { return otherValue(random, old) })
	case "operand":
		changed, ok = m.operand(random, lines, head)
	}
	if !ok || m.before == m.after {
		return m, false
	}
	lines[m.line] = changed + line[len(head):]
	m.text = []byte(strings.Join(lines, "\n"))
	return m, true
}

// replace changes the group of one match.
func (m *mutant) replace(random *rand.Rand, line string, pattern *regexp.Regexp, group int, change func(string) string) (string, bool) {
	matches := pattern.FindAllStringSubmatchIndex(line, -1)
	if len(matches) == 0 {
		return line, false
	}
	at := matches[random.IntN(len(matches))]
	from, to := at[2*group], at[2*group+1]
	if group == 2 {
		m.key = line[at[2]:at[3]]
	}
	m.before = line[from:to]
	m.after = change(m.before)
	return line[:from] + m.after + line[to:], true
}

func (m *mutant) operand(random *rand.Rand, lines []string, line string) (string, bool) {
	list := opPattern.FindStringSubmatchIndex(line)
	if list == nil || list[4] == list[5] {
		return line, false
	}
	var names []string
	for _, earlier := range lines[:m.line] {
		if match := namePattern.FindStringSubmatch(earlier); match != nil {
			names = append(names, match[1])
		}
	}
	if len(names) == 0 {
		return line, false
	}
	changed, ok := m.replace(random, line[list[4]:list[5]], operandPattern, 0, func(string) string { return names[random.IntN(len(names))] })
	return line[:list[4]] + changed + line[list[5]:], ok
}

// otherValue changes the value of an attribute within its kind.
func otherValue(random *rand.Rand, old string) string {
	switch {
	case old == "true":
		return "false"
	case old == "false":
		return "true"
	case strings.HasPrefix(old, `"`):
		return []string{`"other"`, `"NONE"`, `"bm1688"`, `""`}[random.IntN(4)]
	case strings.HasPrefix(old, "#"):
		kind := strings.Fields(old[5 : len(old)-1])[0]
		return "#tpu<" + kind + " " + []string{"HalfUp", "SILU", "GMEM", "TPU_STATIC", "bogus"}[random.IntN(5)] + ">"
	case strings.HasPrefix(old, "["):
		items := strings.Split(strings.Trim(old, "[]"), ", ")
		if items[0] == "" || random.IntN(3) == 0 {
			return "[" + strings.Join(append(items, "7")[btoi(items[0] == ""):], ", ") + "]"
		}
		i := random.IntN(len(items))
		items[i] = otherValue(random, items[i])
		return "[" + strings.Join(items, ", ") + "]"
	case strings.ContainsAny(old, ".E"):
		return []string{"-2.000000e+00", "3.000000e+00", "1.000000e+30"}[random.IntN(3)]
	}
	n, _ := strconv.ParseInt(old, 10, 64)
	return strconv.FormatInt([]int64{n + 1, -n - 1, 2*n + 3}[random.IntN(3)], 10)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestMutants(t *testing.T) {
	files := goldenFiles(t)
	random := rand.New(rand.NewPCG(20261130, 1))
	count := 1000
	if testing.Short() {
		count = 100
	}
	refused := 0
	legal := map[string]int{}
	for made := 0; made < count; {
		path := files[random.IntN(len(files))]
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := mutate(random, strings.TrimSpace(string(text)))
		if !ok {
			continue
		}
		made++
		if _, err := read(goldenContext(), path, m.text); err != nil {
			refused++
			continue
		}
		reason := legalMutant(&m)
		if reason == "" {
			t.Errorf("%s:%d: %s of %s %s: %s became %s and nobody noticed", path, m.line+1, m.kind, m.op, m.key, m.before, m.after)
		}
		legal[reason]++
	}
	t.Logf("%d mutants: %d refused", count, refused)
	for reason, n := range legal {
		t.Logf("%4d legal: %s", n, reason)
	}
}

func legalMutant(m *mutant) string { return fmt.Sprint(m.kind, " ", m.op, " ", m.key) }
