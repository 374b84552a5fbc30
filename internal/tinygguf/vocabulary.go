package tinygguf

import (
	"fmt"
	"sort"
	"strings"
)

// Token types of tokenizer.ggml.token_type.
const (
	tokNormal  = 1
	tokUnknown = 2
	tokControl = 3
	tokByte    = 6
)

const words = `the of and to in is it you that he was for on are with as his
they be at one have this from or had by hot but some what there we can out
other were all your when up use word how said an each she which do their time
if will way about many then them would write like so these her long make thing
see him two has look more day could go come did my sound no most number who
over know water than call first people may down side been now find`

type piece struct {
	text  string
	score float32
	typ   int32
	bias  float32 // wished logit offset
}

// vocabulary returns special tokens, the 256 byte tokens, single characters
// and a few hundred words with the prefixes that SentencePiece merging needs.
func vocabulary(eosBias float32) []piece {
	const (
		never = -40
		word  = 0
		punct = -1
	)
	v := []piece{
		{"<unk>", 0, tokUnknown, never},
		{"<s>", 0, tokControl, never},
		{"</s>", 0, tokControl, eosBias},
	}
	for i := 0; i < 256; i++ {
		v = append(v, piece{fmt.Sprintf("<0x%02X>", i), 0, tokByte, never})
	}
	seen := map[string]bool{}
	add := func(s string, score, bias float32) {
		if !seen[s] {
			seen[s] = true
			v = append(v, piece{s, score, tokNormal, bias})
		}
	}
	all := strings.Fields(words)
	for _, w := range all {
		add("▁"+w, -float32(len(seen)+1), word)
	}
	var prefixes []string
	for _, w := range all {
		for n := 1; n < len(w); n++ {
			prefixes = append(prefixes, "▁"+w[:n])
		}
	}
	sort.SliceStable(prefixes, func(i, j int) bool { return len(prefixes[i]) < len(prefixes[j]) })
	for _, p := range prefixes {
		add(p, -float32(len(seen)+1), never)
	}
	for _, c := range ".,?!" {
		add(string(c), -float32(len(seen)+1), punct)
	}
	chars := "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:;'\"()[]{}<>/\\|@#$%^&*-_=+~`"
	for _, c := range chars {
		add(string(c), -float32(len(seen)+1), never)
	}
	return v
}
