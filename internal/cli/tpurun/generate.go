package tpurun

// This file makes text: prompt to ids, ids through the stages, ids to text.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tpuir/importer/hf"
	"tpuir/internal/embeddingfile"
	"tpuir/runtime"
	"tpuir/runtime/chat"
	"tpuir/runtime/evaluator"
	"tpuir/runtime/sample"
	"tpuir/runtime/tokenizer"
	"tpuir/transforms/nets"
	"tpuir/weight"
	"tpuir/weight/float16"
)

func (t *tool) generate(ctx context.Context, m *model) error {
	if t.checkpoint != "" {
		m.folder, m.checkpoint = t.checkpoint, os.DirFS(t.checkpoint)
		if _, err := os.Stat(t.checkpoint); err != nil {
			return err
		}
	}
	settings, err := t.settings(m)
	if err != nil {
		return err
	}
	session, err := t.newSession(m)
	if err != nil {
		return err
	}
	var words *tokenizer.Tokenizer
	if t.hasPrompt || !t.printIDs && t.logitsFile == "" {
		if m.checkpoint == nil {
			return errors.New("text needs a tokenizer, and the IR names no module.checkpoint; give --checkpoint, or --prompt-ids and --print-ids")
		}
		if words, err = tokenizer.Load(m.checkpoint); err != nil {
			return fmt.Errorf("%s: %w", m.folder, err)
		}
	}
	prompt := t.ids
	if t.hasPrompt {
		if prompt, err = t.encode(ctx, m, words); err != nil {
			return err
		}
	}
	if len(prompt) == 0 {
		return errors.New("the prompt has no tokens")
	}
	if t.logitsFile != "" {
		return t.logits(ctx, session, prompt)
	}
	return t.write(ctx, session, words, prompt, settings)
}

// settings reads how the checkpoint wants its text made, and what the flags change of it.
func (t *tool) settings(m *model) (sample.Generation, error) {
	g := sample.Generation{Options: sample.Defaults()}
	if m.checkpoint != nil {
		var err error
		if g, err = sample.LoadGeneration(m.checkpoint); err != nil {
			return g, fmt.Errorf("%s: %w", m.folder, err)
		}
	}
	t.sampling.apply(&g.Options)
	return g, g.Validate()
}

// apply changes what the flags say. A flag that only sampling takes notice of asks for sampling.
func (s *samplingFlags) apply(o *sample.Options) {
	set := func(to *float32, from *float32) {
		if from != nil {
			*to = *from
			o.DoSample = true
		}
	}
	set(&o.Temperature, s.temperature)
	set(&o.TopP, s.topP)
	set(&o.MinP, s.minP)
	set(&o.RepetitionPenalty, s.repetitionPenalty)
	if s.topK != nil {
		o.TopK = *s.topK
		o.DoSample = true
	}
	if s.doSample != nil {
		o.DoSample = *s.doSample
	}
	o.Seed = s.seed
}

// wantsSampling reports whether text will be drawn, so that the import makes the heads for it.
func (t *tool) wantsSampling(checkpoint fs.FS) bool {
	if t.logitsFile != "" {
		return true
	}
	settings, err := t.settings(&model{checkpoint: checkpoint})
	return err == nil && settings.DoSample // an error comes up again where the settings are used
}

func (t *tool) encode(ctx context.Context, m *model, words *tokenizer.Tokenizer) ([]int, error) {
	if !t.chat {
		return words.Encode(t.prompt, true)
	}
	template, err := chat.Load(m.checkpoint)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.folder, err)
	}
	var messages []chat.Message
	if t.system != "" {
		messages = append(messages, chat.Message{Role: "system", Content: t.system})
	}
	messages = append(messages, chat.Message{Role: "user", Content: t.prompt})
	text, err := template.Render(ctx, messages, chat.Options{AddGenerationPrompt: true, Now: time.Now()})
	if err != nil {
		return nil, err
	}
	return words.Encode(text, false) // a template writes special tokens itself
}

// newSession puts the nets on the evaluating device.
func (t *tool) newSession(m *model) (*runtime.Session, error) {
	device, err := evaluator.New(m.nets)
	if err != nil {
		return nil, err
	}
	o := runtime.Options{Stages: t.stages}
	if !hasEmbedding(device) {
		if o.Embedding, err = t.embeddingTable(m, device); err != nil {
			return nil, err
		}
	}
	loaded, err := runtime.Load(device, o)
	if err != nil {
		return nil, err
	}
	return loaded.NewSession()
}

func hasEmbedding(device runtime.Device) bool {
	for _, name := range device.Nets() {
		if name == nets.EmbeddingName || name == nets.EmbeddingCacheName {
			return true
		}
	}
	return false
}

// embeddingTable finds the table that stands for the missing embedding nets: embedding.bin beside the nets, or the
// checkpoint's.
func (t *tool) embeddingTable(m *model, device *evaluator.Device) (runtime.Embedding, error) {
	for _, folder := range []string{m.embedding, filepath.Join(m.embedding, "config")} {
		path := filepath.Join(folder, embeddingfile.Name)
		if m.embedding == "" || !exists(path) {
			continue
		}
		format := float16.BFloat16
		if embeddingfile.DType(m.nets[0].Module) == weight.Float16 {
			format = float16.Float16
		}
		hidden, err := hiddenSize(device)
		if err != nil {
			return nil, err
		}
		file, err := embeddingfile.Open(path, format, hidden)
		if err == nil {
			t.closers = append(t.closers, file.Close)
		}
		return file, err
	}
	if m.folder == "" {
		return nil, errors.New("there is no net embedding, and no embedding.bin or checkpoint to read its table from; give --checkpoint")
	}
	checkpoint, err := hf.Open(m.folder)
	if err != nil {
		return nil, err
	}
	t.closers = append(t.closers, checkpoint.Close)
	table, err := embeddingfile.Table(checkpoint)
	return tableRows{table}, err
}

func hiddenSize(device *evaluator.Device) (int, error) {
	for _, name := range device.Nets() {
		d, err := device.Describe(name)
		if err != nil {
			return 0, err
		}
		if len(d.Inputs) > 1 && len(d.Inputs[0].Shape) == 3 {
			return int(d.Inputs[0].Shape[2]), nil
		}
	}
	return 0, errors.New("there is no net of a layer")
}

// tableRows gives the rows of a checkpoint's table.
type tableRows struct{ table weight.Tensor }

func (r tableRows) Row(_ context.Context, token int, dst []float32) error {
	if rows := r.table.Shape()[0]; token < 0 || int64(token) >= rows {
		return fmt.Errorf("the embedding has %d rows", rows)
	}
	return r.table.ReadFloat32s(dst, int64(token)*int64(len(dst)))
}

// logits writes the logits behind the prompt.
func (t *tool) logits(ctx context.Context, session *runtime.Session, prompt []int) error {
	if err := session.Prompt(ctx, prompt); err != nil {
		return err
	}
	values, err := session.Logits(ctx)
	if err != nil {
		return err
	}
	t.report(session)
	stored, err := weight.FromFloat32s("logits", []int64{1, int64(len(values))}, values)
	if err != nil {
		return err
	}
	return writeTensors(ctx, t.logitsFile, map[string]weight.Tensor{"logits": stored})
}

// write makes the text and writes it as it comes.
func (t *tool) write(ctx context.Context, session *runtime.Session, words *tokenizer.Tokenizer, prompt []int, settings sample.Generation) error {
	g := runtime.Generation{MaxNewTokens: int(t.newTokens)}
	if g.MaxNewTokens == 0 {
		g.MaxNewTokens = settings.MaxNewTokens
	}
	if !t.ignoreEOS {
		g.Stop = settings.Stops
	}
	if settings.DoSample {
		sampler, err := sample.New(settings.Options)
		if err != nil {
			return err
		}
		g.Sampler = sampler
	}
	out := t.output(words, g.Stop)
	g.Emit = out.token
	made, reason, err := session.Generate(ctx, prompt, g)
	if len(made) > 0 {
		if endErr := out.end(); err == nil {
			err = endErr
		}
	}
	if err != nil {
		return err
	}
	t.report(session)
	if reason == runtime.Full {
		fmt.Fprintf(t.stderr, "%s: the text was cut off: prompt and text have %d tokens, which is the sequence length of the nets\n",
			toolName, session.Length())
	}
	return nil
}

// report writes the lines of the stages.
func (t *tool) report(session *runtime.Session) {
	if t.quiet {
		return
	}
	stats := session.Stats()
	for _, which := range []runtime.Stage{runtime.Prefill, runtime.PrefillKV, runtime.Decode} {
		s, ok := stats.Stages[which]
		if !ok {
			continue
		}
		elapsed := s.Time
		if which == runtime.Decode {
			elapsed += stats.Head // a token comes of both
		}
		fmt.Fprintf(t.stderr, "%-10s  %d tokens, %d runs of %d nets, %.3f s, %.1f tokens/s\n", which, s.Tokens, s.Runs, s.Nets/s.Runs,
			elapsed.Seconds(), float64(s.Tokens)/max(elapsed.Seconds(), 1e-9))
	}
}
