package tokenizer

// This file finds added tokens (special or not) in the text before anything else looks at it. Tokens that are marked
// as normalized are looked for after normalization, the others in the text as it was given.

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"tpuir/internal/jsonerror"
)

// maxAddedLength bounds an added token in bytes, and with it the work at each place of a text.
const maxAddedLength = 1 << 12

type addedTokenJSON struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	StripLeft  bool   `json:"lstrip"`
	StripRight bool   `json:"rstrip"`
	Normalized *bool  `json:"normalized"`
	Special    bool   `json:"special"`
}

type addedToken struct {
	id                                int
	content                           string
	singleWord, stripLeft, stripRight bool
	special                           bool
}

type addedTokens struct {
	byID      map[int]addedToken
	byContent map[string]int
	// raw and normalized are the tries of the tokens for the text as given and for the normalized text.
	raw, normalized trie
}

func newAddedTokens(data json.RawMessage, settings []addedTokenJSON, model *bpe, normalize normalizer) (*addedTokens, error) {
	var list []addedTokenJSON
	if len(data) > 0 {
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fieldError("added_tokens", "%w", jsonerror.Describe(nil, err))
		}
	}
	added := &addedTokens{byID: map[int]addedToken{}, byContent: map[string]int{}}
	for at, token := range list {
		if token.ID < 0 || token.ID >= maxTokenID {
			return nil, fieldError("added_tokens", "entry %d: id %d is not in [0, %d)", at, token.ID, maxTokenID)
		}
		if err := added.add(token, normalize); err != nil {
			return nil, fieldError("added_tokens", "entry %d: %w", at, err)
		}
	}
	sort.Slice(settings, func(i, j int) bool { return settings[i].ID < settings[j].ID })
	for _, token := range settings {
		// tokenizer_config.json only adds what tokenizer.json does not have.
		_, idTaken := added.byID[token.ID]
		_, contentTaken := added.byContent[token.Content]
		if spelling, ok := model.token(token.ID); idTaken || contentTaken || ok && spelling != token.Content {
			continue
		}
		if err := added.add(token, normalize); err != nil {
			return nil, err
		}
	}
	return added, nil
}

func (a *addedTokens) add(token addedTokenJSON, normalize normalizer) error {
	if token.Content == "" {
		return nil
	}
	if len(token.Content) > maxAddedLength {
		return fmt.Errorf("%d bytes are too long for a token", len(token.Content))
	}
	a.byID[token.ID] = addedToken{
		id: token.ID, content: token.Content, singleWord: token.SingleWord,
		stripLeft: token.StripLeft, stripRight: token.StripRight, special: token.Special,
	}
	if _, twice := a.byContent[token.Content]; !twice {
		a.byContent[token.Content] = token.ID
	}
	isNormalized := !token.Special
	if token.Normalized != nil {
		isNormalized = *token.Normalized
	}
	if !isNormalized {
		a.raw.insert(token.Content, token.ID)
		return nil
	}
	content, err := normalize.apply(token.Content)
	if err != nil {
		return err
	}
	a.normalized.insert(content, token.ID)
	return nil
}

// cut splits text into added tokens and normalized text.
func (a *addedTokens) cut(text string, normalize normalizer) ([]piece, error) {
	var pieces []piece
	for _, p := range a.find(nil, &a.raw, piece{text: text, id: -1, first: true}) {
		if p.id >= 0 {
			pieces = append(pieces, p)
			continue
		}
		var err error
		if p.text, err = normalize.apply(p.text); err != nil {
			return nil, err
		}
		pieces = a.find(pieces, &a.normalized, p)
	}
	return pieces, nil
}

// find appends the parts of p: the tokens of the trie, leftmost and longest, and the text between them.
func (a *addedTokens) find(pieces []piece, tokens *trie, p piece) []piece {
	text, done := p.text, 0
	for at := 0; at < len(text); {
		id, length := tokens.longest(text[at:])
		if length == 0 {
			at++
			continue
		}
		start, end := at, at+length
		at = end
		token := a.byID[id]
		if token.singleWord && (endsInWord(text[:start]) || startsWithWord(text[end:])) {
			continue
		}
		if token.stripLeft {
			start = max(done, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
		}
		if token.stripRight {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
			at = end
		}
		if done < start {
			pieces = append(pieces, piece{text: text[done:start], id: -1, first: p.first && done == 0})
		}
		pieces = append(pieces, piece{text: text[start:end], id: id, first: p.first && start == 0})
		done = end
	}
	if done < len(text) {
		pieces = append(pieces, piece{text: text[done:], id: -1, first: p.first && done == 0})
	}
	return pieces
}

func endsInWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && isWordRune(r)
}

func startsWithWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && isWordRune(r)
}

// isWordRune is \w of the reference: letters, marks, decimal digits and joining punctuation.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.In(r, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc))
}

// A trie finds the longest of a set of strings at the start of a text. Node 0 is the root; 0 as a child means none.
type trie struct {
	nodes []trieNode
}

type trieNode struct {
	children map[byte]int32
	id       int // -1 where no token ends
}

func (t *trie) insert(text string, id int) {
	if text == "" {
		return
	}
	if t.nodes == nil {
		t.nodes = []trieNode{{id: -1}}
	}
	at := int32(0)
	for _, value := range []byte(text) {
		next, ok := t.nodes[at].children[value]
		if !ok {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, trieNode{id: -1})
			if t.nodes[at].children == nil {
				t.nodes[at].children = map[byte]int32{}
			}
			t.nodes[at].children[value] = next
		}
		at = next
	}
	if t.nodes[at].id < 0 {
		t.nodes[at].id = id
	}
}

// longest returns the id and the length of the longest token that text begins with; length 0 where there is none.
func (t *trie) longest(text string) (id, length int) {
	if t.nodes == nil {
		return -1, 0
	}
	id = -1
	at := int32(0)
	for i := 0; i < len(text); i++ {
		next, ok := t.nodes[at].children[text[i]]
		if !ok {
			break
		}
		at = next
		if t.nodes[at].id >= 0 {
			id, length = t.nodes[at].id, i+1
		}
	}
	return id, length
}
