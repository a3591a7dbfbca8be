package irdl

// This file holds the operation `irdl.base` and the names of the bases that it can ask for: what kind of attribute or
// type something is, whatever its parameters.

import (
	"strings"

	"tpuir/ir"
)

// baseDefinition defines `irdl.base @d::@t {…}` and `irdl.base "!builtin.integer" {…}`.
func baseDefinition() *ir.OpDefinition {
	return &ir.OpDefinition{
		Name: BaseName, Summary: "accepts every type or attribute of one base", UsesProperties: true,
		Inherent: []string{baseRefKey, baseNameKey},
		Attributes: []ir.AttributeConstraint{
			{Name: baseNameKey, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"},
			{Name: baseRefKey, Accepts: ir.IsA[*ir.SymbolRefAttr], Description: "symbol reference attribute"},
		},
		Verify:           verifyBase,
		VerifySymbolUses: verifyReference(baseRefKey),
		Parse:            parseBase,
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			for _, key := range []string{baseRefKey, baseNameKey} {
				if a := op.Attr(key); a != nil {
					p.Text(" ")
					p.AttributeWithoutType(a)
				}
			}
			p.Text(" ")
			p.AttrDict(op.Attributes())
		},
	}
}

func parseBase(p ir.OpAsmParser, state *ir.OperationState) error {
	c := p.Context()
	var properties []ir.NamedAttribute
	root, found, err := p.OptionalSymbolName()
	if err != nil {
		return err
	}
	if found {
		var nested []string
		for p.OptionalPunctuation("::") {
			name, err := p.SymbolName()
			if err != nil {
				return err
			}
			nested = append(nested, name)
		}
		properties = append(properties, ir.NamedAttribute{Name: baseRefKey, Value: c.SymbolRef(root, nested...)})
	}
	name, found, err := p.OptionalString()
	if err != nil {
		return err
	}
	if found {
		properties = append(properties, ir.NamedAttribute{Name: baseNameKey, Value: c.StringAttr(name)})
	}
	return finishConstraint(p, state, properties...)
}

func verifyBase(op *ir.Operation) error {
	if err := verifyHandleResult(op, 0, attributeHandle); err != nil {
		return err
	}
	if err := verifyParent(op, TypeName, AttributeName, OperationName); err != nil {
		return err
	}
	name, named := op.StringAttribute(baseNameKey)
	if (op.Attr(baseRefKey) != nil) == named {
		return op.Errorf("the base type or attribute should be specified by either a name or a reference")
	}
	if named && !strings.HasPrefix(name, "!") && !strings.HasPrefix(name, "#") {
		return op.Errorf("the base type or attribute name should start with '!' or '#'")
	}
	return nil
}

// knownBase reports whether a name like "!builtin.integer" stands for a base. Of registered dialects other than builtin
// every name is taken that their types and attributes could have.
func knownBase(c *ir.Context, name string) bool {
	sigil, name := name[0], name[1:]
	namespace, base, ok := strings.Cut(name, ".")
	if !ok || base == "" {
		return false
	}
	switch namespace {
	case "builtin":
		if sigil == '!' {
			return strings.Contains(builtinTypes, " "+base+" ")
		}
		return strings.Contains(builtinAttributes, " "+base+" ")
	case "irdl":
		if sigil == '!' {
			return base == attributeHandle || base == regionHandle
		}
		return base == "variadicity" || base == "variadicity_array"
	}
	d := c.Dialect(namespace)
	if d == nil {
		return false
	}
	if sigil == '!' {
		return d.ParseType != nil
	}
	return d.ParseAttribute != nil
}

const (
	builtinTypes = " bf16 f16 tf32 f32 f64 f80 f128 f4E2M1FN f6E2M3FN f6E3M2FN f8E5M2 f8E4M3 f8E4M3FN f8E5M2FNUZ f8E4M3FNUZ " +
		"f8E4M3B11FNUZ f8E3M4 f8E8M0FNU complex function graph index integer memref none opaque tensor tuple " +
		"unranked_memref unranked_tensor vector "
	builtinAttributes = " affine_map array dense_array dense_int_or_fp_elements dense_string_elements dense_resource_elements " +
		"dictionary float integer integer_set opaque sparse_elements strided_layout string symbol_ref type unit distinct " +
		"call_site_loc file_line_range name_loc fused_loc opaque_loc unknown_loc "
)

// typeBase returns the name of a type's base: "builtin.integer".
func typeBase(t ir.Type) string {
	switch t := t.(type) {
	case *Type:
		return t.Definition.String()
	case *ir.IntegerType:
		return "builtin.integer"
	case *ir.IndexType:
		return "builtin.index"
	case *ir.NoneType:
		return "builtin.none"
	case *ir.FloatType:
		return "builtin." + t.Name()
	case *ir.ComplexType:
		return "builtin.complex"
	case *ir.TupleType:
		return "builtin.tuple"
	case *ir.FunctionType:
		return "builtin.function"
	case *ir.VectorType:
		return "builtin.vector"
	case *ir.RankedTensorType:
		return "builtin.tensor"
	case *ir.UnrankedTensorType:
		return "builtin.unranked_tensor"
	case *ir.MemRefType:
		return "builtin.memref"
	case *ir.UnrankedMemRefType:
		return "builtin.unranked_memref"
	case *ir.OpaqueType:
		return "builtin.opaque"
	}
	return dialectBase(t.String())
}

// attributeBase returns the name of an attribute's base: "builtin.string".
func attributeBase(a ir.Attribute) string {
	switch a := a.(type) {
	case *Attribute:
		return a.Definition.String()
	case *ir.TypeAttr:
		return "builtin.type"
	case *ir.IntegerAttr:
		return "builtin.integer"
	case *ir.FloatAttr:
		return "builtin.float"
	case *ir.StringAttr:
		return "builtin.string"
	case *ir.ArrayAttr:
		return "builtin.array"
	case *ir.DictionaryAttr:
		return "builtin.dictionary"
	case *ir.SymbolRefAttr:
		return "builtin.symbol_ref"
	case *ir.UnitAttr:
		return "builtin.unit"
	case *ir.StridedLayoutAttr:
		return "builtin.strided_layout"
	case *ir.DistinctAttr:
		return "builtin.distinct"
	case *ir.OpaqueAttr:
		return "builtin.opaque"
	case *ir.AffineMapAttr:
		return "builtin.affine_map"
	case *ir.IntegerSetAttr:
		return "builtin.integer_set"
	}
	return elementsBase(a)
}

// elementsBase is attributeBase for constants and locations.
func elementsBase(a ir.Attribute) string {
	switch a.(type) {
	case *ir.DenseElementsAttr:
		return "builtin.dense_int_or_fp_elements"
	case *ir.DenseStringElementsAttr:
		return "builtin.dense_string_elements"
	case *ir.DenseArrayAttr:
		return "builtin.dense_array"
	case *ir.SparseElementsAttr:
		return "builtin.sparse_elements"
	case *ir.DenseResourceElementsAttr:
		return "builtin.dense_resource_elements"
	case *ir.UnknownLoc:
		return "builtin.unknown_loc"
	case *ir.FileLoc:
		return "builtin.file_line_range"
	case *ir.NameLoc:
		return "builtin.name_loc"
	case *ir.CallSiteLoc:
		return "builtin.call_site_loc"
	case *ir.FusedLoc:
		return "builtin.fused_loc"
	}
	return dialectBase(a.String())
}

// dialectBase takes the name of the base from the text of another dialect's type or attribute: `!quant.uniform<…>`, or
// `#irdl<variadicity single>`.
func dialectBase(text string) string {
	text = strings.TrimLeft(text, "!#")
	if namespace, body, ok := strings.Cut(text, "<"); ok && !strings.Contains(namespace, ".") {
		text = namespace + "." + body
	}
	if end := strings.IndexAny(text, "<[( >"); end >= 0 {
		text = text[:end]
	}
	return text
}
