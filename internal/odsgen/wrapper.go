// Writing the typed wrapper of an op: the type, how to get and how to make one, accessors and setters.

package odsgen

import (
	"fmt"
	"strings"
)

func (g *generator) wrapper(op *Op) {
	class, name := op.Class(), strings.TrimSuffix(op.Class(), "Op")
	full := g.file.Name + "." + op.Name
	g.printf("// %s is %s: %s.\ntype %s struct{ Operation *ir.Operation }\n\n", class, full, op.Summary, class)
	// The operation is a field and not embedded: promoting its methods would give every class some seventy wrappers,
	// and the compiler ten times the work.
	g.printf("// Loc returns the operation's location.\nfunc (op %s) Loc() ir.Location { return op.Operation.Loc() }\n\n", class)
	g.printf("// Context returns the context.\nfunc (op %s) Context() *ir.Context { return op.Operation.Context() }\n\n", class)
	g.printf("// As%s returns op as a %s, and whether it is one.\nfunc As%s(op *ir.Operation) (%s, bool) {\n", name, class, name, class)
	g.printf("\tif op == nil || !op.Is(%q) {\n\t\treturn %s{}, false\n\t}\n\treturn %s{op}, true\n}\n\n", full, class, class)
	names := op.accessorNames()
	g.operandAccessors(op, names)
	g.resultAccessors(op, names)
	g.regionAccessors(op, names)
	fields := make([]string, len(op.Attributes))
	for i, attribute := range op.Attributes {
		fields[i] = names[attribute]
		g.attributeAccessors(class, fields[i], attribute)
	}
	if len(op.Attributes) > 0 {
		g.attributeStruct(op, name, fields)
	}
	g.constructor(op, name)
}

func (g *generator) operandAccessors(op *Op, names map[*Field]string) {
	open := 0 // groups of open size in the op
	for _, operand := range op.Operands {
		if operand.Quantifier != "" {
			open++
		}
	}
	number := 0 // of the open group
	for i, operand := range op.Operands {
		name := names[operand]
		behind := len(op.Operands) - 1 - i
		switch {
		case operand.Quantifier == "*" && open > 1:
			g.printf("// %s returns operands %s.\nfunc (op %s) %s() []*ir.Value {\n", name, operand.Name, op.Class(), name)
			g.printf("\treturn definition.EqualGroup(op.Operation, %d, %d, %d, %d)\n}\n\n", number, open, i-number, len(op.Operands)-open)
			number++
		case operand.Quantifier == "*":
			g.printf("// %s returns operands %s.\nfunc (op %s) %s() []*ir.Value {\n", name, operand.Name, op.Class(), name)
			g.printf("\treturn definition.Group(op.Operation, %d, %d)\n}\n\n", i, behind)
			number++
		case operand.Quantifier == "?":
			g.printf("// %s returns operand %s, nil where it is absent.\nfunc (op %s) %s() *ir.Value {\n", name, operand.Name, op.Class(), name)
			g.printf("\treturn definition.OptionalOperand(op.Operation, %d, %d)\n}\n\n", i, behind)
			number++
		default:
			at := fmt.Sprint(i)
			if number > 0 {
				at = fmt.Sprintf("op.Operation.NumOperands()-%d", behind+1)
			}
			g.printf("// %s returns operand %s%s.\nfunc (op %s) %s() *ir.Value { return op.Operation.Operand(%s) }\n\n", name, operand.Name,
				orNone(operand), op.Class(), name, at)
			g.printf("// Set%s changes operand %s.\nfunc (op %s) Set%s(v *ir.Value) { op.Operation.SetOperand(%s, v) }\n\n", name, operand.Name, op.Class(), name, at)
		}
	}
}

func orNone(value *Field) string {
	if strings.HasSuffix(value.Kind(), "|none") {
		return ", which may be a none"
	}
	return ""
}

func (g *generator) resultAccessors(op *Op, names map[*Field]string) {
	for i, result := range op.Results {
		name := names[result]
		if result.Quantifier == "" {
			g.printf("// %s returns result %s%s.\nfunc (op %s) %s() *ir.Value { return op.Operation.Result(%d) }\n\n", name,
				strings.TrimPrefix(result.Name, "_"), orNone(result), op.Class(), name, i)
			continue
		}
		g.printf("// %s returns results %s.\nfunc (op %s) %s() []*ir.Value {\n\treturn definition.ResultGroup(op.Operation, %d, %d)\n}\n\n",
			name, result.Name, op.Class(), name, i, len(op.Results)-1-i)
	}
}

func (g *generator) regionAccessors(op *Op, names map[*Field]string) {
	for i, region := range op.Regions {
		name, ok := names[region]
		if !ok {
			continue
		}
		g.printf("// %s returns region %s.\nfunc (op %s) %s() *ir.Region { return op.Operation.Region(%d) }\n\n", name, region.Name, op.Class(), name, i)
	}
}

// goKind says how a kind is held in Go: its type, and the stem of the functions of package definition that read and
// write it.
func (g *generator) goKind(kind string) (typ, stem string) {
	switch {
	case g.strings[kind] != nil || kind == "str":
		return "string", "String"
	case g.enums[kind] != nil:
		return kind, "Enum"
	case g.structs[kind] != nil:
		return kind, "Struct"
	}
	switch kind {
	case "bool":
		return "bool", "Bool"
	case "f32", "f64":
		return "float64", "Float"
	case "[i32]", "[i64]":
		return "[]int64", "Ints"
	case "[f64]":
		return "[]float64", "Floats"
	case "[dict]":
		return "[]ir.Attribute", "Array"
	case "dict", "map":
		return "ir.Attribute", "Attribute"
	}
	return "int64", "Int"
}

// attributeAccessors writes the getter and the setter. The getter of an optional attribute says whether it is there,
// where the zero value does not.
func (g *generator) attributeAccessors(class, name string, attribute *Field) {
	typ, stem := g.goKind(attribute.Kind())
	key := fmt.Sprintf("%q", attribute.Name)
	receiver := fmt.Sprintf("func (op %s) %s()", class, name)
	comment := fmt.Sprintf("// %s returns attribute %s", name, attribute.Name)
	optional := attribute.Quantifier == "?"
	switch stem {
	case "Bool", "Int", "Float", "String", "Enum":
		get := fmt.Sprintf("definition.Get%s(op.Operation, %s, %s)", stem, key, g.absent(attribute))
		if stem == "Enum" {
			get = typ + "(" + get + ")"
		}
		if optional {
			g.printf("%s, and whether it is there.\n%s (value %s, ok bool) {\n\treturn %s, definition.Has(op.Operation, %s)\n}\n\n", comment, receiver, typ, get, key)
		} else {
			g.printf("%s.\n%s %s { return %s }\n\n", comment, receiver, typ, get)
		}
	case "Struct":
		g.printf("%s, and whether it is there.\n%s (%s, bool) { return As%s(op.Operation.Attr(%s)) }\n\n", comment, receiver, typ, typ, key)
	case "Attribute":
		g.printf("%s, nil where it is absent.\n%s ir.Attribute { return op.Operation.Attr(%s) }\n\n", comment, receiver, key)
	default:
		g.printf("%s%s.\n%s %s { return definition.Get%s(op.Operation, %s) }\n\n", comment, map[bool]string{true: ", nil where it is absent"}[optional],
			receiver, typ, stem, key)
	}
	g.printf("// Set%s sets attribute %s.\nfunc (op %s) Set%s(value %s) { %s }\n\n", name, attribute.Name, class, name, typ, g.setter(attribute, stem, key))
}

func (g *generator) setter(attribute *Field, stem, key string) string {
	switch stem {
	case "Enum", "Struct":
		return fmt.Sprintf("op.Operation.SetAttr(%s, value.Attr(op.Context()))", key)
	case "Attribute":
		return fmt.Sprintf("op.Operation.SetAttr(%s, value)", key)
	case "Int", "Float", "Ints":
		return fmt.Sprintf("definition.Set%s(op.Operation, %s, definition.%s, value)", stem, key, kindNames[attribute.Kind()])
	}
	return fmt.Sprintf("definition.Set%s(op.Operation, %s, value)", stem, key)
}

// absent is the Go literal of what a getter returns when the attribute is not there: the default, or zero.
func (g *generator) absent(attribute *Field) string {
	kind, value := attribute.Kind(), attribute.Default
	_, stem := g.goKind(kind)
	switch {
	case value == nil:
		return map[string]string{"Bool": "false", "Int": "0", "Float": "0", "String": `""`, "Enum": "0"}[stem]
	case stem == "Enum":
		return fmt.Sprintf("int32(%s%s)", kind, goName(*value.Name))
	}
	return value.text()
}

// attributeStruct writes the struct that a constructor takes, and how a dictionary is made of it.
func (g *generator) attributeStruct(op *Op, name string, fields []string) {
	g.printf("// %sAttributes are the attributes of a new %s. What is nil is left out, or gets its default.\ntype %sAttributes struct {\n", name, op.Class(), name)
	for i, attribute := range op.Attributes {
		typ, stem := g.goKind(attribute.Kind())
		required := attribute.Quantifier == "" && attribute.Default == nil
		switch stem {
		case "Bool", "Int", "Float", "String", "Enum", "Struct":
			if !required {
				typ = "*" + typ
			}
		}
		comment := ""
		switch {
		case attribute.Default != nil:
			comment = " // default " + attribute.Default.text()
		case required:
			comment = " // required"
		}
		g.printf("\t%s %s%s\n", fields[i], typ, comment)
	}
	g.printf("}\n\nfunc (a *%sAttributes) dictionary(c *ir.Context) *ir.DictionaryAttr {\n\te := definition.NewEntries(c, %d)\n", name, len(op.Attributes))
	for _, attribute := range sortedAttributes(op) {
		for i := range op.Attributes {
			if op.Attributes[i] == attribute {
				g.entry(attribute, "a."+fields[i])
			}
		}
	}
	g.printf("\treturn e.Dictionary()\n}\n\n")
}

func (g *generator) entry(attribute *Field, value string) {
	kind := attribute.Kind()
	_, stem := g.goKind(kind)
	required := attribute.Quantifier == "" && attribute.Default == nil
	pointer := value
	if required {
		pointer = "&" + value
	}
	switch stem {
	case "Bool", "String":
		g.printf("\te.%s(%q, %s)\n", stem, attribute.Name, pointer)
	case "Int", "Float":
		g.printf("\te.%s(%q, definition.%s, %s)\n", stem, attribute.Name, kindNames[kind], pointer)
	case "Ints":
		g.printf("\te.Ints(%q, definition.%s, %s, %t)\n", attribute.Name, kindNames[kind], value, required)
	case "Floats":
		g.printf("\te.Floats(%q, %s, %t)\n", attribute.Name, value, required)
	case "Array", "Attribute":
		g.printf("\te.%s(%q, %s)\n", stem, attribute.Name, value)
	case "Enum", "Struct":
		if required {
			g.printf("\te.Attribute(%q, %s.Attr(c))\n", attribute.Name, value)
		} else {
			g.printf("\tif %s != nil {\n\t\te.Attribute(%q, %s.Attr(c))\n\t}\n", value, attribute.Name, value)
		}
	}
}

// constructorParts are what the parameters and the body of a constructor are written from.
type constructorParts struct {
	parameters []string
	used       map[string]bool
	operands   []string // pieces of the operand list
	simple     bool     // each piece is one operand
	types      []string // of the results; one that is a list stands alone
	listed     bool
}

// parameter adds a parameter named after a field, and returns its name.
func (c *constructorParts) parameter(field, suffix, typ string) string {
	name := parameterName(field)
	if c.used[name] {
		name += suffix
	}
	c.used[name] = true
	c.parameters = append(c.parameters, name+" "+typ)
	return name
}

func (c *constructorParts) addOperand(operand *Field) {
	switch operand.Quantifier {
	case "*":
		c.operands, c.simple = append(c.operands, c.parameter(operand.Name, "Operand", "[]*ir.Value")), false
	case "?":
		name := c.parameter(operand.Name, "Operand", "*ir.Value")
		c.operands, c.simple = append(c.operands, "definition.Present("+name+")"), false
	default:
		c.operands = append(c.operands, "[]*ir.Value{"+c.parameter(operand.Name, "Operand", "*ir.Value")+"}")
	}
}

func (c *constructorParts) addResult(result *Field) {
	field := result.Name
	if field == "_" {
		field = "output"
	}
	typ := "ir.Type"
	if result.Quantifier != "" {
		typ, c.listed = "[]ir.Type", true
	}
	c.types = append(c.types, c.parameter(field, "Type", typ))
}

// constructor writes NewX. Parameters: builder, location, operands, attributes, number of regions where that is open,
// result types.
func (g *generator) constructor(op *Op, name string) {
	c := &constructorParts{parameters: []string{"b *ir.Builder", "loc ir.Location"}, used: map[string]bool{}, simple: true}
	for _, operand := range op.Operands {
		c.addOperand(operand)
	}
	if len(op.Attributes) > 0 {
		c.parameters = append(c.parameters, "attributes "+name+"Attributes")
	}
	regions := fmt.Sprint(len(op.Regions))
	if len(op.Regions) > 0 && op.Regions[len(op.Regions)-1].Quantifier == "*" {
		c.parameters, regions = append(c.parameters, "regions int"), "regions"
	}
	for _, result := range op.Results {
		c.addResult(result)
	}
	g.printf("// New%s makes a %s.%s.\nfunc New%s(%s) %s {\n", name, g.file.Name, op.Name, name, parameterList(c.parameters), op.Class())
	g.printf("\treturn %s{b.Create(&ir.OperationState{\n\t\tName: b.Context().OperationName(%q),\n\t\tLoc: loc,\n", op.Class(), g.file.Name+"."+op.Name)
	if operands := operandList(c.operands, c.simple); operands != "" {
		g.printf("\t\tOperands: %s,\n", operands)
	}
	switch {
	case c.listed:
		g.printf("\t\tTypes: %s,\n", c.types[0])
	case len(c.types) > 0:
		g.printf("\t\tTypes: []ir.Type{%s},\n", strings.Join(c.types, ", "))
	}
	if len(op.Attributes) > 0 {
		g.printf("\t\tAttributes: attributes.dictionary(b.Context()),\n")
	}
	if regions != "0" {
		g.printf("\t\tRegions: %s,\n", regions)
	}
	g.printf("\t})}\n}\n\n")
}

// operandList joins the operands into the list that the op is made with.
func operandList(pieces []string, simple bool) string {
	switch {
	case len(pieces) == 0:
		return ""
	case simple:
		var names []string
		for _, piece := range pieces {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(piece, "[]*ir.Value{"), "}"))
		}
		return "[]*ir.Value{" + strings.Join(names, ", ") + "}"
	case len(pieces) == 1:
		return pieces[0]
	}
	return "slices.Concat(" + strings.Join(pieces, ", ") + ")"
}

// parameterList joins parameters "name type", neighbours of one type under one type, and breaks long lists.
func parameterList(parameters []string) string {
	var out strings.Builder
	width := 40
	for i, parameter := range parameters {
		name, typ, _ := strings.Cut(parameter, " ")
		if i+1 < len(parameters) && strings.HasSuffix(parameters[i+1], " "+typ) {
			parameter = name
		}
		if i > 0 {
			out.WriteString(", ")
		}
		if width += len(parameter) + 2; width > 110 {
			out.WriteString("\n\t")
			width = len(parameter)
		}
		out.WriteString(parameter)
	}
	return out.String()
}
