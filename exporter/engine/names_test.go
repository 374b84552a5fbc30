package engine

import "testing"

func TestSampleNamesAreFoundAtTheStartOfALineOnly(t *testing.T) {
	page := namesOf([]byte("# TYPE vllm:a gauge\nvllm:a{x=\"vllm:b \"} 1\nllamacpp:c_total 2\n\t indented 1\nvllm:a{x=\"y\"} 1\nlast 3\nnovalue"))
	for name, want := range map[string]bool{
		"vllm:a": true, "vllm:b": false, "vllm:": false, "vllm:*": true, "llamacpp:c": false, "llamacpp:c_total": true,
		"c_total": false, "indented": true, "last": true, "las*": true, "last*": true, "nothing*": false, "*": true, "zzz*": false, "novalue": false,
	} {
		if got := page.has(name); got != want {
			t.Errorf("has(%q) = %v, want %v", name, got, want)
		}
	}
	if len(page) != 4 {
		t.Errorf("names = %q, want four", page)
	}
	if namesOf(nil).has("a") || namesOf([]byte("a")).has("a") {
		t.Error("a sample was found where there is none")
	}
}
