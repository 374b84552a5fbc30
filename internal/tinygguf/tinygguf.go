// Package tinygguf writes a small GGUF file of the llama architecture with seeded random
// weights and a vocabulary in the style of SentencePiece, so that tests can run a real
// llama-server (llama.cpp, ik_llama.cpp) without a downloaded model.
//
// The text that such a model produces means nothing, but it is readable: one coordinate of the
// residual stream is held constant through every layer, and the output matrix uses it as a
// bias that favors whole words and suppresses control, byte and fragment tokens. So generation
// does not stop by itself: a request ends at its token limit (or, with Spec.EOS, now and then
// at the end-of-sequence token).
//
// Two files of the same Seed and Dim share embeddings and output matrix, whatever their layers.
// A file with fewer layers thus works as a draft model for speculative decoding: it agrees with
// the larger one often, not always (Mix sets how much the layers matter).
package tinygguf

import "fmt"

// Spec is the shape of a model. Start from Default or Small.
type Spec struct {
	Name    string // general.name
	Seed    uint64 // of the weights
	Layers  int
	Dim     int // embedding length
	Heads   int
	KVHeads int
	FF      int     // feed-forward length
	Context int     // context length that the model claims to be trained for
	Mix     float64 // how strongly the layers change the residual stream
	EOS     bool    // let the text end by itself now and then
}

// Default is a file of 0.7 MB that answers as fast as a server can.
func Default(name string) Spec {
	return Spec{Name: name, Seed: 1, Layers: 2, Dim: 64, Heads: 2, KVHeads: 2, FF: 192, Context: 4096, Mix: 0.25}
}

// Small is a file of 28 MB whose requests last long enough to be seen by a scrape.
func Small(name string) Spec {
	s := Default(name)
	s.Layers, s.Dim, s.Heads, s.KVHeads, s.FF = 8, 256, 4, 4, 768
	return s
}

func (s Spec) check() error {
	if s.Layers < 1 || s.Heads < 1 || s.KVHeads < 1 || s.Dim%s.Heads != 0 || s.Heads%s.KVHeads != 0 || s.Dim/s.Heads%2 != 0 {
		return fmt.Errorf("tinygguf: %q: %d dimensions must be divisible by %d heads into an even head size, and heads by %d key/value heads",
			s.Name, s.Dim, s.Heads, s.KVHeads)
	}
	return nil
}
