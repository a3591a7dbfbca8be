// The definition files against the facts that were taken from TPU-MLIR: every op, operand, result, attribute, kind,
// default, region, trait and enum case must agree in both directions.
//
// Left out on purpose: default_cpp, always_declared_methods and the attr class names (how TPU-MLIR's C++ says the same),
// custom_assembly, assembly_format, successors, segment sizes (one value throughout, asserted here), and module_enums and
// quant_types (they belong to the module's attributes and to dialect/quant).

package odsgen

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type factFile struct {
	Ops []factOp `json:"ops"`
}

type factOp struct {
	Op                 string          `json:"op"`
	Def                string          `json:"def"`
	Operands           []factValue     `json:"operands"`
	Results            []factValue     `json:"results"`
	Attributes         []factAttribute `json:"attributes"`
	Traits             []factTrait     `json:"traits"`
	Regions            []factRegion    `json:"regions"`
	Successors         []string        `json:"successors"`
	CustomAssembly     bool            `json:"custom_assembly"`
	HasVerifier        bool            `json:"has_verifier"`
	HasCanonicalizer   bool            `json:"has_canonicalizer"`
	HasFolder          bool            `json:"has_folder"`
	NeedsOperandSizes  bool            `json:"needs_operand_segment_sizes"`
	NeedsResultSizes   bool            `json:"needs_result_segment_sizes"`
	MinOperands        int             `json:"min_operands"`
	MaxOperands        *int            `json:"max_operands"`
	NamedResults       []string        `json:"named_results"`
	AssemblyFormatText *string         `json:"assembly_format"`
}

type factValue struct {
	Name       string `json:"name"`
	Summary    string `json:"type_summary"`
	Variadic   bool   `json:"variadic"`
	Optional   bool   `json:"optional"`
	AllowsNone bool   `json:"allows_none"`
}

type factAttribute struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Required   bool     `json:"required"`
	Optional   bool     `json:"optional"`
	Default    any      `json:"default"`
	StringEnum string   `json:"string_enum"`
	Cases      []string `json:"cases"`
	Enum       string   `json:"enum"`
	Struct     string   `json:"struct"`
	Mnemonic   string   `json:"mnemonic"`
	Spelled    string   `json:"spelled"`
}

type factTrait struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type factRegion struct {
	Name       string `json:"name"`
	Constraint string `json:"constraint"`
	Variadic   bool   `json:"variadic"`
}

type factEnums struct {
	Enums []struct {
		Dialect, Enum, Mnemonic, Underlying string
		TextForm                            string `json:"text_form"`
		Cases                               []struct {
			Name, Text string
			Value      int64
		}
	} `json:"enums"`
	Structs []struct {
		Dialect, Attr, Mnemonic string
		TextForm                string `json:"text_form"`
		Parameters              []struct {
			Name string
			Type string `json:"cpp_type"`
		}
	} `json:"struct_attributes"`
	Strings []struct {
		Dialect, Attr string
		Cases         []string
	} `json:"string_enums"`
	CustomTypes []any `json:"custom_types"`
}

func readFacts(t *testing.T, name string, into any) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(unzipped).Decode(into); err != nil {
		t.Fatal(err)
	}
}

func readDefinitions(t *testing.T, dialect string) *File {
	t.Helper()
	path := filepath.Join("..", "..", "dialect", dialect, dialect+".ods")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := Parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// flatOp is an op as comparable text, made from either side.
type flatOp struct {
	Name, Class                           string
	Operands, Results, Attributes, Traits []string
	Regions, Implements, NamedResults     []string
	MinOperands, MaxOperands              int // MaxOperands is -1 when open
}

func TestDefinitionsAgreeWithFacts(t *testing.T) {
	for _, dialect := range []string{"top", "tpu"} {
		t.Run(dialect, func(t *testing.T) {
			var facts factFile
			readFacts(t, dialect+"_ops", &facts)
			file := readDefinitions(t, dialect)
			var want, got []flatOp
			for i := range facts.Ops {
				want = append(want, flattenFact(t, &facts.Ops[i]))
			}
			slices.SortFunc(want, func(a, b flatOp) int { return strings.Compare(a.Name, b.Name) })
			for _, op := range file.Ops() {
				got = append(got, flattenDefinition(file, op))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("definitions of %s differ from the facts (-facts +definitions):\n%s", dialect, diff)
			}
		})
	}
}

func flattenFact(t *testing.T, op *factOp) flatOp {
	t.Helper()
	if op.CustomAssembly || op.AssemblyFormatText != nil || len(op.Successors) > 0 || op.NeedsOperandSizes || op.NeedsResultSizes {
		t.Errorf("%s has a custom form, successors or segment sizes; the definition language cannot say so", op.Op)
	}
	_, name, _ := strings.Cut(op.Op, ".")
	_, class, _ := strings.Cut(op.Def, "_") // the prefix is Top_, Tpu_, TPU_ or tpu_
	flat := flatOp{Name: name, Class: class, MinOperands: op.MinOperands, MaxOperands: -1, NamedResults: op.NamedResults}
	if op.MaxOperands != nil {
		flat.MaxOperands = *op.MaxOperands
	}
	for _, value := range op.Operands {
		flat.Operands = append(flat.Operands, flattenFactValue(t, op.Op, value))
	}
	for _, value := range op.Results {
		flat.Results = append(flat.Results, flattenFactValue(t, op.Op, value))
	}
	for _, attribute := range op.Attributes {
		flat.Attributes = append(flat.Attributes, flattenFactAttribute(attribute))
	}
	for _, region := range op.Regions {
		flat.Regions = append(flat.Regions, fmt.Sprintf("%s: %s, variadic %t", region.Name, region.Constraint, region.Variadic))
	}
	for _, trait := range op.Traits {
		if trait.Kind == "interface" {
			flat.Implements = append(flat.Implements, trait.Name)
		} else {
			flat.Traits = append(flat.Traits, factTraitName(trait.Name))
		}
	}
	for name, has := range map[string]bool{
		"HasCanonicalizer": op.HasCanonicalizer, "HasFolder": op.HasFolder, "HasVerifier": op.HasVerifier,
	} {
		if has {
			flat.Traits = append(flat.Traits, name)
		}
	}
	return flat.sorted()
}

func flattenFactValue(t *testing.T, op string, value factValue) string {
	t.Helper()
	if value.AllowsNone != strings.Contains(value.Summary, " or none type") {
		t.Errorf("%s: %s: allows_none and its summary %q disagree", op, value.Name, value.Summary)
	}
	return fmt.Sprintf("%s: %s, variadic %t, optional %t", value.Name, value.Summary, value.Variadic, value.Optional)
}

func flattenFactAttribute(attribute factAttribute) string {
	kind := map[string]string{
		"BoolAttr": "bool", "I32Attr": "i32", "I64Attr": "i64", "SI32Attr": "si32", "UI32Attr": "ui32", "F32Attr": "f32",
		"F64Attr": "f64", "StrAttr": "str", "DictionaryAttr": "dict", "AffineMapAttr": "map", "I32ArrayAttr": "[i32]",
		"I64ArrayAttr": "[i64]", "F64ArrayAttr": "[f64]", "DictArrayAttr": "[dict]",
		"EnumAttr": attribute.Enum, "StructAttr": strings.TrimSuffix(attribute.Struct, "Attr"),
	}[attribute.Kind]
	if attribute.StringEnum != "" {
		kind = strings.TrimSuffix(attribute.StringEnum, "Attr")
	}
	return fmt.Sprintf("%s: %s %q %s, required %t, optional %t, default %s", attribute.Name, kind, attribute.Cases,
		attribute.Spelled, attribute.Required, attribute.Optional, factDefault(attribute.Default))
}

func factDefault(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case []any:
		items := []string{}
		for _, item := range value {
			items = append(items, factDefault(item))
		}
		return "[" + strings.Join(items, " ") + "]"
	}
	return fmt.Sprint(value)
}

// factTraitName takes the C++ off a trait's name.
func factTraitName(name string) string {
	name = strings.TrimPrefix(strings.TrimSuffix(name, "::Impl"), "::mlir::OpTrait::")
	base, args, found := strings.Cut(strings.TrimSuffix(name, ">"), "<")
	if !found {
		return base
	}
	var parents []string
	for parent := range strings.SplitSeq(args, ",") {
		parents = append(parents, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(parent), "tpu::"), "Op"))
	}
	return base + "(" + strings.Join(parents, ", ") + ")"
}

func flattenDefinition(file *File, op *Op) flatOp {
	flat := flatOp{Name: op.Name, Class: op.Class(), NamedResults: op.NamedResults()}
	flat.MinOperands, flat.MaxOperands = op.OperandCount()
	for _, value := range op.Operands {
		flat.Operands = append(flat.Operands, flattenValue(value))
	}
	for _, value := range op.Results {
		flat.Results = append(flat.Results, flattenValue(value))
	}
	for _, attribute := range op.Attributes {
		flat.Attributes = append(flat.Attributes, flattenAttribute(file, attribute))
	}
	for _, region := range op.Regions {
		flat.Regions = append(flat.Regions, fmt.Sprintf("%s: region with 1 blocks, variadic %t", region.Name, region.Quantifier == "*"))
	}
	for _, trait := range op.Traits {
		name := trait.Name
		if len(trait.Args) > 0 {
			name += "(" + strings.Join(trait.Args, ", ") + ")"
		}
		flat.Traits = append(flat.Traits, name)
	}
	flat.Traits = append(flat.Traits, file.Traits...)
	flat.Implements = file.InterfacesOf(op)
	return flat.sorted()
}

func flattenValue(value *Field) string {
	name := value.Name
	if name == "_" {
		name = ""
	}
	return fmt.Sprintf("%s: %s, variadic %t, optional %t", name, constraints[value.Kind()],
		value.Quantifier == "*", value.Quantifier == "?")
}

func flattenAttribute(file *File, attribute *Field) string {
	var cases []string
	spelled := ""
	for _, decl := range file.Decls {
		switch {
		case decl.Strings != nil && decl.Strings.Name == attribute.Kind():
			cases = decl.Strings.Cases
		case decl.Enum != nil && decl.Enum.Name == attribute.Kind():
			spelled = fmt.Sprintf("#%s<%s CASE>", file.Name, decl.Enum.Mnemonic)
		case decl.Struct != nil && decl.Struct.Name == attribute.Kind():
			spelled = fmt.Sprintf("#%s.%s<...>", file.Name, decl.Struct.Mnemonic)
		}
	}
	text := ""
	if attribute.Default != nil {
		text = defaultText(attribute.Default)
	}
	return fmt.Sprintf("%s: %s %q %s, required %t, optional %t, default %s", attribute.Name, attribute.Kind(), cases, spelled,
		attribute.Quantifier == "" && attribute.Default == nil, attribute.Quantifier == "?", text)
}

func defaultText(value *Value) string {
	switch {
	case value.String != nil:
		return *value.String
	case value.Name != nil:
		return *value.Name
	case value.Number != nil:
		number, _ := strconv.ParseFloat(*value.Number, 64)
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	items := []string{}
	for _, item := range value.List {
		items = append(items, defaultText(item))
	}
	return "[" + strings.Join(items, " ") + "]"
}

// sorted puts what has no order into one, and makes nil of the empty.
func (f flatOp) sorted() flatOp {
	for _, list := range []*[]string{&f.Traits, &f.Implements} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(f.NamedResults) == 0 {
		f.NamedResults = nil
	}
	return f
}

func TestEnumsAgreeWithFacts(t *testing.T) {
	var facts factEnums
	readFacts(t, "enums", &facts)
	if len(facts.CustomTypes) > 0 {
		t.Errorf("the facts hold custom types %v; the definition language has none", facts.CustomTypes)
	}
	var want, got []string
	for _, enum := range facts.Enums {
		for _, one := range enum.Cases {
			if one.Name != one.Text || enum.Underlying != "i32" || enum.TextForm != fmt.Sprintf("#%s<%s CASE>", enum.Dialect, enum.Mnemonic) {
				t.Errorf("enum %s, case %s is not of the form that the definition language can say", enum.Enum, one.Name)
			}
			want = append(want, fmt.Sprintf("enum %s.%s %s %s = %d", enum.Dialect, enum.Enum, enum.Mnemonic, one.Name, one.Value))
		}
	}
	kinds := map[string]string{"bool": "bool", "int32_t": "i32", "int64_t": "i64", "DenseI64ArrayAttr": "[i64]"}
	for _, one := range facts.Structs {
		_, name, _ := strings.Cut(strings.TrimSuffix(one.Attr, "Attr"), "_")
		for i, field := range one.Parameters {
			want = append(want, fmt.Sprintf("struct %s.%s %s %d %s: %s", one.Dialect, name, one.Mnemonic, i, field.Name, kinds[field.Type]))
		}
	}
	for _, one := range facts.Strings {
		want = append(want, fmt.Sprintf("strings %s.%s %q", one.Dialect, strings.TrimSuffix(one.Attr, "Attr"), one.Cases))
	}
	for _, dialect := range []string{"top", "tpu"} {
		for _, decl := range readDefinitions(t, dialect).Decls {
			switch {
			case decl.Enum != nil:
				for _, one := range decl.Enum.Cases {
					got = append(got, fmt.Sprintf("enum %s.%s %s %s = %d", dialect, decl.Enum.Name, decl.Enum.Mnemonic, one.Name, one.Value))
				}
			case decl.Struct != nil:
				for i, field := range decl.Struct.Fields {
					got = append(got, fmt.Sprintf("struct %s.%s %s %d %s: %s", dialect, decl.Struct.Name, decl.Struct.Mnemonic, i,
						field.Name, field.Kind()))
				}
			case decl.Strings != nil:
				got = append(got, fmt.Sprintf("strings %s.%s %q", dialect, decl.Strings.Name, decl.Strings.Cases))
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("enums differ from the facts (-facts +definitions):\n%s", diff)
	}
}
