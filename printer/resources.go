package printer

// This file writes the section behind a module that holds its resources.

import (
	"strconv"

	"tpuir/ir"
)

// resources holds the keys of the resources that were written, in order, each once.
type resources struct {
	keys []string
	seen map[string]bool
}

func (r *resources) add(a *ir.DenseResourceElementsAttr) { r.addKey(a.Key) }

func (r *resources) addKey(key string) {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	if !r.seen[key] {
		r.seen[key] = true
		r.keys = append(r.keys, key)
	}
}

// resourceWriter writes the nested braces of the section; each is opened with its first entry.
type resourceWriter struct {
	p                         *printer
	open, inSection, inClient bool
	elided                    bool // an entry was too long
	sections                  int
	clients                   int
}

// writeResources writes `{-# … #-}` where there is anything to write.
func (p *printer) writeResources(op *ir.Operation) {
	w := &resourceWriter{p: p}
	for _, key := range p.resources.keys {
		if r := p.context.Resource(key); r != nil {
			w.entry("dialect_resources", "builtin", key, 2*r.Len()+12, func(dst []byte) []byte { return p.appendBlob(dst, r) })
		}
	}
	w.closeClient()
	w.closeSection()
	var external []*ir.ExternalResource
	if !p.options.NoExternalResources {
		external = op.Context().ExternalResources()
	}
	for _, client := range append(external, p.options.ExternalResources...) {
		for _, e := range client.Entries {
			w.external(client.Name, e)
		}
		w.closeClient()
	}
	w.closeSection()
	switch {
	case w.open:
		p.buf = append(p.buf, "\n#-}\n"...)
	case w.elided: // the braces tell that there was something
		p.buf = append(p.buf, "\n{-#\n\n#-}\n"...)
	}
}

func (p *printer) appendBlob(dst []byte, r *ir.Resource) []byte {
	return append(p.text.AppendBlob(append(dst, '"'), r), '"')
}

func (w *resourceWriter) external(client string, e ir.ExternalEntry) {
	switch value := e.Value.(type) {
	case string:
		text := ir.AppendQuoted(nil, value)
		w.entry("external_resources", client, e.Key, len(text), func(dst []byte) []byte { return append(dst, text...) })
	case bool:
		text := strconv.FormatBool(value)
		w.entry("external_resources", client, e.Key, len(text), func(dst []byte) []byte { return append(dst, text...) })
	case *ir.Resource:
		w.entry("external_resources", client, e.Key, 2*value.Len()+12, func(dst []byte) []byte { return w.p.appendBlob(dst, value) })
	}
}

// entry writes `key: value`, where the value is not too long, and what has to be opened before it.
func (w *resourceWriter) entry(section, client, key string, length int, value func([]byte) []byte) {
	p := w.p
	if limit := p.options.ElideResourcesLargerThan; limit != nil && int64(length) > *limit {
		w.elided = true
		return
	}
	if !w.open {
		w.open = true
		p.buf = append(p.buf, "\n{-#"...)
	}
	if !w.inSection {
		w.inSection, w.clients = true, 0
		if w.sections++; w.sections > 1 {
			p.buf = append(p.buf, ',')
		}
		p.buf = append(append(append(p.buf, "\n  "...), section...), ": {"...)
	}
	if !w.inClient {
		w.inClient = true
		if w.clients++; w.clients > 1 {
			p.buf = append(p.buf, ',')
		}
		p.buf = append(ir.AppendKeyword(append(p.buf, "\n    "...), client), ": {"...)
	} else {
		p.buf = append(p.buf, ',')
	}
	p.buf = append(ir.AppendKeyword(append(p.buf, "\n      "...), key), ": "...)
	p.buf = value(p.buf)
	p.flushFull()
}

func (w *resourceWriter) closeClient() {
	if w.inClient {
		w.inClient = false
		w.p.buf = append(w.p.buf, "\n    }"...)
	}
}

func (w *resourceWriter) closeSection() {
	if w.inSection {
		w.inSection = false
		w.p.buf = append(w.p.buf, "\n  }"...)
	}
}
