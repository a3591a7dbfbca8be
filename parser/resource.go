package parser

// This file reads the `{-# … #-}` sections: blobs that attributes name by key, and entries of external tools.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"

	"tpuir/ir"
)

func (p *parser) parseMetadata() error {
	p.advance()
	return p.listOrNone(tokenMetadataEnd, "expected ',' or '#-}'", func() error {
		at := p.token.start
		if p.token.kind != tokenBare && p.token.kind != tokenIntType {
			return p.error("expected identifier key in file metadata dictionary")
		}
		key := string(p.spelling())
		p.advance()
		if err := p.expect(tokenColon, "expected ':'"); err != nil {
			return err
		}
		switch key {
		case "dialect_resources":
			return p.parseSection(p.parseDialectResources)
		case "external_resources":
			return p.parseSection(p.parseExternalResources)
		}
		return p.errorAt(at, "unknown key '"+key+"' in file metadata dictionary")
	})
}

func (p *parser) parseSection(body func(name string, at int) error) error {
	if err := p.expect(tokenLeftBrace, "expected '{'"); err != nil {
		return err
	}
	return p.listOrNone(tokenRightBrace, "expected ',' or '}'", func() error {
		at := p.token.start
		if p.token.kind != tokenBare && p.token.kind != tokenIntType {
			return p.error("expected identifier key for 'resource' entry")
		}
		name := string(p.spelling())
		p.advance()
		if err := p.expect(tokenColon, "expected ':'"); err != nil {
			return err
		}
		if err := p.expect(tokenLeftBrace, "expected '{'"); err != nil {
			return err
		}
		return body(name, at)
	})
}

// parseEntries reads `key: value` entries up to the closing brace; the value is one token.
func (p *parser) parseEntries(kind string, entry func(key string, value token) error) error {
	return p.listOrNone(tokenRightBrace, "expected ',' or '}'", func() error {
		key, ok := p.optionalKeywordOrString()
		if !ok {
			return p.error("expected identifier key for '" + kind + "' entry")
		}
		if err := p.expect(tokenColon, "expected ':'"); err != nil {
			return err
		}
		value := p.token
		if value.kind == tokenError {
			return p.lexical
		}
		p.advance()
		return entry(key, value)
	})
}

func (p *parser) parseDialectResources(name string, at int) error {
	if name != "builtin" {
		if p.context.Dialect(name) == nil {
			return p.errorAt(at, "dialect '"+name+"' is unknown")
		}
		return p.error("unexpected 'resource' section for dialect '" + name + "'")
	}
	return p.parseEntries("resource", func(key string, value token) error {
		r, err := p.parseBlob(key, value)
		if err != nil {
			return err
		}
		p.context.SetResource(p.shared.resourceKey(p.context, key), r)
		return nil
	})
}

func (p *parser) parseExternalResources(name string, _ int) error {
	var entries []ir.ExternalEntry
	err := p.parseEntries("external_resources", func(key string, value token) error {
		entry := ir.ExternalEntry{Key: key}
		spelling := p.text[value.start:value.end]
		switch {
		case value.kind == tokenString && strings.HasPrefix(view(spelling), `"0x`):
			r, err := p.parseBlob(key, value)
			if err != nil {
				return err
			}
			entry.Value = r
		case value.kind == tokenString:
			entry.Value = p.stringValue(value)
		case value.kind == tokenBare && (string(spelling) == "true" || string(spelling) == "false"):
			entry.Value = spelling[0] == 't'
		default:
			return p.errorAt(value.start, "expected string value for key '"+key+"'")
		}
		entries = append(entries, entry)
		return nil
	})
	if err != nil {
		return err
	}
	p.context.AddExternalResource(name, entries...)
	return nil
}

// parseBlob reads a hex string: four bytes of alignment, then the blob, which stays where it is.
func (p *parser) parseBlob(key string, value token) (*ir.Resource, error) {
	message := "expected hex string blob for key '" + key + "'"
	if value.kind != tokenString {
		return nil, p.errorAt(value.start, message)
	}
	digits, ok := p.hexDigits(value)
	if !ok {
		return nil, p.errorAt(value.start, message)
	}
	var alignment [4]byte
	if len(digits) < 2*len(alignment) {
		return nil, p.errorAt(value.start, message+" to encode alignment in first 4 bytes")
	}
	if _, err := hex.Decode(alignment[:], digits[:2*len(alignment)]); err != nil {
		return nil, p.errorAt(value.start, message)
	}
	align := binary.LittleEndian.Uint32(alignment[:])
	if bits.OnesCount32(align) > 1 {
		return nil, p.errorAt(value.start, fmt.Sprintf("%s to encode alignment in first 4 bytes, but got non-power-of-2 value: %d",
			message, align))
	}
	if len(digits) == 2*len(alignment) {
		align = 0 // as in MLIR, where an empty blob has none
	}
	return ir.HexResource(align, digits[2*len(alignment):]), nil
}

func (p *parser) parseDenseResource(t ir.Type) (ir.Attribute, error) {
	start := p.token.start
	p.advance()
	if err := p.expect(tokenLess, "expected '<' after 'dense_resource'"); err != nil {
		return nil, err
	}
	key, ok := p.optionalKeywordOrString()
	if !ok {
		return nil, p.error("expected identifier key for 'resource' entry")
	}
	key = p.shared.resourceKey(p.context, key)
	if err := p.expect(tokenGreater, "expected '>'"); err != nil {
		return nil, err
	}
	place := start
	if t == nil {
		place = p.token.start
		if err := p.expect(tokenColon, "expected ':'"); err != nil {
			return nil, err
		}
		var err error
		if t, err = p.parseType(); err != nil {
			return nil, err
		}
	}
	shaped, ok := t.(ir.ShapedType)
	if !ok {
		return nil, p.errorAt(place, "`dense_resource` expected a shaped type")
	}
	return p.context.DenseResource(shaped, key), nil
}
