// Package tokenizer turns text into token ids and back, as the fast tokenizers of Hugging Face do. It reads a
// checkpoint's tokenizer.json: BPE models, byte-level (GPT-2, Qwen2, Llama 3) or with a byte fallback (Llama 2,
// Mistral, MiniCPM). The ids are those that the model was trained with, so every step follows that file to the letter.
//
// This file holds the Tokenizer and the order of its steps: added tokens are cut out of the text, the rest is
// normalized, split into words, merged to tokens, and the post-processor puts the special tokens around them.
package tokenizer

import (
	"fmt"
	"io/fs"
	"sync"

	"tpuir/internal/checkpointfile"
)

// Tokenizer encodes and decodes text for one vocabulary. It is safe for concurrent use.
type Tokenizer struct {
	settings  Settings
	model     *bpe
	added     *addedTokens
	normalize normalizer
	split     []splitter
	post      postProcessor
	decoders  []decoder
	size      int

	words cache
}

// A piece is a part of the text between two steps of encoding: an added token that was already found, or text.
type piece struct {
	text string
	// id is the id of an added token, or -1 for text.
	id int
	// first tells that the piece begins where the whole text begins.
	first bool
}

// Load reads tokenizer.json from a checkpoint's folder, and tokenizer_config.json where there is one. Errors name
// the file and the field.
func Load(fsys fs.FS) (*Tokenizer, error) {
	data, err := checkpointfile.Read(fsys, tokenizerFile, maxFileSize)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
	}
	settings, err := loadSettings(fsys)
	if err != nil {
		return nil, err
	}
	return build(data, settings)
}

// Parse reads the content of a tokenizer.json alone; Settings are then empty.
func Parse(data []byte) (*Tokenizer, error) {
	return build(data, Settings{})
}

// Encode returns the token ids of text. With addSpecial, the post-processor of the checkpoint adds its special
// tokens (the begin token of a Llama). Special tokens written out in the text are always recognized, as the chat
// templates need it. An error says that a split pattern took too long or that a character has no token.
func (t *Tokenizer) Encode(text string, addSpecial bool) ([]int, error) {
	pieces, err := t.added.cut(text, t.normalize)
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, p := range pieces {
		if p.id >= 0 {
			ids = append(ids, p.id)
			continue
		}
		words, err := t.splitWords(p)
		if err != nil {
			return nil, err
		}
		for _, word := range words {
			if ids, err = t.appendWord(ids, word.text); err != nil {
				return nil, err
			}
		}
	}
	if addSpecial {
		ids = t.post.apply(ids)
	}
	return ids, nil
}

// splitWords runs the pre-tokenizers, one after the other, on a piece of normalized text.
func (t *Tokenizer) splitWords(p piece) ([]piece, error) {
	words := []piece{p}
	for _, s := range t.split {
		var next []piece
		for _, word := range words {
			var err error
			if next, err = s.split(next, word); err != nil {
				return nil, err
			}
		}
		words = next
	}
	return words, nil
}

// appendWord appends the tokens of one word, from the cache where it was seen before.
func (t *Tokenizer) appendWord(ids []int, word string) ([]int, error) {
	if word == "" {
		return ids, nil
	}
	if known, ok := t.words.get(word); ok {
		return append(ids, known...), nil
	}
	start := len(ids)
	ids, err := t.model.appendTokens(ids, word)
	if err != nil {
		return nil, err
	}
	t.words.put(word, ids[start:])
	return ids, nil
}

// Decode returns the text of ids. Bytes that are no UTF-8 come out as U+FFFD; ids outside the vocabulary give nothing.
// With skipSpecial, special tokens are left out.
func (t *Tokenizer) Decode(ids []int, skipSpecial bool) string {
	return string(toValidUTF8([]byte(t.decodeRaw(ids, skipSpecial))))
}

// decodeRaw is Decode without the replacement of invalid bytes.
func (t *Tokenizer) decodeRaw(ids []int, skipSpecial bool) string {
	return runDecoders(t.decoders, t.tokens(ids, skipSpecial))
}

// tokens looks up the ids' texts as the vocabulary writes them.
func (t *Tokenizer) tokens(ids []int, skipSpecial bool) []string {
	tokens := make([]string, 0, len(ids))
	for _, id := range ids {
		if skipSpecial && t.IsSpecial(id) {
			continue
		}
		if token, ok := t.Token(id); ok {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// Token returns the vocabulary's own spelling of an id (with Ġ for a space in byte-level ones).
func (t *Tokenizer) Token(id int) (string, bool) {
	if a, ok := t.added.byID[id]; ok {
		return a.content, true
	}
	return t.model.token(id)
}

// ID returns the id of a token in the vocabulary's own spelling.
func (t *Tokenizer) ID(token string) (int, bool) {
	if id, ok := t.added.byContent[token]; ok {
		return id, true
	}
	id, ok := t.model.vocab[token]
	return int(id), ok
}

// IsSpecial tells whether an id is a special added token, one that is no text (end of text and the like).
func (t *Tokenizer) IsSpecial(id int) bool {
	a, ok := t.added.byID[id]
	return ok && a.special
}

// Size is one more than the largest id.
func (t *Tokenizer) Size() int { return t.size }

// Settings returns what tokenizer_config.json says.
func (t *Tokenizer) Settings() Settings { return t.settings }

// cacheWords and cacheBytes bound the cache of words: how many it keeps, and how long they may be.
const (
	cacheWords = 1 << 15
	cacheBytes = 256
)

// cache remembers the tokens of words; natural text repeats most of its words.
type cache struct {
	mutex sync.RWMutex
	words map[string][]int
}

func (c *cache) get(word string) ([]int, bool) {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	ids, ok := c.words[word]
	return ids, ok
}

// put keeps a copy of ids until the cache is full; it then stays as it is.
func (c *cache) put(word string, ids []int) {
	if len(word) > cacheBytes {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.words == nil {
		c.words = make(map[string][]int)
	}
	if len(c.words) < cacheWords {
		// The word may be a slice of a long text, which the cache must not keep alive.
		c.words[string([]byte(word))] = append([]int(nil), ids...)
	}
}

// fieldError names the place in tokenizer.json that an error is about.
func fieldError(field, format string, arguments ...any) error {
	return fmt.Errorf("%s: %s: %w", tokenizerFile, field, fmt.Errorf(format, arguments...))
}
