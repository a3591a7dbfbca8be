package badinput

// This file holds the table and runs it.

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/examples/stories"
	"tpuir/internal/cli/topopt"
	"tpuir/internal/cli/tpurun"
	"tpuir/internal/cli/tputranslate"
	"tpuir/internal/smalldisk"
)

// tools are the commands.
var tools = map[string]func(context.Context, []string, io.Reader, io.Writer, io.Writer) int{
	"top-opt": topopt.Main, "tpu-run": tpurun.Main, "tpu-translate": tputranslate.Main,
}

// badInput is one row: how the input is made, what is run on it, and what it says.
type badInput struct {
	name    string
	prepare func(c checkpoint)
	command string
	want    string // all of standard error, but for the lines of steps that went well
}

const importModel = "tpu-translate --import-hf model -o out.mlir"

const someTensor = "model.layers.2.mlp.up_proj.weight"

func TestBadInput(t *testing.T) {
	for _, b := range slices.Concat(badCheckpoints(), badConfigs(), badIR()) {
		t.Run(b.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			c := checkpoint{t}
			c.fatal(os.CopyFS("model", stories.Files()))
			b.prepare(c)
			b.run(t)
		})
	}
}

// run runs the command in the working folder, and checks what it says and leaves.
func (b badInput) run(t *testing.T) {
	t.Helper()
	before := listing(t)
	status, stdout, stderr := execute(t, b.command)
	after := listing(t)
	left := "nothing new"
	if diff := cmp.Diff(before, after); diff != "" {
		left = diff
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
	t.Logf("| %s | `%s` | `%s` | %d | %s |", b.name, b.command, strings.ReplaceAll(stderr, "\n", "⏎"), status, left)
	if status != 1 {
		t.Errorf("exit status %d; want 1", status)
	}
	if stdout != "" {
		t.Errorf("standard output: %q; want nothing", stdout)
	}
	if diff := cmp.Diff(b.want, stderr); diff != "" {
		t.Errorf("standard error (-want +got):\n%s", diff)
	}
}

// stepLine is what tpu-run says of a step that went well.
var stepLine = regexp.MustCompile(`^(import|read|split|lower|prefill|prefill_kv|decode) +.* (s|tokens/s)\n$`)

// execute runs a command and returns standard error without the lines of steps.
func execute(t *testing.T, command string) (status int, stdout, stderr string) {
	t.Helper()
	words := strings.Fields(command)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "␣", " ") // a space inside an argument
	}
	var out, messages bytes.Buffer
	status = tools[words[0]](t.Context(), words[1:], strings.NewReader(""), &out, &messages)
	var kept []string
	for line := range strings.Lines(messages.String()) {
		if !stepLine.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return status, out.String(), strings.Join(kept, "")
}

// must runs a command that has to go well.
func (c checkpoint) must(command string) {
	c.t.Helper()
	if status, _, stderr := execute(c.t, command); status != 0 {
		c.t.Fatalf("%s: exit status %d\n%s", command, status, stderr)
	}
}

// listing lists all files with their sizes.
func listing(t *testing.T) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		all[path] = info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func badCheckpoints() []badInput {
	return []badInput{
		{"safetensors of 5 bytes", func(c checkpoint) { c.write(weights, []byte("short")) }, importModel,
			"tpu-translate: model/model.safetensors: 5 bytes are too few for a safetensors file\n"},
		{"header longer than the file", func(c checkpoint) {
			c.write(weights, []byte("\xff\xff\xff\x7f\x00\x00\x00\x00{}"))
		}, importModel,
			"tpu-translate: model/model.safetensors: not a safetensors file: a header of 2147483647 bytes is more than the format allows\n"},
		{"header of an absurd length", func(c checkpoint) {
			c.write(weights, []byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
		}, importModel,
			"tpu-translate: model/model.safetensors: not a safetensors file: a header of 18446744073709551615 bytes is more than the format allows\n"},
		{"header is no JSON", func(c checkpoint) { c.write(weights, withLength([]byte("{not JSON"))) }, importModel,
			"tpu-translate: model/model.safetensors: safetensors header: invalid character 'n'\n"},
		{"data cut off", func(c checkpoint) {
			file := c.read(weights)
			c.write(weights, file[:len(file)-100])
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.norm.weight": data_offsets [1837056 1837312] reach beyond the 1837212 bytes of data in the file` + "\n"},
		{"offsets outside the file", func(c checkpoint) {
			c.header(func(e map[string]*entry) {
				e[someTensor].Offsets[0] += 1 << 40
				e[someTensor].Offsets[1] += 1 << 40
			})
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": data_offsets [1099512874240 1099512972544] reach beyond the 1837312 bytes of data in the file` + "\n"},
		{"offsets backwards", func(c checkpoint) {
			c.header(func(e map[string]*entry) { slices.Reverse(e[someTensor].Offsets) })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": data_offsets [1344768 1246464] are not a start and an end` + "\n"},
		{"overlapping tensors", func(c checkpoint) {
			c.header(func(e map[string]*entry) {
				e[someTensor].Offsets = slices.Clone(e["model.layers.1.mlp.up_proj.weight"].Offsets)
			})
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": data_offsets [852736 951040] overlap those of "model.layers.1.mlp.up_proj.weight", [852736 951040]` + "\n"},
		{"wrong size for the dtype", func(c checkpoint) {
			c.header(func(e map[string]*entry) { e[someTensor].DType = "F32" })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": type F32 and shape [384 128] need 196608 bytes, the data has 98304` + "\n"},
		{"unknown dtype", func(c checkpoint) {
			c.header(func(e map[string]*entry) { e[someTensor].DType = "F24" })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": unsupported type "F24"` + "\n"},
		{"negative shape", func(c checkpoint) {
			c.header(func(e map[string]*entry) { e[someTensor].Shape = []int64{-384, -128} })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": type BF16 and shape [-384 -128] have no size` + "\n"},
		{"missing tensor", func(c checkpoint) {
			c.header(func(e map[string]*entry) {
				e["model.layers.2.mlp.up.weight"] = e[someTensor]
				delete(e, someTensor)
			})
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": the tensor is missing; model_type llama needs it with shape [384 128]` + "\n"},
		{"extra tensor", func(c checkpoint) {
			c.header(func(e map[string]*entry) {
				last := int64(0)
				for _, other := range e {
					last = max(last, other.Offsets[1])
				}
				e["model.layers.4.input_layernorm.weight"] = &entry{"BF16", []int64{0}, []int64{last, last}}
			})
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.4.input_layernorm.weight": model_type llama has no use for this tensor` + "\n"},
		{"shape against the config", func(c checkpoint) {
			c.header(func(e map[string]*entry) { e[someTensor].Shape = []int64{128, 384} })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": the shape is [128 384]; by config.json it has to be [384 128]` + "\n"},
		{"weights of integers", func(c checkpoint) {
			c.header(func(e map[string]*entry) { e[someTensor].DType = "I16" })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": the elements are I16; expected floating-point numbers` + "\n"},
		{"NaN weight", func(c checkpoint) {
			c.data(someTensor, func(raw []byte) { raw[2000], raw[2001] = 0xc0, 0x7f })
		}, importModel,
			`tpu-translate: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": element 39943 is not a number (NaN)` + "\n"},
		{"NaN weight, run", func(c checkpoint) {
			c.data(someTensor, func(raw []byte) { raw[2000], raw[2001] = 0xc0, 0x7f })
		}, "tpu-run -m model Once",
			`tpu-run: model/model.safetensors: tensor "model.layers.2.mlp.up_proj.weight": element 39943 is not a number (NaN)` + "\n"},
		{"missing shard", func(c checkpoint) {
			c.fatal(os.Rename("model/"+weights, "model/a.safetensors"))
			c.write("model.safetensors.index.json", []byte(`{"weight_map": {"`+someTensor+`": "b.safetensors"}}`))
		}, importModel,
			`tpu-translate: model/model.safetensors.index.json: tensor "model.layers.2.mlp.up_proj.weight": its file "b.safetensors" is missing` + "\n"},
		{"shard outside of the folder", func(c checkpoint) {
			c.fatal(os.Rename("model/"+weights, "outside.safetensors"))
			c.write("model.safetensors.index.json", []byte(`{"weight_map": {"`+someTensor+`": "../outside.safetensors"}}`))
		}, importModel,
			`tpu-translate: model/model.safetensors.index.json: tensor "model.layers.2.mlp.up_proj.weight": the file "../outside.safetensors" would lie outside the checkpoint's folder` + "\n"},
		{"no weights", func(c checkpoint) { c.fatal(os.Remove("model/" + weights)) }, importModel,
			"tpu-translate: model: no weights: neither model.safetensors nor model.safetensors.index.json\n"},
		{"no checkpoint", func(checkpoint) {}, "tpu-translate --import-hf absent -o out.mlir",
			"tpu-translate: stat absent: no such file or directory\n"},
	}
}

func badConfigs() []badInput {
	config := func(name string, changes map[string]any, want string) badInput {
		return badInput{name, func(c checkpoint) { c.config(changes) }, importModel, want}
	}
	return []badInput{
		{"config.json is no JSON", func(c checkpoint) { c.write("config.json", []byte("{\n  \"model_type\": llama\n}\n")) }, importModel,
			"tpu-translate: model/config.json: 2:17: not valid JSON: invalid character 'l' looking for beginning of value\n"},
		{"config.json is missing", func(c checkpoint) { c.fatal(os.Remove("model/config.json")) }, importModel,
			"tpu-translate: model/config.json: no such file or directory\n"},
		config("unknown model_type", map[string]any{"model_type": "mamba"},
			`tpu-translate: model/config.json: model_type "mamba" is not known; known are llama, qwen2, qwen3`+"\n"),
		config("unsupported activation", map[string]any{"hidden_act": "gelu"},
			`tpu-translate: model/config.json: hidden_act "gelu" is not supported; known is silu`+"\n"),
		config("unsupported rope", map[string]any{"rope_scaling": map[string]any{"rope_type": "longrope", "factor": 2}},
			`tpu-translate: model/config.json: rope_type "longrope" is not supported; known are default, linear, dynamic, llama3, yarn`+"\n"),
		config("rope without its factor", map[string]any{"rope_scaling": map[string]any{"rope_type": "linear"}},
			`tpu-translate: model/config.json: rope_type "linear": factor is 0; expected a number from 0.001 to 1000000`+"\n"),
		config("sliding window", map[string]any{"use_sliding_window": true, "sliding_window": 8},
			"tpu-translate: model/config.json: use_sliding_window: attention to a window of 8 is not supported\n"),
		config("hidden size against the tensors", map[string]any{"hidden_size": 256},
			`tpu-translate: model/model.safetensors: tensor "model.embed_tokens.weight": the shape is [1024 128]; by config.json it has to be [1024 256]`+"\n"),
		config("more layers than there are", map[string]any{"num_hidden_layers": 5},
			`tpu-translate: model/model.safetensors: tensor "model.layers.4.input_layernorm.weight": the tensor is missing; model_type llama needs it with shape [128]`+"\n"),
		config("fewer layers than there are", map[string]any{"num_hidden_layers": 3},
			`tpu-translate: model/model.safetensors: tensor "model.layers.3.input_layernorm.weight": model_type llama has no use for this tensor`+"\n"),
		config("absurd number of layers", map[string]any{"num_hidden_layers": 1 << 40},
			"tpu-translate: model/config.json: num_hidden_layers is 1099511627776; expected a number from 1 to 4096\n"),
		config("negative size", map[string]any{"intermediate_size": -384},
			"tpu-translate: model/config.json: intermediate_size is -384; expected a number from 1 to 268435456\n"),
		config("heads that do not divide", map[string]any{"num_key_value_heads": 3},
			"tpu-translate: model/config.json: num_attention_heads 4 is no multiple of num_key_value_heads 3\n"),
		config("a word for a number", map[string]any{"hidden_size": "128"},
			"tpu-translate: model/config.json: hidden_size is a JSON string; expected a whole number\n"),
	}
}

func badIR() []badInput {
	imported := func(c checkpoint) { c.must("tpu-translate --import-hf model -o m.mlir") }
	split := func(c checkpoint) {
		imported(c)
		c.must("top-opt --split-stages=seq-length=64 m.mlir -o split.mlir")
	}
	wrongByte := func(c checkpoint) {
		c.must("tpu-translate --import-hf model --weights=npz -o m.mlir")
		file, err := os.ReadFile("m_top_weights.npz")
		c.fatal(err)
		file[bytes.Index(file, []byte("model.embed_tokens.weight.npy"))+300] ^= 1
		c.fatal(os.WriteFile("m_top_weights.npz", file, 0o666))
	}
	return []badInput{
		{"npz without the named tensor", func(c checkpoint) {
			c.must("tpu-translate --import-hf model --weights=npz -o m.mlir")
			text, err := os.ReadFile("m.mlir")
			c.fatal(err)
			c.fatal(os.WriteFile("m.mlir", bytes.ReplaceAll(text, []byte("layers.2.mlp.up_proj.weight"), []byte("layers.2.mlp.up.weight")), 0o666))
		}, "tpu-run -m m.mlir Once",
			"m.mlir:131:11: error: net block_2: 'top.Weight' op failed to find tensor model.layers.2.mlp.up.weight to read: m_top_weights.npz: tensor \"model.layers.2.mlp.up.weight\": no such tensor among the 41 here\n    %34 = \"top.Weight\"() : () -> tensor<128x384xf32> loc(#loc90)\n          ^\n"},
		{"npz without the named tensor, lowered", func(c checkpoint) {
			c.must("tpu-translate --import-hf model --weights=npz -o m.mlir")
			text, err := os.ReadFile("m.mlir")
			c.fatal(err)
			c.fatal(os.WriteFile("m.mlir", bytes.ReplaceAll(text, []byte("layers.2.mlp.up_proj.weight"), []byte("layers.2.mlp.up.weight")), 0o666))
		}, "top-opt --lower-to-tpu m.mlir -o out.mlir",
			"m.mlir:132:11: error: 'top.Weight' op failed to find tensor model.layers.2.mlp.up.weight to read: m_top_weights.npz: tensor \"model.layers.2.mlp.up.weight\": no such tensor among the 41 here\n    %35 = \"top.MatMul\"(%30, %34, %0) {do_relu = false, dq_type = \"NONE\", hdim_is_batch = false, is_lora = false, keep_dims = true, left_transpose = false, output_transpose = false, q_group_size = 0 : i64, relu_limit = -1.000000e+00 : f64, right_transpose = false} : (tensor<?x?x128xf32>, tensor<128x384xf32>, none) -> tensor<?x?x384xf32> loc(#loc91)\n          ^\nm.mlir:132:11: note: see current operation: %52 = \"top.Weight\"() : () -> tensor<384x2xbf16>\n"},
		{"npz cut off", func(c checkpoint) {
			c.must("tpu-translate --import-hf model --weights=npz -o m.mlir")
			c.fatal(os.Truncate("m_top_weights.npz", 100000))
		}, "tpu-run -m m.mlir Once",
			"m.mlir:6:10: error: net embedding: 'top.Weight' op failed to find tensor model.embed_tokens.weight to read: m_top_weights.npz: not a zip archive, or cut short: it has no end record\n    %2 = \"top.Weight\"() : () -> tensor<1024x128xf32> loc(#loc2)\n         ^\n"},
		{"npz with a wrong byte", wrongByte, "tpu-run -m m.mlir Once",
			"m.mlir:6:10: error: net embedding: 'top.Weight' op failed to read its weight: m_top_weights.npz: tensor \"model.embed_tokens.weight\": checksum is d580a5ba, the directory says 288dffa8\n    %2 = \"top.Weight\"() : () -> tensor<1024x128xf32> loc(#loc2)\n         ^\n"},
		{"npz with a wrong byte, lowered", wrongByte, "top-opt --lower-to-tpu m.mlir -o out.mlir",
			"m.mlir:7:10: error: 'top.Weight' op failed to read its weight: m_top_weights.npz: tensor \"model.embed_tokens.weight\": checksum is d580a5ba, the directory says 288dffa8\n    %3 = \"top.Gather\"(%2, %1) {axis = 0 : si32, is_lora = false, is_scalar = false, keepdims = true} : (tensor<1024x128xf32>, tensor<?x?xf32>) -> tensor<?x?x128xf32> loc(#loc3)\n         ^\nm.mlir:7:10: note: see current operation: %2 = \"top.Weight\"() : () -> tensor<1024x128xbf16>\n"},
		{"npz with a wrong byte, written as nets", func(c checkpoint) {
			wrongByte(c)
			c.must("top-opt --split-stages=seq-length=64 m.mlir -o split.mlir")
		}, "tpu-translate --split-nets split.mlir -o nets",
			"split.mlir:16:12: error: weights of embedding: 'top.Weight' op failed to read its weight: m_top_weights.npz: tensor \"model.embed_tokens.weight\": checksum is d580a5ba, the directory says 288dffa8\n      %2 = \"top.Weight\"() : () -> tensor<1024x128xf32> loc(#loc2)\n           ^\n"},
		{"missing weight file", func(c checkpoint) {
			c.must("tpu-translate --import-hf model --weights=npz -o m.mlir")
			c.fatal(os.Remove("m_top_weights.npz"))
		}, "tpu-run -m m.mlir Once",
			"m.mlir:6:10: error: net embedding: 'top.Weight' op failed to find tensor model.embed_tokens.weight to read: weight file 'm_top_weights.npz' doesn't exist (looked in .)\n    %2 = \"top.Weight\"() : () -> tensor<1024x128xf32> loc(#loc2)\n         ^\n"},
		{"missing weight file, lowered", func(c checkpoint) {
			c.must("tpu-translate --import-hf model --weights=npz -o m.mlir")
			c.fatal(os.Remove("m_top_weights.npz"))
		}, "top-opt --lower-to-tpu m.mlir -o out.mlir",
			"m.mlir:193:10: error: 'top.Weight' op failed to find tensor lm_head.weight to read: weight file 'm_top_weights.npz' doesn't exist (looked in .)\n    %3 = \"top.MatMul\"(%2, %1, %0) {do_relu = false, dq_type = \"NONE\", hdim_is_batch = false, is_lora = false, keep_dims = true, left_transpose = false, output_transpose = false, q_group_size = 0 : i64, relu_limit = -1.000000e+00 : f64, right_transpose = true} : (tensor<1024x128xf32>, tensor<?x128xf32>, none) -> tensor<1024x?xf32> loc(#loc125)\n         ^\nm.mlir:193:10: note: see current operation: %3 = \"top.Weight\"() : () -> tensor<1024x128xbf16>\n"},
		{"missing weight file, written as nets", func(c checkpoint) {
			split(c)
			c.fatal(os.RemoveAll("model"))
		}, "tpu-translate --split-nets split.mlir -o nets",
			"split.mlir:16:12: error: weights of embedding: 'top.Weight' op failed to find tensor model.embed_tokens.weight to read: weight file 'model' doesn't exist (looked in .)\n      %2 = \"top.Weight\"() : () -> tensor<1024x128xf32> loc(#loc2)\n           ^\n"},
		{"sequence length beyond the model's", imported, "top-opt --split-stages=seq-length=1024 m.mlir -o out.mlir",
			"m.mlir:2:1: error: --split-stages: seq-length is 1024, but the model is made for 512 positions\nmodule @model attributes {module.checkpoint = \"model\", module.chip = \"ALL\", module.platform = \"LLM\", module.state = \"TOP_F32\", module.top_run_mode = \"STATIC\", module.weight_file = \"model\"} {\n^\n"},
		{"sequence length beyond the model's, run", func(checkpoint) {}, "tpu-run -m model -s 1024 Once",
			"tpu-run: --split-stages: seq-length is 1024, but the model is made for 512 positions\n"},
		{"sequence length of 0", imported, "top-opt --split-stages=seq-length=0 m.mlir -o out.mlir",
			"m.mlir:2:1: error: --split-stages: seq-length is 0; expected 1 to 16777216\nmodule @model attributes {module.checkpoint = \"model\", module.chip = \"ALL\", module.platform = \"LLM\", module.state = \"TOP_F32\", module.top_run_mode = \"STATIC\", module.weight_file = \"model\"} {\n^\n"},
		{"chunk longer than half the sequence", imported, `top-opt --split-stages=seq-length=64␣chunk-length=48 m.mlir -o out.mlir`,
			"m.mlir:2:1: error: --split-stages: chunk-length is 48; expected 0 to 32\nmodule @model attributes {module.checkpoint = \"model\", module.chip = \"ALL\", module.platform = \"LLM\", module.state = \"TOP_F32\", module.top_run_mode = \"STATIC\", module.weight_file = \"model\"} {\n^\n"},
		{"input longer than the sequence", imported, `top-opt --split-stages=seq-length=64␣max-input-length=65 m.mlir -o out.mlir`,
			"m.mlir:2:1: error: --split-stages: max-input-length is 65; expected 1 to 64\nmodule @model attributes {module.checkpoint = \"model\", module.chip = \"ALL\", module.platform = \"LLM\", module.state = \"TOP_F32\", module.top_run_mode = \"STATIC\", module.weight_file = \"model\"} {\n^\n"},
		{"prompt longer than the sequence", func(checkpoint) {}, "tpu-run -m model -s 4 --prompt-ids 1,2,3,4,5 --print-ids",
			"tpu-run: the sequence length is reached: the text would have 5 tokens, and the nets are made for 4\n"},
		{"token outside of the vocabulary", func(checkpoint) {}, "tpu-run -m model --prompt-ids 1,5000 --print-ids",
			`tpu-run: loc("embedding"): net embedding: 'tpu.Gather' op has index 5000, which a dimension of 1024 lacks` + "\n"},
		{"no tokenizer", func(c checkpoint) { c.fatal(os.Remove("model/tokenizer.json")) }, "tpu-run -m model Once",
			"tpu-run: model: tokenizer.json: no such file or directory\n"},
		{"broken IR", func(c checkpoint) {
			c.fatal(os.WriteFile("m.mlir", []byte("module {\n  %0 = \"top.None\"() : () -> non\n}\n"), 0o666))
		}, "tpu-run -m m.mlir Once",
			"m.mlir:2:28: error: expected non-function type\n  %0 = \"top.None\"() : () -> non\n                           ^\n"},
		{"a whole model where nets are wanted", imported, "tpu-translate --split-nets m.mlir -o nets",
			"m.mlir:3:3: error: 'func.func' op stands where a net is expected: a module of modules can be written as nets; run --split-stages first\n  func.func @embedding(%arg0: tensor<?x?xsi32> loc(unknown)) -> tensor<?x?x128xf32> {\n  ^\n"},
		{"locations lost", func(c checkpoint) {
			imported(c)
			c.must("top-opt m.mlir --mlir-print-debuginfo=false -o m.mlir")
		}, "top-opt --lower-to-tpu m.mlir -o out.mlir",
			"m.mlir:192:10: error: 'top.Weight' op has no name location, by which a weight is found in its file; was the text printed without --mlir-print-debuginfo?\n    %3 = \"top.MatMul\"(%2, %1, %0) {do_relu = false, dq_type = \"NONE\", hdim_is_batch = false, is_lora = false, keep_dims = true, left_transpose = false, output_transpose = false, q_group_size = 0 : i64, relu_limit = -1.000000e+00 : f64, right_transpose = true} : (tensor<1024x128xf32>, tensor<?x128xf32>, none) -> tensor<1024x?xf32>\n         ^\nm.mlir:192:10: note: see current operation: %3 = \"top.Weight\"() : () -> tensor<1024x128xbf16>\n"},
		{"weights beside a device", func(checkpoint) {}, "tpu-translate --import-hf model --weights=npz -o /dev/null",
			"tpu-translate: --weights=npz writes the weights beside the output; give it a name with -o\n"},
		{"full device of lowered weights", imported, "top-opt --lower-to-tpu=weight-file=/dev/full m.mlir -o out.mlir",
			"error: /dev/full: no space left on device\n"},
		{"full device of logits", func(checkpoint) {}, "tpu-run -m model --prompt-ids 1,2 --logits /dev/full",
			"tpu-run: /dev/full: no space left on device\n"},
		{"disk full of weights", func(c checkpoint) { smalldisk.Mount(c.t, "disk", "1m") },
			"tpu-translate --import-hf model --weights=npz -o disk/out.mlir",
			"tpu-translate: disk/out_top_weights.npz: no space left on device\n"},
		{"disk full of lowered weights", func(c checkpoint) {
			imported(c)
			smalldisk.Mount(c.t, "disk", "256k")
		}, "top-opt --lower-to-tpu m.mlir -o disk/out.mlir",
			"error: disk/out_weights.npz: no space left on device\n"},
		{"disk full of nets", func(c checkpoint) {
			split(c)
			smalldisk.Mount(c.t, "disk", "1m")
		}, "tpu-translate --split-nets split.mlir -o disk/nets",
			"tpu-translate: weights of lm_head: disk/nets/lm_head_top_weights.npz: no space left on device\n"},
		{"disk full of logits", func(c checkpoint) { smalldisk.Mount(c.t, "disk", "4k") },
			"tpu-run -m model --prompt-ids 1,2 --logits disk/logits.npz",
			"tpu-run: disk/logits.npz: no space left on device\n"},
		{"full disk", imported, "top-opt --split-stages=seq-length=64 m.mlir -o /dev/full",
			"top-opt: write /dev/full: no space left on device\n"},
		{"full disk, import", func(checkpoint) {}, "tpu-translate --import-hf model -o /dev/full",
			"tpu-translate: write /dev/full: no space left on device\n"},
	}
}
