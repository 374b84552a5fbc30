package tinygguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// GGUF metadata value types.
const (
	typUint32  = 4
	typInt32   = 5
	typFloat32 = 6
	typBool    = 7
	typString  = 8
	typArray   = 9
)

const (
	ggmlF32   = 0
	alignment = 32
)

// writer writes little-endian GGUF values and counts bytes.
type writer struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (w *writer) raw(v any) {
	if w.err == nil {
		w.err = binary.Write(w.w, binary.LittleEndian, v)
		w.n += int64(binary.Size(v))
	}
}

func (w *writer) str(s string) {
	w.raw(uint64(len(s)))
	w.raw([]byte(s))
}

func (w *writer) pad() {
	for w.n%alignment != 0 {
		w.raw(byte(0))
	}
}

func (w *writer) kv(key string, val any) {
	w.str(key)
	switch v := val.(type) {
	case uint32:
		w.raw(uint32(typUint32))
		w.raw(v)
	case float32:
		w.raw(uint32(typFloat32))
		w.raw(v)
	case bool:
		w.raw(uint32(typBool))
		w.raw(v)
	case string:
		w.raw(uint32(typString))
		w.str(v)
	case []string:
		w.raw(uint32(typArray))
		w.raw(uint32(typString))
		w.raw(uint64(len(v)))
		for _, s := range v {
			w.str(s)
		}
	case []float32:
		w.raw(uint32(typArray))
		w.raw(uint32(typFloat32))
		w.raw(uint64(len(v)))
		w.raw(v)
	case []int32:
		w.raw(uint32(typArray))
		w.raw(uint32(typInt32))
		w.raw(uint64(len(v)))
		w.raw(v)
	default:
		w.err = fmt.Errorf("no GGUF type for %T", val)
	}
}

const chatTemplate = `{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}
{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}`

// Write writes the model as GGUF, version 3. The same Spec gives the same bytes.
func Write(out io.Writer, s Spec) error {
	if err := s.check(); err != nil {
		return err
	}
	vocab, tensors := build(s)
	pairs := metadata(s, vocab)
	w := &writer{w: bufio.NewWriterSize(out, 1<<20)}
	w.raw([]byte("GGUF"))
	w.raw(uint32(3))
	w.raw(uint64(len(tensors)))
	w.raw(uint64(len(pairs)))
	for _, p := range pairs {
		w.kv(p.key, p.value)
	}
	w.tensors(tensors)
	if w.err != nil {
		return w.err
	}
	return w.w.Flush()
}

// tensors writes what describes the tensors, then their numbers, each at an aligned offset.
func (w *writer) tensors(all []tensor) {
	var offset uint64
	for _, t := range all {
		w.str(t.name)
		w.raw(uint32(len(t.dims)))
		for _, d := range t.dims {
			w.raw(uint64(d))
		}
		w.raw(uint32(ggmlF32))
		w.raw(offset)
		size := uint64(len(t.data) * 4)
		offset += (size + alignment - 1) / alignment * alignment
	}
	w.pad()
	for _, t := range all {
		w.raw(t.data)
		w.pad()
	}
}

// pair is one entry of the metadata.
type pair struct {
	key   string
	value any
}

func metadata(s Spec, vocab []piece) []pair {
	var tokens []string
	var scores []float32
	var types []int32
	for _, p := range vocab {
		tokens = append(tokens, p.text)
		scores = append(scores, p.score)
		types = append(types, p.typ)
	}
	return []pair{
		{"general.architecture", "llama"},
		{"general.name", s.Name},
		{"general.alignment", uint32(alignment)},
		{"general.file_type", uint32(0)}, // all F32
		{"llama.vocab_size", uint32(len(vocab))},
		{"llama.context_length", uint32(s.Context)},
		{"llama.embedding_length", uint32(s.Dim)},
		{"llama.block_count", uint32(s.Layers)},
		{"llama.feed_forward_length", uint32(s.FF)},
		{"llama.attention.head_count", uint32(s.Heads)},
		{"llama.attention.head_count_kv", uint32(s.KVHeads)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"llama.rope.dimension_count", uint32(s.Dim / s.Heads)},
		{"llama.rope.freq_base", float32(10000)},
		{"tokenizer.ggml.model", "llama"},
		{"tokenizer.ggml.tokens", tokens},
		{"tokenizer.ggml.scores", scores},
		{"tokenizer.ggml.token_type", types},
		{"tokenizer.ggml.unknown_token_id", uint32(0)},
		{"tokenizer.ggml.bos_token_id", uint32(1)},
		{"tokenizer.ggml.eos_token_id", uint32(2)},
		{"tokenizer.ggml.add_bos_token", true},
		{"tokenizer.ggml.add_eos_token", false},
		{"tokenizer.chat_template", chatTemplate},
	}
}
