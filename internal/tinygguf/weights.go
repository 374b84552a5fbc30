package tinygguf

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	const carrier = 4.0 // value of coordinate 0 of every embedding
	// After RMS normalisation coordinate 0 is about this:
	rms := math.Sqrt((carrier*carrier + float64(s.Dim-1)) / float64(s.Dim))
	normed := carrier / rms

	// Embeddings and output have a generator of their own, so that files with
	// other layer counts share them.
	shared := rand.New(rand.NewPCG(s.Seed, 1))
	emb := make([]float32, len(vocab)*s.Dim)
	out := make([]float32, len(vocab)*s.Dim)
	const sharpness = 2.5
	for t := range vocab {
		for d := 0; d < s.Dim; d++ {
			e := shared.NormFloat64()
			o := shared.NormFloat64() * sharpness / math.Sqrt(float64(s.Dim))
			if d == 0 {
				e, o = carrier, float64(vocab[t].bias)/normed
			}
			emb[t*s.Dim+d], out[t*s.Dim+d] = float32(e), float32(o)
		}
	}

	r := rand.New(rand.NewPCG(s.Seed, uint64(100+s.Layers)))
	matrix := func(in, outDim int, scale float64, zeroRow bool) []float32 {
		m := make([]float32, in*outDim)
		for i := range m {
			m[i] = float32(r.NormFloat64() * scale / math.Sqrt(float64(in)))
		}
		if zeroRow { // writes nothing to coordinate 0 of the residual stream
			clear(m[:in])
		}
		return m
	}
	ones := func() []float32 {
		o := make([]float32, s.Dim)
		for i := range o {
			o[i] = 1
		}
		return o
	}
	headDim := s.Dim / s.Heads
	kvDim := headDim * s.KVHeads
	tensors = append(tensors, tensor{"token_embd.weight", []int{s.Dim, len(vocab)}, emb})
	for l := 0; l < s.Layers; l++ {
		p := fmt.Sprintf("blk.%d.", l)
		tensors = append(tensors,
			tensor{p + "attn_norm.weight", []int{s.Dim}, ones()},
			tensor{p + "attn_q.weight", []int{s.Dim, s.Dim}, matrix(s.Dim, s.Dim, 1, false)},
			tensor{p + "attn_k.weight", []int{s.Dim, kvDim}, matrix(s.Dim, kvDim, 1, false)},
			tensor{p + "attn_v.weight", []int{s.Dim, kvDim}, matrix(s.Dim, kvDim, 1, false)},
			tensor{p + "attn_output.weight", []int{s.Dim, s.Dim}, matrix(s.Dim, s.Dim, s.Mix, true)},
			tensor{p + "ffn_norm.weight", []int{s.Dim}, ones()},
			tensor{p + "ffn_gate.weight", []int{s.Dim, s.FF}, matrix(s.Dim, s.FF, 1, false)},
			tensor{p + "ffn_up.weight", []int{s.Dim, s.FF}, matrix(s.Dim, s.FF, 1, false)},
			tensor{p + "ffn_down.weight", []int{s.FF, s.Dim}, matrix(s.FF, s.Dim, s.Mix, true)},
		)
	}
	tensors = append(tensors,
		tensor{"output_norm.weight", []int{s.Dim}, ones()},
		tensor{"output.weight", []int{s.Dim, len(vocab)}, out},
	)
	return vocab, tensors
}
