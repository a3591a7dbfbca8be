//go:build peer

package general_test

// This file makes the modules that the passes are compared on: functions that call each other, blocks, casts, symbols and
// references, nested modules and locations, all of it valid, most of it senseless.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes one module.
type generator struct {
	*rand.Rand
	text      strings.Builder
	functions []signature
	values    int
	located   bool
	// acyclic says that functions are only called, and by earlier ones.
	acyclic bool
	current int
}

// signature is what a call has to know of a function.
type signature struct {
	name, visibility string
	inputs, results  []string
	body             bool
}

// value is what may be used at a place.
type value struct{ name, typ string }

var types = []string{"i1", "i32", "i64", "index", "tensor<2xi32>"}

// randomModule returns a module; the same seed gives the same.
func randomModule(seed uint64, acyclic bool) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 4)), acyclic: acyclic}
	g.located = g.IntN(4) == 0
	for i := range 1 + g.IntN(5) {
		f := signature{name: fmt.Sprintf("f%d", i), visibility: g.pick("", "", "private ", "private ", "nested "), inputs: g.types(3), results: g.types(3)}
		f.body = f.visibility != "private " || g.IntN(5) > 0
		g.functions = append(g.functions, f)
	}
	g.module("", 0)
	return g.text.String()
}

func (g *generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *generator) types(most int) []string {
	list := make([]string, g.IntN(most+1))
	for i := range list {
		list[i] = g.pick(types...)
	}
	return list
}

func (g *generator) fresh() string {
	g.values++
	return fmt.Sprintf("%%v%d", g.values)
}

// loc is a location behind an operation, or nothing.
func (g *generator) loc() string {
	if !g.located || g.IntN(3) == 0 {
		return ""
	}
	return " loc(" + g.pick(`"a"`, `"b"("c.mlir":3:4)`, `"d.mlir":1:2`, "unknown", `fused["a", "b"]`, `callsite("a" at "b")`, `fused<"m">["x"]`) + ")"
}

// module writes a module with all functions, and perhaps one in it.
func (g *generator) module(name string, depth int) {
	if depth > 0 {
		fmt.Fprintf(&g.text, "builtin.module @%s {\n", name)
	}
	for i, f := range g.functions {
		g.current = i
		g.function(f)
	}
	for range g.IntN(3) {
		if !g.acyclic {
			g.reference(depth)
		}
	}
	if depth < 1 && g.IntN(4) == 0 {
		g.module(fmt.Sprintf("m%d", depth), depth+1)
	}
	if g.IntN(6) == 0 {
		fmt.Fprintf(&g.text, "%s = \"t.top\"() : () -> i32%s\n", g.fresh(), g.loc())
	}
	if depth > 0 {
		fmt.Fprintf(&g.text, "}%s\n", g.loc())
	}
}

// reference writes an operation that names a symbol.
func (g *generator) reference(depth int) {
	target := "@" + g.functions[g.IntN(len(g.functions))].name
	if depth == 0 && g.IntN(4) == 0 {
		target = "@m0::" + target
	}
	if g.IntN(2) == 0 {
		target = "[" + target + ", {k = " + target + "}]"
	}
	fmt.Fprintf(&g.text, "\"t.ref\"() {s = %s} : () -> ()%s\n", target, g.loc())
}

func (g *generator) function(f signature) {
	fmt.Fprintf(&g.text, "func.func %s@%s(", f.visibility, f.name)
	if !f.body {
		fmt.Fprintf(&g.text, "%s)%s\n", strings.Join(f.inputs, ", "), results(f.results))
		return
	}
	var scope []value
	var arguments []string
	for _, t := range f.inputs {
		v := value{g.fresh(), t}
		scope = append(scope, v)
		attribute := ""
		if g.IntN(6) == 0 {
			attribute = " {t.a = 1 : i32}"
		}
		arguments = append(arguments, v.name+": "+t+attribute)
	}
	fmt.Fprintf(&g.text, "%s)%s %s{\n", strings.Join(arguments, ", "), results(f.results), g.pick("", "", "", "attributes {no_inline} "))
	g.body(f, scope)
	fmt.Fprintf(&g.text, "}%s\n", g.loc())
}

func results(types []string) string {
	switch len(types) {
	case 0:
		return ""
	case 1:
		return " -> " + types[0]
	}
	return " -> (" + strings.Join(types, ", ") + ")"
}

// body writes the blocks of a function. Values of the first block may be used everywhere, others in their own block.
func (g *generator) body(f signature, scope []value) {
	blocks := 1
	if g.IntN(2) == 0 {
		blocks += g.IntN(5)
	}
	arguments := make([][]value, blocks)
	for i := 1; i < blocks; i++ {
		for _, t := range g.types(2) {
			arguments[i] = append(arguments[i], value{g.fresh(), t})
		}
	}
	scope = g.operations(scope, g.IntN(6), 0)
	for i := range blocks {
		local := scope
		if i > 0 {
			var list []string
			for _, v := range arguments[i] {
				list = append(list, v.name+": "+v.typ)
				local = append(local[:len(local):len(local)], v)
			}
			header := fmt.Sprintf("^b%d", i)
			if len(list) > 0 {
				header += "(" + strings.Join(list, ", ") + ")"
			}
			fmt.Fprintf(&g.text, "%s:\n", header)
			local = g.operations(local, g.IntN(4), 0)
		}
		g.terminator(f, local, arguments)
	}
}

// use returns a value of a type, made by an operation where there is none.
func (g *generator) use(scope []value, t string) string {
	var fit []string
	for _, v := range scope {
		if v.typ == t {
			fit = append(fit, v.name)
		}
	}
	if len(fit) > 0 && g.IntN(8) > 0 {
		return g.pick(fit...)
	}
	name := g.fresh()
	if len(scope) > 0 && g.IntN(2) == 0 {
		from := scope[g.IntN(len(scope))]
		fmt.Fprintf(&g.text, "%s = builtin.unrealized_conversion_cast %s : %s to %s%s\n", name, from.name, from.typ, t, g.loc())
	} else {
		fmt.Fprintf(&g.text, "%s = \"t.make\"() : () -> %s%s\n", name, t, g.loc())
	}
	return name
}

func (g *generator) uses(scope []value, types []string) string {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = g.use(scope, t)
	}
	return strings.Join(list, ", ")
}

// operations writes operations and returns the scope behind them.
func (g *generator) operations(scope []value, n, depth int) []value {
	for range n {
		switch g.IntN(10) {
		case 0, 1, 2:
			scope = g.cast(scope)
		case 3:
			inputs, outputs := g.types(2), g.types(2)
			operands, attributes := g.uses(scope, inputs), g.pick("", "{a = 1 : i32} ", "{s = @f0} ")
			if g.acyclic {
				attributes = ""
			}
			scope = g.defining(scope, outputs)
			fmt.Fprintf(&g.text, "\"t.op\"(%s) %s: (%s) -> (%s)%s\n", operands, attributes, strings.Join(inputs, ", "), strings.Join(outputs, ", "), g.loc())
		case 4, 5:
			callees := g.functions
			if g.acyclic {
				callees = g.functions[g.current+1:]
			}
			if len(callees) == 0 {
				continue
			}
			f := callees[g.IntN(len(callees))]
			operands := g.uses(scope, f.inputs)
			scope = g.defining(scope, f.results)
			fmt.Fprintf(&g.text, "func.call @%s(%s) %s: (%s) -> (%s)%s\n", f.name, operands, g.pick("", "", "", "{no_inline} "), strings.Join(f.inputs, ", "), strings.Join(f.results, ", "), g.loc())
		case 6:
			if g.acyclic {
				continue
			}
			f := g.functions[g.IntN(len(g.functions))]
			callee := g.fresh()
			t := fmt.Sprintf("(%s) -> (%s)", strings.Join(f.inputs, ", "), strings.Join(f.results, ", "))
			fmt.Fprintf(&g.text, "%s = func.constant @%s : %s%s\n", callee, f.name, t, g.loc())
			operands := g.uses(scope, f.inputs)
			scope = g.defining(scope, f.results)
			fmt.Fprintf(&g.text, "func.call_indirect %s(%s) : %s%s\n", callee, operands, t, g.loc())
		case 7:
			if depth < 2 {
				g.text.WriteString("\"t.region\"() ({\n")
				g.operations(scope, g.IntN(4), depth+1)
				// A second region tells mlir-opt, which else would crash in places, that this is no symbol table.
				fmt.Fprintf(&g.text, "\"t.end\"() : () -> ()\n}, {}) : () -> ()%s\n", g.loc())
			}
		case 8:
			fmt.Fprintf(&g.text, "cf.assert %s, \"no\"%s\n", g.use(scope, "i1"), g.loc())
		case 9:
			fmt.Fprintf(&g.text, "\"t.use\"(%s) : (i32) -> ()%s\n", g.use(scope, "i32"), g.loc())
		}
	}
	return scope
}

// defining writes `%a, %b = ` and adds the values to the scope.
func (g *generator) defining(scope []value, types []string) []value {
	scope = scope[:len(scope):len(scope)]
	var names []string
	for _, t := range types {
		v := value{g.fresh(), t}
		names = append(names, v.name)
		scope = append(scope, v)
	}
	if len(names) > 0 {
		g.text.WriteString(strings.Join(names, ", ") + " = ")
	}
	return scope
}

// cast writes a cast of one or two values to one or two.
func (g *generator) cast(scope []value) []value {
	inputs, outputs := []string{g.pick(types...)}, []string{g.pick(types...)}
	if g.IntN(5) == 0 {
		inputs = append(inputs, g.pick(types...))
	}
	if g.IntN(5) == 0 {
		outputs = append(outputs, g.pick(types...))
	}
	operands := g.uses(scope, inputs)
	scope = g.defining(scope, outputs)
	fmt.Fprintf(&g.text, "builtin.unrealized_conversion_cast %s : %s to %s%s\n", operands, strings.Join(inputs, ", "), strings.Join(outputs, ", "), g.loc())
	return scope
}

// terminator ends a block.
func (g *generator) terminator(f signature, scope []value, arguments [][]value) {
	if len(arguments) == 1 || g.IntN(4) == 0 {
		operands := g.uses(scope, f.results)
		if operands != "" {
			operands += " : " + strings.Join(f.results, ", ")
		}
		fmt.Fprintf(&g.text, "return %s%s\n", operands, g.loc())
		return
	}
	successor := func() string {
		i := 1 + g.IntN(len(arguments)-1)
		var list []string
		for _, a := range arguments[i] {
			list = append(list, a.typ)
		}
		if len(list) == 0 {
			return fmt.Sprintf("^b%d", i)
		}
		return fmt.Sprintf("^b%d(%s : %s)", i, g.uses(scope, list), strings.Join(list, ", "))
	}
	switch g.IntN(8) {
	case 0, 1, 2:
		to := successor()
		fmt.Fprintf(&g.text, "cf.br %s%s\n", to, g.loc())
	case 3, 4, 5:
		condition, one, other := g.use(scope, "i1"), successor(), successor()
		fmt.Fprintf(&g.text, "cf.cond_br %s, %s, %s%s\n", condition, one, other, g.loc())
	case 6:
		flag, rest := g.use(scope, "i32"), successor()
		cases := []string{"default: " + rest}
		for range g.IntN(3) {
			cases = append(cases, fmt.Sprintf("%d: %s", len(cases)+g.IntN(2)*10, successor()))
		}
		fmt.Fprintf(&g.text, "cf.switch %s : i32, [%s]%s\n", flag, strings.Join(cases, ", "), g.loc())
	default:
		for i := 1; i < len(arguments); i++ {
			if len(arguments[i]) == 0 {
				fmt.Fprintf(&g.text, "\"t.br\"()[^b%d] : () -> ()%s\n", i, g.loc())
				return
			}
		}
		operands := g.uses(scope, f.results)
		if operands != "" {
			operands += " : " + strings.Join(f.results, ", ")
		}
		fmt.Fprintf(&g.text, "return %s%s\n", operands, g.loc())
	}
}
