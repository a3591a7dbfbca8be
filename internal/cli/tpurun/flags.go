package tpurun

// This file holds the command line.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tpuir/internal/cli/flags"
	"tpuir/runtime"
)

// options are what the command line says.
type options struct {
	model, checkpoint  string
	mode               string // of --lower-to-tpu, as on the command line; top leaves lowering out
	modeGiven          bool
	sequence, maxInput int64
	chunk, group       int64
	dynamic, symmetric bool
	chip               string
	saveTemps          string
	quiet              bool
	// splitFlag and lowerFlag are flags that were given and that only the stage split or lowering takes notice of.
	splitFlag, lowerFlag string

	prompt     string
	hasPrompt  bool
	ids        []int
	idsGiven   bool
	printIDs   bool
	newTokens  int64
	logitsFile string
	ignoreEOS  bool
	chat       bool
	system     string
	stages     []runtime.Stage
	sampling   samplingFlags

	net, inputsFile, outputsFile string
	dumpAll                      bool
}

// samplingFlags are the flags of the sampler; nil leaves what generation_config.json says.
type samplingFlags struct {
	doSample                                   *bool
	temperature, topP, minP, repetitionPenalty *float32
	topK                                       *int
	seed                                       uint64
}

func (t *tool) parse(args []string) error {
	o := &t.options
	o.mode, o.sequence, o.maxInput, o.group, o.chip = "w4bf16", 512, 0, 64, "bm1684x"
	set := flags.New(toolName)
	set.Excess = "put the prompt in quotes"
	o.defineModel(set)
	o.defineText(set)
	o.defineSampling(set)
	set.Group("One net")
	set.Text(&o.inputsFile, "inputs", "evaluate one net on the tensors of this npz, named as the net's inputs")
	set.Text(&o.outputsFile, "outputs", "write the outputs to this npz")
	set.Text(&o.net, "net", "which net, where there are several")
	set.Bool(&o.dumpAll, "dump-all", "write every named tensor, not only the outputs")
	set.Group("Help")
	set.Bool(&o.quiet, "quiet", "no lines about the steps on standard error")
	set.About()
	positional, err := set.Parse(args)
	if err != nil {
		return err
	}
	if set.Answer(t.stdout, does) {
		return errDone
	}
	if len(positional) == 1 {
		o.prompt, o.hasPrompt = positional[0], true
	}
	if o.prompt == standardInput && o.model == standardInput {
		return errors.New("standard input can't be both the IR (-m -) and the prompt; give one of them as a file or in quotes")
	}
	if o.prompt == standardInput {
		if o.prompt, err = readPrompt(t.stdin); err != nil {
			return err
		}
	}
	o.modeGiven = set.Given("q")
	o.splitFlag = firstGiven(set, "-s", "--max-input-length", "--chunk-length", "--dynamic")
	o.lowerFlag = firstGiven(set, "-q", "--q-group-size", "--q-symmetric")
	o.idsGiven = set.Given("prompt-ids")
	return o.check()
}

// maxPrompt bounds a prompt on standard input, in bytes.
const maxPrompt = 16 << 20

// readPrompt reads a prompt up to the end of the input, without the end of its last line.
func readPrompt(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPrompt+1))
	if err == nil && len(text) > maxPrompt {
		err = fmt.Errorf("the prompt has more than %d bytes", maxPrompt)
	}
	return strings.TrimSuffix(string(text), "\n"), err
}

// firstGiven returns the first of some flags that is on the command line, "" where none is.
func firstGiven(set *flags.Set, names ...string) string {
	for _, name := range names {
		if set.Given(strings.TrimLeft(name, "-")) {
			return name
		}
	}
	return ""
}

func (o *options) defineModel(set *flags.Set) {
	set.Group("Model")
	set.Text(&o.model, "m", "a checkpoint's folder, an .mlir file (Top or Tpu, a whole model or nets; - for standard input), or a folder of nets; without it the built-in model runs")
	set.Text(&o.checkpoint, "checkpoint", "read tokenizer and generation settings from this folder, not from the one that the IR names")
	set.Text(&o.mode, "q", "lower to this mode: f32, f16, bf16, w8f16, w8bf16, w4f16, w4bf16; top evaluates Top IR as it is, which is the default for .mlir files")
	set.Int64(&o.group, "q-group-size", "elements that share a scale in w4 and w8")
	set.Bool(&o.symmetric, "q-symmetric", "quantize without zero points")
	set.Text(&o.chip, "c", "the chip to lower for")
	set.Int64(&o.sequence, "s", "tokens that prompt and text may have together")
	set.Int64(&o.maxInput, "max-input-length", "tokens of a prefill (default 128, at most -s)")
	set.Int64(&o.chunk, "chunk-length", "history of the shortest of further decode nets, at most half of -s")
	set.Bool(&o.dynamic, "dynamic", "prefill nets that run on shorter inputs, too")
	set.Text(&o.saveTemps, "save-temps", "leave the .mlir of every step in this folder")
}

func (o *options) defineText(set *flags.Set) {
	set.Group("Text")
	set.Int64(&o.newTokens, "n", "make at most this many tokens")
	set.Func("prompt-ids", "the prompt as token ids: 1,2,3", func(v string) error {
		o.ids = nil
		for word := range strings.SplitSeq(v, ",") {
			id, err := strconv.ParseUint(strings.TrimSpace(word), 10, 31)
			if err != nil {
				return fmt.Errorf("'%s' is no token id", word)
			}
			o.ids = append(o.ids, int(id))
		}
		return nil
	})
	set.Bool(&o.printIDs, "print-ids", "write the ids of the new tokens instead of text")
	set.Text(&o.logitsFile, "logits", "write the logits behind the prompt to this npz, and stop")
	set.Bool(&o.ignoreEOS, "ignore-eos", "go on behind tokens that end a text")
	set.Bool(&o.chat, "chat", "the prompt is a message; apply the checkpoint's chat template")
	set.Text(&o.system, "system", "the system message of a chat")
	set.Func("stages", "use only these stages: prefill,prefill_kv,decode", func(v string) error {
		o.stages = nil
		for word := range strings.SplitSeq(v, ",") {
			switch s := runtime.Stage(word); s {
			case runtime.Prefill, runtime.PrefillKV, runtime.Decode:
				o.stages = append(o.stages, s)
			default:
				return fmt.Errorf("'%s' is none of prefill, prefill_kv, decode", word)
			}
		}
		return nil
	})
}

func (o *options) defineSampling(set *flags.Set) {
	s := &o.sampling
	set.Group("Sampling (what is not given is read from generation_config.json)")
	set.Optional("do-sample", "draw tokens; =false takes the likeliest", func(v string) error {
		value, err := strconv.ParseBool(v)
		s.doSample = &value
		return err
	})
	number := func(to **float32) func(string) error {
		return func(v string) error {
			value, err := strconv.ParseFloat(v, 32)
			if err != nil || math.IsNaN(value) {
				return fmt.Errorf("'%s' is no number", v)
			}
			narrow := float32(value)
			*to = &narrow
			return nil
		}
	}
	set.Func("temperature", "divide the logits by this; 0 takes the likeliest token", number(&s.temperature))
	set.Func("top-k", "look at this many tokens; 0 is all", func(v string) error {
		value, err := strconv.Atoi(v)
		if err != nil {
			return fmt.Errorf("'%s' is no whole number", v)
		}
		s.topK = &value
		return nil
	})
	set.Func("top-p", "bound on the sum of probabilities of the tokens looked at", number(&s.topP))
	set.Func("min-p", "least probability, as a part of the likeliest token's", number(&s.minP))
	set.Func("repetition-penalty", "above 1 makes tokens so far less likely", number(&s.repetitionPenalty))
	set.Func("seed", "start of the random numbers", func(v string) (err error) {
		if s.seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			return fmt.Errorf("'%s' is no whole number from 0 to 2^64-1", v)
		}
		return nil
	})
}

// check refuses what does not go together.
func (o *options) check() error {
	if o.maxInput == 0 {
		o.maxInput = min(128, o.sequence)
	}
	switch {
	case o.newTokens < 0:
		return fmt.Errorf("-n is %d; expected at least 1, or 0 for no limit", o.newTokens)
	case o.inputsFile == "" && (o.outputsFile != "" || o.dumpAll || o.net != ""):
		return errors.New("--outputs, --net and --dump-all evaluate one net; give its inputs with --inputs")
	case o.inputsFile != "" && o.outputsFile == "":
		return errors.New("--inputs evaluates one net; say with --outputs where its outputs go")
	case o.inputsFile != "" && (o.hasPrompt || o.idsGiven):
		return errors.New("--inputs evaluates one net, which takes no prompt")
	case o.hasPrompt && o.idsGiven:
		return errors.New("give a prompt or --prompt-ids, not both")
	case o.inputsFile == "" && !o.hasPrompt && !o.idsGiven:
		return fmt.Errorf("there is no prompt; try: %s \"Once upon a time\", or '%s --help'", toolName, toolName)
	case o.chat && o.idsGiven:
		return errors.New("--chat writes the prompt's ids itself; leave out --prompt-ids")
	case o.system != "" && !o.chat:
		return errors.New("--system is the system message of --chat")
	}
	return nil
}

// does begins the help text.
const does = `tpu-run runs a model and writes text, or evaluates one net.

Usage: tpu-run [FLAGS] PROMPT      (PROMPT may be - for standard input)

  tpu-run "Once upon a time"                         the built-in model
  tpu-run -m CHECKPOINT -q bf16 "Once upon a time"   import, split, lower and run
  tpu-run -m stories.tpu.mlir "Once upon a time"     run IR as it is; a whole model is split first
  top-opt --lower-to-tpu … | tpu-run -m - "…"        run IR from standard input
  tpu-run -m NETS --checkpoint CHECKPOINT "…"        run a folder of nets
  tpu-run -m block_0.mlir --inputs in.npz --outputs out.npz

The text goes to standard output as it is made; standard error has a line for each step.
`
