package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// few are two of the built-in engines, so that texts which list the known ones stay short.
func few(t *testing.T) []*engine.Engine {
	t.Helper()
	var out []*engine.Engine
	for _, name := range []string{"llamacpp", "vllm"} {
		e := engine.Find(engine.BuiltIn(), name)
		if e == nil {
			t.Fatalf("engine %s is not built in", name)
		}
		out = append(out, e)
	}
	return out
}

func TestEveryMistakeIsToldInOneSentence(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	left := make(map[string]bool)
	for name := range mistakeTexts {
		left[name] = true
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		delete(left, name)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := parse(few(t), name+".yml", data)
			if err == nil {
				t.Fatalf("accepted as\n%s", c)
			}
			if got, want := err.Error(), mistakeTexts[name]; got != want {
				t.Errorf("the author reads\n%s\nwant\n%s", got, want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the secret is in the text: %v", err)
			}
		})
	}
	for name := range left {
		t.Errorf("mistakeTexts has %s, testdata/mistakes has not", name)
	}
}

func TestAllMistakesOfAFileComeAtOnceInTheOrderOfItsLines(t *testing.T) {
	_, err := parse(few(t), "llmfleet.yml", []byte(`
engines:
  - name: vllm
    endpoints: [{path: /unload, format: status}]
backends:
  - name: a
    url: http://127.0.0.1:8000
  - name: a
    url: 127.0.0.1:8001
    tiemout: 5s
defaults:
  timeout: 5
`))
	want := strings.Join([]string{
		`llmfleet.yml:3: engines[0].name "vllm" is a built-in engine; give yours another name, and write like: vllm to extend it`,
		`llmfleet.yml:4: engines[0].endpoints[0].path "/unload" is never asked: it unloads every model of llama-swap`,
		`llmfleet.yml:8: backends[1].name "a" is there already, in backends[0]; give each its own name`,
		`llmfleet.yml:9: backends[1].url "127.0.0.1:8001" has no scheme; write http://127.0.0.1:8001`,
		`llmfleet.yml:10: backends[1].tiemout is not a key here; did you mean timeout?`,
		`llmfleet.yml:12: defaults.timeout "5" has no unit; write 5s for seconds`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("Parse = %v\nwant\n%s", err, want)
	}
	var m document.Mistake
	if !errors.As(err, &m) || m.Line != 3 || m.Key != "engines[0].name" {
		t.Errorf("the first mistake is %+v, want the one of line 3", m)
	}
}

func TestAWrongOwnMappingIsKnownToTheBackendsThatNameIt(t *testing.T) {
	_, err := parse(few(t), "a.yml", []byte("backends: [{name: a, url: 'http://a:1', engine: mine}]\nengines: [{name: mine}]\n"))
	if err == nil || strings.Contains(err.Error(), "is not a known engine") || !strings.Contains(err.Error(), "has no endpoints") {
		t.Errorf("Parse = %v, want the engine's mistake only", err)
	}
}

func TestAFileThatIsNoConfigurationIsCutShort(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString("k" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/182) + ": 1\n")
	}
	_, err := parse(few(t), "a.yml", []byte(b.String()))
	if err == nil {
		t.Fatal("accepted")
	}
	const shown = 50
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != shown+1 || !strings.HasPrefix(lines[shown], "and ") {
		t.Errorf("%d lines, the last is %q; want %d and one that counts the rest", len(lines), lines[len(lines)-1], shown)
	}
}

func TestAliasesCannotUnfoldWithoutEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString("backends:\n  - {name: first, unscraped: x, expect: {models: &m [m0")
	for i := range 999 {
		fmt.Fprintf(&b, ",m%d", i+1)
	}
	b.WriteString("]}}\n")
	for i := range document.MaxValues / 1000 {
		fmt.Fprintf(&b, "  - {name: b%d, unscraped: x, expect: {models: *m}}\n", i)
	}
	_, err := parse(few(t), "a.yml", []byte(b.String()))
	if err == nil || !strings.Contains(err.Error(), "is past the 200000 values that a file may hold") {
		t.Errorf("Parse = %.200v, want the bound of values", err)
	}
}
