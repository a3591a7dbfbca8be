package tokenizer

// This file is the BPE model: it turns one word into tokens by joining, again and again, the adjacent pair that was
// learned first. A heap of pairs keeps that at n log n, so a megabyte without a space costs no more than its length.

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxTokenID bounds ids from files; the largest published vocabularies have 262144 tokens.
const maxTokenID = 1 << 21

type bpe struct {
	vocab  map[string]int32
	tokens []string
	merges map[uint64]merge

	unknown      int32 // -1: none
	fuseUnknown  bool
	byteFallback bool
	byteTokens   [256]int32 // -1 where the vocabulary has no <0xNN>
	ignoreMerges bool
	prefix       string // of every symbol of a word but the first
	suffix       string // of the last symbol of a word
}

// A merge is what a pair becomes; a lower rank was learned earlier and goes first.
type merge struct{ rank, id int32 }

func pairKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

type modelJSON struct {
	Type                    string          `json:"type"`
	Vocab                   json.RawMessage `json:"vocab"`
	Merges                  json.RawMessage `json:"merges"`
	UnknownToken            *string         `json:"unk_token"`
	ContinuingSubwordPrefix *string         `json:"continuing_subword_prefix"`
	EndOfWordSuffix         *string         `json:"end_of_word_suffix"`
	FuseUnknown             bool            `json:"fuse_unk"`
	ByteFallback            bool            `json:"byte_fallback"`
	IgnoreMerges            bool            `json:"ignore_merges"`
}

func newBPE(model modelJSON) (*bpe, error) {
	// Old files leave the type out; merges tell that it is BPE.
	if model.Type != "BPE" && (model.Type != "" || model.Merges == nil) {
		return nil, fieldError("model.type", "%q is not supported, only BPE is", model.Type)
	}
	b := &bpe{
		unknown: -1, fuseUnknown: model.FuseUnknown, byteFallback: model.ByteFallback, ignoreMerges: model.IgnoreMerges,
		prefix: valueOrEmpty(model.ContinuingSubwordPrefix), suffix: valueOrEmpty(model.EndOfWordSuffix),
	}
	if err := b.readVocab(model.Vocab); err != nil {
		return nil, err
	}
	if err := b.readMerges(model.Merges); err != nil {
		return nil, err
	}
	if name := valueOrEmpty(model.UnknownToken); name != "" {
		id, ok := b.vocab[name]
		if !ok {
			return nil, fieldError("model.unk_token", "%q is not in the vocabulary", name)
		}
		b.unknown = id
	}
	for value := range b.byteTokens {
		b.byteTokens[value] = -1
		if id, ok := b.vocab[fmt.Sprintf("<0x%02X>", value)]; ok {
			b.byteTokens[value] = id
		}
	}
	return b, nil
}

func valueOrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (b *bpe) readVocab(data json.RawMessage) error {
	if len(data) == 0 {
		return fieldError("model.vocab", "is missing")
	}
	vocab, err := scanVocab(data)
	if err != nil {
		return fieldError("model.vocab", "%w", err)
	}
	b.vocab = vocab
	largest := int32(-1)
	for _, id := range b.vocab {
		largest = max(largest, id)
	}
	b.tokens = make([]string, largest+1)
	for token, id := range b.vocab {
		// Of two tokens with one id the smaller spelling is taken, so that loading is deterministic.
		if known := b.tokens[id]; known == "" || token != "" && token < known {
			b.tokens[id] = token
		}
	}
	return nil
}

func (b *bpe) readMerges(data json.RawMessage) error {
	b.merges = make(map[uint64]merge, len(data)/20)
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	var joined []byte
	return scanMerges(data, func(rank int, left, right string) error {
		first, ok := b.vocab[left]
		if !ok {
			return missing(left)
		}
		second, ok := b.vocab[right]
		if !ok {
			return missing(right)
		}
		joined = append(append(joined[:0], left...), strings.TrimPrefix(right, b.prefix)...)
		id, ok := b.vocab[string(joined)]
		if !ok {
			return missing(string(joined))
		}
		// A pair that is listed twice has the rank of the last one, as in the reference implementation.
		b.merges[pairKey(first, second)] = merge{rank: int32(rank), id: id}
		return nil
	})
}

func missing(token string) error { return fmt.Errorf("token %q is not in the vocabulary", token) }

// splitMerge reads "left right".
func splitMerge(text string) (left, right string, err error) {
	left, right, ok := strings.Cut(text, " ")
	if !ok || strings.Contains(right, " ") {
		return "", "", fmt.Errorf("%q is not two tokens with a space between", text)
	}
	return left, right, nil
}

func (b *bpe) token(id int) (string, bool) {
	if id < 0 || id >= len(b.tokens) || b.tokens[id] == "" {
		return "", false
	}
	return b.tokens[id], true
}

// A symbol is a part of the word, in a list; a joined-away symbol has id -1.
type symbol struct{ id, previous, next int32 }

// appendTokens appends the tokens of one word, which is not empty.
func (b *bpe) appendTokens(ids []int, word string) ([]int, error) {
	if b.ignoreMerges {
		if id, ok := b.vocab[word]; ok {
			return append(ids, int(id)), nil
		}
	}
	if len(word) > 1<<30 {
		return nil, fmt.Errorf("tokenizer: a word of %d bytes is too long", len(word))
	}
	symbols := b.symbols(word)
	b.join(symbols)
	for _, s := range symbols {
		if s.id >= 0 {
			ids = append(ids, int(s.id))
		}
	}
	return ids, nil
}

// symbols gives the word's characters as tokens: as they stand, as bytes, or as the unknown token.
func (b *bpe) symbols(word string) []symbol {
	symbols := make([]symbol, 0, len(word))
	add := func(id int32) {
		symbols = append(symbols, symbol{id: id, previous: int32(len(symbols)) - 1, next: int32(len(symbols)) + 1})
	}
	unknown := false // the last symbol is the unknown token
	for at := 0; at < len(word); {
		_, width := utf8.DecodeRuneInString(word[at:])
		character := word[at : at+width]
		id, ok := b.lookup(character, at == 0, at+width == len(word))
		switch {
		case ok:
			add(id)
			unknown = false
		case b.byteFallback && b.hasBytes(character):
			for _, value := range []byte(character) {
				add(b.byteTokens[value])
			}
			unknown = false
		case b.unknown >= 0 && !(unknown && b.fuseUnknown):
			add(b.unknown)
			unknown = true
		}
		at += width
	}
	if len(symbols) > 0 {
		symbols[len(symbols)-1].next = -1
	}
	return symbols
}

func (b *bpe) lookup(character string, first, last bool) (int32, bool) {
	if !first {
		character = b.prefix + character
	}
	if last {
		character += b.suffix
	}
	id, ok := b.vocab[character]
	return id, ok
}

func (b *bpe) hasBytes(character string) bool {
	for _, value := range []byte(character) {
		if b.byteTokens[value] < 0 {
			return false
		}
	}
	return true
}

// join applies the merges in place: always the pair with the lowest rank, the leftmost of equals.
func (b *bpe) join(symbols []symbol) {
	var queue pairQueue
	offer := func(at int32) {
		next := symbols[at].next
		if next < 0 {
			return
		}
		if m, ok := b.merges[pairKey(symbols[at].id, symbols[next].id)]; ok {
			queue = append(queue, uint64(uint32(m.rank))<<32|uint64(uint32(at)))
		}
	}
	for at := range symbols {
		offer(int32(at))
	}
	queue.order()
	for len(queue) > 0 {
		top := queue.pop()
		at := int32(uint32(top))
		left := &symbols[at]
		if left.id < 0 || left.next < 0 {
			continue
		}
		right := &symbols[left.next]
		// The pair may have changed since it was queued; it then is in the queue again with its own rank.
		m, ok := b.merges[pairKey(left.id, right.id)]
		if !ok || uint32(m.rank) != uint32(top>>32) {
			continue
		}
		left.id, right.id = m.id, -1
		left.next = right.next
		if left.next >= 0 {
			symbols[left.next].previous = at
		}
		for _, changed := range [2]int32{left.previous, at} {
			if changed >= 0 {
				length := len(queue)
				if offer(changed); len(queue) > length {
					queue.up(length)
				}
			}
		}
	}
}

// A pairQueue is a binary heap of rank<<32 | position, the smallest first.
type pairQueue []uint64

func (q pairQueue) order() {
	for at := len(q)/2 - 1; at >= 0; at-- {
		q.down(at)
	}
}

func (q pairQueue) up(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if q[parent] <= q[at] {
			return
		}
		q[parent], q[at] = q[at], q[parent]
		at = parent
	}
}

func (q pairQueue) down(at int) {
	for {
		child := 2*at + 1
		if child >= len(q) {
			return
		}
		if child+1 < len(q) && q[child+1] < q[child] {
			child++
		}
		if q[at] <= q[child] {
			return
		}
		q[at], q[child] = q[child], q[at]
		at = child
	}
}

func (q *pairQueue) pop() uint64 {
	queue := *q
	top := queue[0]
	last := len(queue) - 1
	queue[0] = queue[last]
	*q = queue[:last]
	(*q).down(0)
	return top
}
