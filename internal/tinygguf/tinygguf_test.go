package tinygguf

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestTheSameSpecGivesTheSameBytes(t *testing.T) {
	var a, b bytes.Buffer
	if err := Write(&a, Default("tiny")); err != nil {
		t.Fatal(err)
	}
	if err := Write(&b, Default("tiny")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two files of one spec differ")
	}
}

func TestTheHeaderIsGGUFVersion3WithAllTensors(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, Default("tiny")); err != nil {
		t.Fatal(err)
	}
	head := file.Bytes()
	if string(head[:4]) != "GGUF" {
		t.Errorf("magic = %q, want GGUF", head[:4])
	}
	if version := binary.LittleEndian.Uint32(head[4:]); version != 3 {
		t.Errorf("version = %d, want 3", version)
	}
	// Embeddings, nine tensors for each of two layers, output norm, output.
	if tensors := binary.LittleEndian.Uint64(head[8:]); tensors != 1+2*9+2 {
		t.Errorf("tensors = %d, want 21", tensors)
	}
}

func TestAShapeThatCannotBeIsRefused(t *testing.T) {
	s := Default("odd")
	s.Dim = 63
	if err := Write(&bytes.Buffer{}, s); err == nil {
		t.Error("63 dimensions on 2 heads were accepted")
	}
}
