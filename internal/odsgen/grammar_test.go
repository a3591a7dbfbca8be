// What the definition language accepts, and that a mistake is shown at its place.

package odsgen

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const small = `// a comment
dialect toy "a dialect" {
  implements ShapeInterface
}
strings Mode { "Min" "Max" }
enum Round as round { Up = 0  Down = 1 }
struct Slice as slice { at: i64  idx: [i64] }
family math "arithmetic" {
  op Add "a sum" { // another
    operands inputs: tensor*
    results  output: ranked
    attrs    axis: si32 = -1  eps: f64  pads: [i64] = [0, 1]  mode: Mode = "Min"  round: Round?  at: Slice?
    traits   SupportFuseRelu HasParent(Add)
    lacks    ShapeInterface
    shape    Unary
    verify   "more" by Sum(inputs, "axis", axis, 2) Whole(self)
    fold
  }
  op Yield "an end" { operands operands: (tensor|none)* }
}
`

func TestParse(t *testing.T) {
	file, err := Parse("toy.ods", small)
	if err != nil {
		t.Fatal(err)
	}
	add, yield := file.Ops()[0], file.Ops()[1]
	var kinds []string
	for _, attribute := range add.Attributes {
		text := attribute.Name + ": " + attribute.Kind() + attribute.Quantifier
		if attribute.Default != nil {
			text += " = " + attribute.Default.text()
		}
		kinds = append(kinds, text)
	}
	want := []string{"axis: si32 = -1", "eps: f64", "pads: [i64] = [0, 1]", `mode: Mode = "Min"`, "round: Round?", "at: Slice?"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if yield.Operands[0].Name != "operands" || yield.Operands[0].Kind() != "tensor|none" || yield.Operands[0].Quantifier != "*" {
		t.Errorf("operand of Yield: %+v", yield.Operands[0])
	}
	if add.Verify == nil || add.Verify.Words != "more" || len(add.Verify.Rules) != 2 || add.Infer || !add.Fold || add.Rule != "Unary" || !add.HasTrait("HasParent") {
		t.Errorf("hooks and traits of %+v", add)
	}
	if names := file.InterfacesOf(yield); len(names) != 1 || len(file.InterfacesOf(add)) != 0 {
		t.Errorf("interfaces of Yield %v, of Add %v", names, file.InterfacesOf(add))
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"ranked\n", "rank\n", "11:14: error: result output has the unknown constraint \"rank\""},
		{"axis: si32 = -1", "axis: si32 = 1.5", "12:27: error: the default of attribute axis is 1.5, not an integer"},
		{"axis: si32 = -1", "axis: si33 = 1", "12:14: error: attribute axis has the unknown kind si33"},
		{`mode: Mode = "Min"`, `mode: Mode = "Mid"`, `is "Mid", none of the cases of Mode`},
		{"round: Round?", "round: Round? = Up", "attribute round is optional and has a default"},
		{"Down = 1", "Down = 0", "6:31: error: case Down = 0 of enum Round repeats Up = 0"},
		{"at: i64 ", "at: f64 ", "7:25: error: field at of struct Slice must be a plain bool"},
		{"op Yield", "op Add", "19:3: error: op Add is defined twice"},
		{"op Yield", "op Aaa", "19:3: error: op Aaa stands after Add"},
		{"eps: f64", "axis: f64", "attribute axis stands twice"},
		{"inputs: tensor*", "inputs: tensor* more: tensor?", "operand more is the second of open size"},
		{"results ", "result ", `11:5: error: unexpected token "result"`},
		{"HasParent(Add)", "HasParent(Loop)", "names the unknown op Loop"},
		{"eps: f64", "eps: f64 = $", "12:42: error: lexer: invalid input text"},
		{"Unary", "Binary", "9:3: error: op Add names the unknown shape rule Binary"},
		{"Sum(inputs", "Sum(input", `16:28: error: rule Sum of op Add names the unknown field input`},
		{"Sum(inputs", "Sum(round", `16:28: error: rule Sum of op Add reads attribute round, which may be absent`},
		{"pads: [i64]", "pads: [str]", "unknown kind [str]"},
	} {
		text := strings.Replace(small, test.old, test.new, 1)
		_, err := Parse("toy.ods", text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s -> %s: got error %v, want %s", test.old, test.new, err, test.want)
		} else if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 || strings.TrimLeft(lines[2], " ") != "^" {
			t.Errorf("%s -> %s: no caret in\n%v", test.old, test.new, err)
		}
	}
}
