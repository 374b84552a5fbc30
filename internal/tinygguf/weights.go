package tinygguf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

type tensor struct {
	name string
	dims []int // ne[0] first, as GGUF wants it
	data []float32
}

// build makes vocabulary and weights of a model.
func build(s Spec) (vocab []piece, tensors []tensor) {
	eosBias := float32(-40)
	if s.EOS {
		eosBias = -2
	}
	vocab = vocabulary(eosBias)
	embeddings, output := s.ends(vocab)
	tensors = append(tensors, tensor{"token_embd.weight", []int{s.Dim, len(vocab)}, embeddings})
	r := rand.New(rand.NewPCG(s.Seed, uint64(100+s.Layers)))
	for l := range s.Layers {
		tensors = append(tensors, s.layer(r, fmt.Sprintf("blk.%d.", l))...)
	}
	return vocab, append(tensors,
		tensor{"output_norm.weight", []int{s.Dim}, ones(s.Dim)},
		tensor{"output.weight", []int{s.Dim, len(vocab)}, output},
	)
}

// ends makes the embeddings and the output matrix. Their generator is their own, so that files
// with other layer counts share them.
func (s Spec) ends(vocab []piece) (embeddings, output []float32) {
	const (
		carrier   = 4.0 // value of coordinate 0 of every embedding
		sharpness = 2.5
	)
	// After RMS normalisation coordinate 0 is about this:
	normed := carrier / math.Sqrt((carrier*carrier+float64(s.Dim-1))/float64(s.Dim))
	r := rand.New(rand.NewPCG(s.Seed, 1))
	embeddings, output = make([]float32, len(vocab)*s.Dim), make([]float32, len(vocab)*s.Dim)
	for t := range vocab {
		for d := range s.Dim {
			e := r.NormFloat64()
			o := r.NormFloat64() * sharpness / math.Sqrt(float64(s.Dim))
			if d == 0 {
				e, o = carrier, float64(vocab[t].bias)/normed
			}
			embeddings[t*s.Dim+d], output[t*s.Dim+d] = float32(e), float32(o)
		}
	}
	return embeddings, output
}

// layer makes the weights of one layer. What it adds to the residual stream leaves coordinate 0
// alone.
func (s Spec) layer(r *rand.Rand, name string) []tensor {
	kvDim := s.Dim / s.Heads * s.KVHeads
	matrix := func(in, out int) []float32 { return random(r, in, out, 1) }
	adding := func(in, out int) []float32 {
		m := random(r, in, out, s.Mix)
		clear(m[:in])
		return m
	}
	return []tensor{
		{name + "attn_norm.weight", []int{s.Dim}, ones(s.Dim)},
		{name + "attn_q.weight", []int{s.Dim, s.Dim}, matrix(s.Dim, s.Dim)},
		{name + "attn_k.weight", []int{s.Dim, kvDim}, matrix(s.Dim, kvDim)},
		{name + "attn_v.weight", []int{s.Dim, kvDim}, matrix(s.Dim, kvDim)},
		{name + "attn_output.weight", []int{s.Dim, s.Dim}, adding(s.Dim, s.Dim)},
		{name + "ffn_norm.weight", []int{s.Dim}, ones(s.Dim)},
		{name + "ffn_gate.weight", []int{s.Dim, s.FF}, matrix(s.Dim, s.FF)},
		{name + "ffn_up.weight", []int{s.Dim, s.FF}, matrix(s.Dim, s.FF)},
		{name + "ffn_down.weight", []int{s.FF, s.Dim}, adding(s.FF, s.Dim)},
	}
}

func random(r *rand.Rand, in, out int, scale float64) []float32 {
	m := make([]float32, in*out)
	for i := range m {
		m[i] = float32(r.NormFloat64() * scale / math.Sqrt(float64(in)))
	}
	return m
}

func ones(n int) []float32 { return slices.Repeat([]float32{1}, n) }
