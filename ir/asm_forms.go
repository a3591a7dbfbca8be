package ir

// This file holds the pieces that the custom forms of several dialects are made of.

// ParseTypes reads types with commas between, at least one.
func ParseTypes(p AsmParser) ([]Type, error) {
	var types []Type
	for {
		t, err := p.Type()
		if err != nil {
			return nil, err
		}
		types = append(types, t)
		if !p.OptionalPunctuation(",") {
			return types, nil
		}
	}
}

// AllAttributes returns inherent and discardable attributes in one dictionary. The properties of an unregistered
// operation are not looked into, unless MLIR itself defines it.
func (op *Operation) AllAttributes() *DictionaryAttr {
	properties, ok := op.properties.(*DictionaryAttr)
	if !ok || op.name.definition == nil && !op.name.mlir || len(properties.Entries) == 0 {
		return op.attributes
	}
	if len(op.attributes.Entries) == 0 {
		return properties
	}
	all := make([]NamedAttribute, 0, len(properties.Entries)+len(op.attributes.Entries))
	return op.Context().Dictionary(append(append(all, op.attributes.Entries...), properties.Entries...)...)
}
