package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestHostIsReadInAnySpellingOfAddresses(t *testing.T) {
	c, err := Parse("llmfleet.yml", []byte(`
host:
  expected_gpus: 2
  ignore: 13:00.0
  names:
    "03:00.0": card 0
    "00000000:0B:00.0": card 1
backends:
  - name: a
    url: http://127.0.0.1:8000
    process: llama-server
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"0000:03:00.0": "card 0", "0000:0b:00.0": "card 1"}
	if c.Host.ExpectedGPUs != 2 || !slices.Equal(c.Host.Ignore, []string{"0000:13:00.0"}) || !maps.Equal(c.Host.Names, want) || c.Backends[0].Process != "llama-server" {
		t.Errorf("host = %+v, process %q", c.Host, c.Backends[0].Process)
	}
	again, err := Parse("again.yml", c.Redacted())
	if err != nil {
		t.Fatalf("the configuration in force does not read back: %v\n%s", err, c)
	}
	if again.String() != c.String() || !strings.Contains(c.String(), "0000:0b:00.0: card 1") {
		t.Errorf("the configuration in force:\n%s\nreads back as\n%s", c, again)
	}
}
