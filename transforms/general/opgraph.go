package general

// This file holds the pass view-op-graph: an operation as a graph for Graphviz, in the form that mlir-opt gives it.

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
)

func viewOpGraphDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "view-op-graph",
		Name:     "ViewOpGraph",
		Summary:  "print the operation as a Graphviz graph to standard error",
		Description: `Operations are nodes, those with regions and blocks are clusters; edges go from results to the operands that use
them. The IR is left as it is.`,
		New: func() pass.Pass { return &viewOpGraph{maxLabel: 20, attributes: true, types: true, dataFlow: true} },
	}
}

type viewOpGraph struct {
	maxLabel                                 int64
	attributes, types, controlFlow, dataFlow bool
}

// Options binds the options.
func (p *viewOpGraph) Options(set *pass.OptionSet) {
	set.Uint32(&p.maxLabel, "max-label-len", "characters of an attribute or type that are shown")
	set.Bool(&p.attributes, "print-attrs", "show attributes")
	set.Bool(&p.controlFlow, "print-control-flow-edges", "draw edges from each operation to the next")
	set.Bool(&p.dataFlow, "print-data-flow-edges", "draw edges from definitions to uses")
	set.Bool(&p.types, "print-result-types", "show the types of results")
}

// Run prints the graph.
func (p *viewOpGraph) Run(run *pass.Run, root *ir.Operation) error {
	g := &graph{viewOpGraph: p, names: printer.NewNames(root), nodes: map[*ir.Value]node{}, colors: map[string]int{}}
	root.WalkPostOrder(func(op *ir.Operation) {
		if _, ok := g.colors[op.Name().String()]; !ok {
			g.colors[op.Name().String()] = len(g.colors)
		}
	})
	g.line("digraph G {")
	g.depth++
	g.line("compound = true;")
	g.operation(root)
	for _, e := range g.edges {
		g.line("%s", e)
	}
	for _, use := range g.uses {
		g.line("%s", g.dataEdge(use))
	}
	g.depth--
	g.line("}")
	return run.Print(func(w io.Writer) error {
		_, err := w.Write(g.text.Bytes())
		return err
	})
}

// node is a node of the graph; an operation with regions is a cluster with an anchor in it.
type node struct{ id, cluster int }

// use is an operand: a value and the node that uses it.
type use struct {
	value *ir.Value
	node  node
}

type graph struct {
	*viewOpGraph
	names  *printer.Names
	nodes  map[*ir.Value]node
	colors map[string]int
	edges  []string
	uses   []use
	text   bytes.Buffer
	depth  int
	last   int
}

func (g *graph) next() int { g.last++; return g.last }

func (g *graph) line(format string, args ...any) {
	indent := strings.Repeat("  ", g.depth)
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n"+indent) // names and attributes may hold ends of lines
	g.text.WriteString(indent + text + "\n")
}

func (g *graph) operation(op *ir.Operation) node {
	var n node
	if op.NumRegions() > 0 {
		n = g.cluster(g.clusterLabel(op), func() {
			for i := range op.NumRegions() {
				for b := range op.Region(i).Blocks() {
					g.block(b)
				}
			}
		})
	} else {
		n = node{id: g.next()}
		g.line(`v%d [fillcolor = "%.6f 0.3 0.95", label = "%s", shape = Mrecord, style = filled];`, n.id,
			float64(g.colors[op.Name().String()])/float64(len(g.colors)), g.recordLabel(op))
	}
	if g.dataFlow {
		for _, v := range op.Operands() {
			g.uses = append(g.uses, use{v, n})
		}
	}
	for _, v := range op.Results() {
		g.nodes[v] = n
	}
	return n
}

func (g *graph) cluster(label string, body func()) node {
	n := node{cluster: g.next()}
	g.line("subgraph cluster_%d {", n.cluster)
	g.depth++
	n.id = g.next()
	g.line(`v%d [label = " ", shape = plain];`, n.id)
	g.line(`label = "%s";`, label)
	body()
	g.depth--
	g.line("}")
	return n
}

func (g *graph) block(b *ir.Block) {
	g.cluster("", func() {
		for _, v := range b.Arguments() {
			n := node{id: g.next()}
			g.nodes[v] = n
			g.line(`v%d [label = "%s", shape = Mrecord];`, n.id, g.port("res", v, g.types))
		}
		var previous *node
		for op := range b.Operations() {
			n := g.operation(op)
			if g.controlFlow && previous != nil {
				g.edges = append(g.edges, edge(*previous, n, "", "", "dashed"))
			}
			previous = &n
		}
	})
}

func (g *graph) clusterLabel(op *ir.Operation) string {
	label := op.Name().String()
	if g.types {
		types := make([]string, op.NumResults())
		for i := range types {
			types[i] = g.typeText(op.Result(i))
		}
		label += " : (" + strings.Join(types, ", ") + ")"
	}
	label = escape(label)
	if g.attributes {
		label += `\l` + g.attributeLines(op)
	}
	return label
}

func (g *graph) recordLabel(op *ir.Operation) string {
	label := "{"
	if op.NumOperands() > 0 {
		ports := make([]string, op.NumOperands())
		for i := range ports {
			ports[i] = g.port("arg", op.Operand(i), false)
		}
		label += "{" + strings.Join(ports, "|") + "}|"
	}
	label += escape(op.Name().String()) + `\l`
	if lines := g.attributeLines(op); g.attributes && lines != "" {
		label += `\l` + lines
	}
	if op.NumResults() > 0 {
		ports := make([]string, op.NumResults())
		for i := range ports {
			ports[i] = g.port("res", op.Result(i), g.types)
		}
		label += "|{" + strings.Join(ports, "|") + "}"
	}
	return label + "}"
}

func (g *graph) attributeLines(op *ir.Operation) string {
	var lines strings.Builder
	for _, e := range op.AllAttributes().Entries {
		lines.WriteString(escape(e.Name+": "+g.attributeText(e.Value)) + `\l`)
	}
	return lines.String()
}

// maxElements is how many elements an attribute shows.
const maxElements = 16

func (g *graph) attributeText(a ir.Attribute) string {
	switch a := a.(type) {
	case *ir.DenseElementsAttr:
		return g.elementsText(a, a.Type, a.Splat)
	case *ir.DenseStringElementsAttr:
		return g.elementsText(a, a.Type, a.Splat)
	case *ir.ArrayAttr:
		if len(a.Elements) > maxElements {
			return "[...]"
		}
	}
	return g.truncate(fmt.Sprint(a))
}

func (g *graph) elementsText(a ir.Attribute, t ir.ShapedType, splat bool) string {
	if splat {
		return a.String()
	}
	if shape, _ := t.Dims(); elements(shape) > maxElements {
		return strings.Repeat("[", len(shape)) + "..." + strings.Repeat("]", len(shape)) + " : " + g.truncate(fmt.Sprint(t))
	}
	return g.truncate(a.String())
}

func elements(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func (g *graph) typeText(v *ir.Value) string { return g.truncate(fmt.Sprint(v.Type())) }

func (g *graph) truncate(text string) string {
	if int64(len(text)) <= g.maxLabel {
		return text
	}
	return text[:max(g.maxLabel, 0)] + "..."
}

// port returns `<res_0> %0 i32`.
func (g *graph) port(kind string, v *ir.Value, withType bool) string {
	name := g.names.Value(v)
	text := "<" + g.portName(kind, v) + "> " + escape(name)
	if withType {
		text += " " + escape(g.typeText(v))
	}
	return text
}

func (g *graph) portName(kind string, v *ir.Value) string {
	return kind + "_" + strings.Map(func(c rune) rune {
		if c == '%' || c == '#' || c == ' ' {
			return '_'
		}
		return c
	}, strings.TrimPrefix(g.names.Value(v), "%"))
}

// dataEdge returns the edge from where a value is defined to where it is used.
func (g *graph) dataEdge(u use) string {
	from, to := g.nodes[u.value], u.node
	fromPort, toPort := "", ""
	if from.cluster == 0 {
		fromPort = ":" + g.portName("res", u.value) + ":s"
	}
	if to.cluster == 0 {
		toPort = ":" + g.portName("arg", u.value) + ":n"
	}
	return edge(from, to, fromPort, toPort, "solid")
}

func edge(from, to node, fromPort, toPort, style string) string {
	attributes := ""
	if to.cluster != 0 {
		attributes += fmt.Sprintf("lhead = cluster_%d, ", to.cluster)
	}
	if from.cluster != 0 {
		attributes += fmt.Sprintf("ltail = cluster_%d, ", from.cluster)
	}
	return fmt.Sprintf("v%d%s -> v%d%s[%sstyle = %s];", from.id, fromPort, to.id, toPort, attributes, style)
}

var escaper = strings.NewReplacer("{", `\{`, "}", `\}`, "<", `\<`, ">", `\>`, "|", `\|`, `"`, `\"`, "\n", "\\\n")

func escape(text string) string { return escaper.Replace(text) }
