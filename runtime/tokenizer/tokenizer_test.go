package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/shareddata"
)

func parseFile(t testing.TB, name string) *Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

// An encoding is what Hugging Face's tokenizers 0.23.3 gave for one of the files in testdata.
type encoding struct {
	File    string  `json:"file"`
	Text    *string `json:"text"`
	IDs     []int   `json:"ids"`
	Decoded string  `json:"decoded"`
	Skipped string  `json:"skipped"`
}

func TestAgainstReferenceImplementation(t *testing.T) {
	path := filepath.Join("testdata", "encodings.json")
	if other := os.Getenv("TPUIR_ENCODINGS"); other != "" {
		path = other
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var encodings []encoding
	if err := json.Unmarshal(data, &encodings); err != nil {
		t.Fatal(err)
	}
	tokenizers := map[string]*Tokenizer{}
	for _, want := range encodings {
		if tokenizers[want.File] == nil {
			tokenizers[want.File] = parseFile(t, want.File)
		}
		checkEncoding(t, tokenizers[want.File], want)
	}
}

func checkEncoding(t *testing.T, tokenizer *Tokenizer, want encoding) {
	t.Helper()
	if want.Text != nil {
		ids, err := tokenizer.Encode(*want.Text, true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.IDs, append([]int{}, ids...)); diff != "" {
			t.Errorf("%s: Encode(%q) (-want +got):\n%s", want.File, *want.Text, diff)
		}
	}
	for _, skip := range []bool{false, true} {
		text := map[bool]string{false: want.Decoded, true: want.Skipped}[skip]
		if diff := cmp.Diff(text, tokenizer.Decode(want.IDs, skip)); diff != "" {
			t.Errorf("%s: Decode(%v, %v) (-want +got):\n%s", want.File, want.IDs, skip, diff)
		}
		var streamed strings.Builder
		stream := tokenizer.NewStream(skip)
		for _, id := range want.IDs {
			part := stream.Push(id)
			if !utf8.ValidString(part) {
				t.Errorf("%s: Push gives %q, which is not UTF-8", want.File, part)
			}
			streamed.WriteString(part)
		}
		streamed.WriteString(stream.Flush())
		// Decode looks at a whole run of fallback bytes at once; a stream cannot wait for the end of one that is no text.
		if invalid := !stream.byteLevel && strings.Contains(text, "\uFFFD"); !invalid && streamed.String() != text {
			t.Errorf("%s: streaming %v, skip %v, gives %q, want %q", want.File, want.IDs, skip, streamed.String(), text)
		}
	}
}

// TestSharedModels compares with the prompts and stories of every model that has a tokenizer.
func TestSharedModels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shareddata.Dir(t), "models", "*", tokenizerFile))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			tokenizer, err := Load(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			checkPrompts(t, tokenizer, filepath.Join(dir, "reference.json"))
		})
	}
}

func checkPrompts(t *testing.T, tokenizer *Tokenizer, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Prompts []struct {
			Text       string `json:"text"`
			InputIDs   []int  `json:"input_ids"`
			GreedyIDs  []int  `json:"greedy_ids"`
			GreedyText string `json:"greedy_text"`
			Story      string `json:"story"`
			StoryIDs   []int  `json:"story_ids"`
		} `json:"prompts"`
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	for _, prompt := range reference.Prompts {
		ids, err := tokenizer.Encode(prompt.Text, true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(prompt.InputIDs, ids); diff != "" {
			t.Errorf("ids of %q (-want +got):\n%s", prompt.Text, diff)
		}
		whole := append(append([]int{}, ids...), prompt.StoryIDs...)
		if diff := cmp.Diff(prompt.Story, tokenizer.Decode(whole, true)); diff != "" {
			t.Errorf("story (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(prompt.GreedyText, tokenizer.Decode(prompt.GreedyIDs, true)); diff != "" {
			t.Errorf("greedy text (-want +got):\n%s", diff)
		}
	}
}

// model is a vocabulary of letters with two merges, for the tests of single fields.
const model = `"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "merges": %s}`

func TestErrors(t *testing.T) {
	good := strings.Replace(model, "%s", `["a b", "ab c"]`, 1)
	for _, test := range []struct{ name, data, want string }{
		{"not JSON", `{`, "tokenizer.json: 1:1: not valid JSON"},
		{"no model", `{}`, "tokenizer.json: model: is missing"},
		{"unigram", `{"model": {"type": "Unigram", "vocab": []}}`, `model.type: "Unigram" is not supported`},
		{"word piece", `{"model": {"type": "WordPiece", "vocab": {}}}`, `model.type: "WordPiece" is not supported`},
		{"vocabulary", `{"model": {"type": "BPE", "vocab": [], "merges": []}}`, "model.vocab: is not an object"},
		{"negative id", `{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}`, `model.vocab: token "a": id -1 is not in`},
		{"large id", `{"model": {"type": "BPE", "vocab": {"a": 2147483647}, "merges": []}}`, "is not in [0, 2097152)"},
		{"merge of one", "{" + strings.Replace(model, "%s", `["ab"]`, 1) + "}", `model.merges[0]: "ab" is not two tokens`},
		{"merge of three", "{" + strings.Replace(model, "%s", `[["a","b","c"]]`, 1) + "}", "model.merges[0]: has more than 2 parts"},
		{"unknown merge", "{" + strings.Replace(model, "%s", `["a b","b c"]`, 1) + "}", `model.merges[1]: token "bc" is not`},
		{"unknown token", `{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "?"}}`, `unk_token: "?"`},
		{"normalizer", `{"normalizer": {"type": "Precompiled"},` + good + `}`, `normalizer.type: "Precompiled" is not`},
		{"splitter", `{"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Magic"}]},` + good + `}`,
			`pre_tokenizer.pretokenizers[0].type: "Magic"`},
		{"pattern", `{"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"},` + good + `}`,
			"pre_tokenizer.pattern: cannot compile"},
		{"behavior", `{"pre_tokenizer": {"type": "Split", "pattern": {"String": "x"}, "behavior": "Odd"},` + good + `}`,
			`pre_tokenizer.behavior: "Odd"`},
		{"decoder", `{"decoder": {"type": "CTC"},` + good + `}`, `decoder.type: "CTC" is not supported`},
		{"post-processor", `{"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}]},` +
			good + `}`, `post_processor.single[0]: "x" is not in special_tokens`},
		{"added id", `{"added_tokens": [{"id": -5, "content": "x"}],` + good + `}`, "added_tokens: entry 0: id -5"},
	} {
		_, err := Parse([]byte(test.data))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestPatternTimeout(t *testing.T) {
	tokenizer, err := Parse([]byte(`{"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a|aa)+$"}, "behavior": "Isolated"},` +
		strings.Replace(model, "%s", `[]`, 1) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer.split[0].(patternSplitter).pattern.expression.MatchTimeout = 50e6
	if _, err := tokenizer.Encode(strings.Repeat("a", 60)+"b", false); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("error %v, want a timeout", err)
	}
}

func TestSettings(t *testing.T) {
	data, err := os.ReadFile("testdata/stories-llama.json")
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := Load(fstest.MapFS{
		tokenizerFile: {Data: data},
		settingsFile: {Data: []byte(`{"bos_token": {"content": "<|bos|>"}, "eos_token": "<|eos|>", "add_bos_token": true,
			"model_max_length": 1000000000000000019884624838656,
			"added_tokens_decoder": {"2000": {"content": "<tool>", "special": true}}}`)},
		specialFile: {Data: []byte(`{"pad_token": "<|endoftext|>", "eos_token": "other"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := tokenizer.Settings()
	got := []string{settings.BOSToken, settings.EOSToken, settings.PADToken, settings.UNKToken}
	if diff := cmp.Diff([]string{"<|bos|>", "<|eos|>", "<|endoftext|>", ""}, got); diff != "" {
		t.Error(diff)
	}
	if settings.AddBOSToken == nil || !*settings.AddBOSToken || settings.AddEOSToken != nil || settings.ModelMaxLength != 0 {
		t.Errorf("settings %+v", settings)
	}
	ids, err := tokenizer.Encode("<tool>", false)
	if diff := cmp.Diff([]int{2000}, ids); diff != "" || err != nil || tokenizer.Size() != 2001 || !tokenizer.IsSpecial(2000) {
		t.Errorf("token of tokenizer_config.json: %v %s", err, diff)
	}
	if id, ok := tokenizer.ID("<|eos|>"); id != 2 || !ok {
		t.Errorf("ID gives %d, %v", id, ok)
	}
	if _, err := Load(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), tokenizerFile) {
		t.Errorf("error %v, want the name of the file", err)
	}
}

// TestMergesAsText: both ways to write merges give the same tokens, and ignore_merges takes whole words first.
func TestMergesAsText(t *testing.T) {
	for _, merges := range []string{`["a b", "ab c"]`, `[["a", "b"], ["ab", "c"]]`} {
		tokenizer, err := Parse([]byte("{" + strings.Replace(model, "%s", merges, 1) + "}"))
		if err != nil {
			t.Fatal(err)
		}
		ids, err := tokenizer.Encode("abcabb", false)
		if diff := cmp.Diff([]int{4, 3, 1}, ids); diff != "" || err != nil {
			t.Errorf("%s: %v %s", merges, err, diff)
		}
	}
}

func TestSplitBehaviors(t *testing.T) {
	for behavior, want := range map[string][]string{
		"Isolated":           {"a", "-", "-", "b", "-"},
		"Removed":            {"a", "b"},
		"MergedWithPrevious": {"a-", "-", "b-"},
		"MergedWithNext":     {"a", "-", "-b", "-"},
		"Contiguous":         {"a", "--", "b", "-"},
	} {
		s := patternSplitter{pattern: &pattern{literal: "-"}, behavior: behavior}
		words, err := s.split(nil, piece{text: "a--b-", id: -1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, word := range words {
			got = append(got, word.text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", behavior, diff)
		}
	}
}

func TestStreamHoldsIncompleteCharacters(t *testing.T) {
	tokenizer := parseFile(t, "stories-llama")
	ids, err := tokenizer.Encode("🦜", false)
	if err != nil || len(ids) != 4 {
		t.Fatalf("ids %v, %v", ids, err)
	}
	stream := tokenizer.NewStream(true)
	var got []string
	for _, id := range ids {
		got = append(got, stream.Push(id))
	}
	got = append(got, stream.Push(ids[0]), stream.Flush())
	if diff := cmp.Diff([]string{"", "", "", "🦜", "", "\uFFFD"}, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzRoundTrip: text in byte-level tokenizers without normalizer comes back as it was, valid UTF-8 or not.
func FuzzRoundTrip(f *testing.F) {
	gpt2, llama3 := parseFile(f, "stories-llama"), parseFile(f, "llama3-kind")
	f.Add("Once upon a time\n\n  <|eos|> 12é🦜\xff")
	f.Add("don't <think> \u00a0 \t\r\n你好")
	f.Fuzz(func(t *testing.T, text string) {
		for _, tokenizer := range []*Tokenizer{gpt2, llama3} {
			ids, err := tokenizer.Encode(text, false)
			if err != nil {
				t.Fatal(err)
			}
			// Added tokens that strip take the white space around them with them.
			if got := tokenizer.decodeRaw(ids, false); got != text && !strings.ContainsAny(text, "<[") {
				t.Errorf("%q comes back as %q", text, got)
			}
		}
	})
}

// FuzzParse: any tokenizer.json gives an error or a tokenizer, and what that does ends without a panic.
func FuzzParse(f *testing.F) {
	small := strings.Replace(model, "%s", `["a b", ["ab", "c"]]`, 1)
	for _, part := range []string{
		`"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true}, "decoder": {"type": "ByteLevel"}`,
		`"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\s+(?!\\S)|b"}, "behavior": "Removed", "invert": true}`,
		`"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Prepend", "prepend": "a"}]}`,
		`"pre_tokenizer": {"type": "Metaspace", "replacement": "a", "prepend_scheme": "first"}`,
		`"decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Strip", "content": " ", "start": 1}]}`,
		`"added_tokens": [{"id": 9, "content": "<x>", "lstrip": true, "rstrip": true, "single_word": true}]`,
		`"post_processor": {"type": "BertProcessing", "sep": ["b", 1], "cls": ["a", 0]}`,
	} {
		f.Add([]byte("{"+part+", "+small+"}"), "abcab <x> c")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tokenizer, err := Parse(data)
		if err != nil || len(text) > 100 {
			return
		}
		ids, err := tokenizer.Encode(text, true)
		if err != nil {
			return
		}
		stream := tokenizer.NewStream(false)
		for _, id := range ids {
			stream.Push(id)
		}
		stream.Flush()
		tokenizer.Decode(ids, true)
	})
}

func BenchmarkEncodeText(b *testing.B) {
	for _, name := range []string{"stories-llama", "stories-qwen2", "llama2-kind"} {
		tokenizer := parseFile(b, name)
		text := strings.Repeat("Once upon a time, there was a little rabbit named Ruby. She didn't sleep.\n", 1000)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := tokenizer.Encode(text, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncodeOneWord shows that the time grows with the length of a word, not with its square.
func BenchmarkEncodeOneWord(b *testing.B) {
	tokenizer := parseFile(b, "stories-qwen2")
	for _, length := range []int{1 << 14, 1 << 17, 1 << 20} {
		text := strings.Repeat("a", length)
		b.Run(text[:0]+map[int]string{1 << 14: "16KB", 1 << 17: "128KB", 1 << 20: "1MB"}[length], func(b *testing.B) {
			b.SetBytes(int64(length))
			for b.Loop() {
				if _, err := tokenizer.Encode(text, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	tokenizer := parseFile(t, "stories-qwen2")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				ids, err := tokenizer.Encode("Once upon a time, there was a little rabbit.", true)
				if err != nil || tokenizer.Decode(ids, true) != "Once upon a time, there was a little rabbit." {
					t.Errorf("ids %v, %v", ids, err)
				}
			}
		})
	}
	group.Wait()
}
