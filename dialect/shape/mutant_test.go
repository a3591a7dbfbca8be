// Mutants of golden files: one dimension, element type, attribute or operand changed at random. Each is refused, or is legal
// for a reason that legalAttributes and legalMutant tell.

package shape_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/ir"
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

// legalAttributes are attributes whose every value (of their kind) makes a valid program: another one, but no wrong one.
var legalAttributes = []struct{ pattern, reason string }{
	{`eps`, "any number that is not negative may be added for stability"},
	{`scale|beta|const_val|[xy]_const_val`, "a factor or constant of the computation"},
	{`do_relu|relu_limit`, "whether and where the result is cut off is the program's choice"},
	{`.*round_mode|mul\d_shift|add_shift|.*_saturation|with_scale|force_f32|weight_keep_f32|rshift|multiplier|multipliers|rshifts|quant_mode|right_zp|input_zp|sign|fuse_rq`,
		"rounding and scaling of integers is the program's choice"},
	{`rope_mode|is_permute_optimize`, "both modes take the same operands"},
	{`mode|round`, "every mode takes the same operands"},
	{`largest|sorted|replace_topk_indices|use_hau|values_used_only|reduction|log|is_reverse|inversed|if_neg_index|nc_can_split`,
		"selects another computation on the same operands"},
	{`left_reuse|multicore|do_core_parallel|only_merge|is_lora|do_bcast|use_3ic_optimize|lmem_type|is_idx_weight|support_compress|buffer_type|dq_type|do_compress`,
		"a hint to the backend"},
	{`keepdims`, "counts only for a single index, or both forms are the same"},
	{`keep_dims`, "both forms have the same shape for these operands"},
	{`flatten_start_dim`, "where the shape is known it only says where it comes from"},
	{`output_transpose|right_transpose|left_transpose`, "a square matrix is valid either way round"},
	{`path`, "tells people where a weight is used"},
	{`placeholder|shape_tensor|allow_split|store_mode`, "tells how the weight or input is stored"},
	{`module\.(weight_file|FLOPs|cores|devices|.*_addr|.*_size|device_id|step|high_precision|asymmetric|q_symmetric|inputs|outputs|dynamic_coeff_offset|lora_rank)`,
		"a fact about the whole model that no op contradicts"},
	{`module\.(chip|mode|state|addr_mode|platform|top_run_mode)`, "another valid chip, mode or state"},
	{`out_addr|out_size|buffer_addr|buffer_size|eu_align|can_merge|in_hslice_offset|id|stage|slice_idx`,
		"where and when a slice is computed is for the layer grouping to choose"},
	{`nsecs|flow|self_up_overlap_op|self_down_overlap_op|other_up_overlap_op|other_down_overlap_op|run_core_id|core_slice_ncdhw|swpipl_stage_num`,
		"the order of slices and cores is for the layer grouping to choose"},
	{`offset|size|next_index`, "numbers of subnets and cores"},
}

// legalMutant tells why a mutant that was not refused is a valid program, "" where it is not.
func legalMutant(m *mutant, text string) string {
	switch m.kind {
	case "operand":
		return "another value of the same type may stand there"
	case "attribute":
		for _, legal := range legalAttributes {
			if regexp.MustCompile("^(?:" + legal.pattern + ")$").MatchString(m.key) {
				return legal.reason
			}
		}
	case "dimension", "type":
		name := namePattern.FindStringSubmatch(strings.Split(text, "\n")[m.line])
		if name != nil && len(regexp.MustCompile(regexp.QuoteMeta(name[1])+`\b`).FindAllString(text, -1)) == 1 {
			return "a value that nobody uses may have any type"
		}
	}
	return ""
}

func TestMutants(t *testing.T) {
	shareddata.Dir(t) // the reasons that are known cover the whole corpus
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
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(string(content))
		m, ok := mutate(random, text)
		if !ok {
			continue
		}
		made++
		if _, err := read(goldenContext(), path, m.text); err != nil {
			refused++
			continue
		}
		reason := legalMutant(&m, text)
		if reason == "" {
			t.Errorf("%s:%d: %s of %s %s: %s became %s and nobody noticed", path, m.line+1, m.kind, m.op, m.key, m.before, m.after)
		}
		legal[reason]++
	}
	report(t, "changed in the text", count, refused, legal)
}

func report(t *testing.T, what string, count, refused int, legal map[string]int) {
	t.Helper()
	t.Logf("%d mutants %s: %d refused", count, what, refused)
	for _, reason := range slices.Sorted(maps.Keys(legal)) {
		t.Logf("%4d legal: %s", legal[reason], reason)
	}
}

// TestTypeMutants changes the type of a value with all its uses, as a hand that edits carefully would: only what the ops
// say of their shapes can tell.
func TestTypeMutants(t *testing.T) {
	shareddata.Dir(t) // the reasons that are known cover the whole corpus
	files := goldenFiles(t)
	random := rand.New(rand.NewPCG(20261130, 2))
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
		module, err := read(goldenContext(), path, text)
		if err != nil {
			t.Fatal(err)
		}
		var values []*ir.Value
		module.Walk(func(op *ir.Operation) ir.WalkResult {
			values = append(values, op.Results()...)
			return ir.Advance
		})
		v := values[random.IntN(len(values))]
		before, ok := v.Type().(*ir.RankedTensorType)
		if !ok {
			continue
		}
		made++
		v.SetType(otherType(random, before))
		if len(ir.VerifySerially(context.Background(), module)) > 0 {
			refused++
			continue
		}
		reason := legalType(v, before)
		if reason == "" {
			var users []string
			for user := range v.Users() {
				users = append(users, user.Name().String())
			}
			t.Errorf("%s: %s: '%s' became '%s' and nobody noticed; used by %s", path, v.DefiningOp().Name(), before, v.Type(), strings.Join(users, ", "))
		}
		legal[reason]++
	}
	report(t, "with one type changed everywhere", count, refused, legal)
}

func otherType(random *rand.Rand, t *ir.RankedTensorType) ir.Type {
	c := t.Context()
	if random.IntN(2) == 0 || len(t.Shape) == 0 {
		all := []ir.Type{c.F32(), c.F16(), c.BF16(), c.IntegerType(8, ir.Unsigned), c.IntegerType(32, ir.Signed)}
		element := all[random.IntN(len(all))]
		for element == t.Element {
			element = all[random.IntN(len(all))]
		}
		return c.RankedTensorType(t.Shape, element, t.Encoding)
	}
	dims := slices.Clone(t.Shape)
	dims[random.IntN(len(dims))] += 1 + random.Int64N(3)
	return c.RankedTensorType(dims, t.Element, t.Encoding)
}

// legalType tells why a value may have another type everywhere, "" where it may not.
func legalType(v *ir.Value, before *ir.RankedTensorType) string {
	after := v.Type().(*ir.RankedTensorType)
	made := v.DefiningOp().Name().String()
	if !v.HasUses() {
		return "a value that nobody uses may have any type"
	}
	for use := range v.Uses() {
		user := use.Owner().Name().String()
		reason := ""
		switch {
		case made == "tpu.Buffer":
			reason = "scratch memory may be larger"
		case strings.HasSuffix(user, ".Gather") && use.Index() == 0 && after.Element == before.Element:
			reason = "a table may have more rows"
		case strings.HasSuffix(user, ".Gather") && use.Index() == 1 && len(after.Shape) == len(before.Shape):
			reason = "indices may be of another integer type"
		case strings.HasSuffix(user, ".CumSum") && use.Index() == 1:
			reason = "the axis that is also an attribute is not read"
		case strings.HasSuffix(user, "RMSNorm") && use.Index() == 1 && after.Element == ir.Type(after.Context().F32()),
			strings.HasSuffix(user, "FAttention") && use.Index() == 3 && after.Element == ir.Type(after.Context().F32()):
			reason = "norm weights and masks may stay f32"
		case strings.HasSuffix(user, "MatMul") && use.Index() >= 2 && after.Element != before.Element:
			reason = "a bias may be of another float type"
		}
		if reason != "" {
			return reason
		}
	}
	return ""
}
