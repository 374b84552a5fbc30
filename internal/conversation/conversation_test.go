package conversation

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheTokenOfAFileIsSentAndEveryAnswerIsKept(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer open-sesame":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			w.Write([]byte(`{"data":[{"id":"m"}]}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	c, backend, err := Target{URL: server.URL, BearerTokenFile: write(t, "token", "open-sesame\n")}.Config()
	if err != nil {
		t.Fatal(err)
	}
	talk, err := Open(c, backend, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	for round := range 2 { // what is asked again is kept again, and nothing of the round before
		r, err := talk.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		models := 0
		for _, e := range r.Exchanges {
			if e.Path == "/v1/models" {
				models++
				if e.Answer.Status != http.StatusOK || string(e.Answer.Body) != `{"data":[{"id":"m"}]}` || e.Port != engine.Service {
					t.Errorf("round %d: %+v", round, e)
				}
			}
		}
		if models != 1 || r.State.EngineName != "openai" || r.Reading.Engine.Name != "openai" {
			t.Errorf("round %d: %d answers of /v1/models, recognised %q", round, models, r.State.EngineName)
		}
	}
}

func TestAMistakeInATargetSaysWhatToWrite(t *testing.T) {
	two := write(t, "two.yml", "backends:\n  - {name: a, url: \"http://127.0.0.1:1\"}\n  - {name: b, url: \"http://127.0.0.1:2\"}\n  - {name: c, unscraped: it is a secret}\n")
	for name, tt := range map[string]struct {
		target Target
		want   string
	}{
		"nobody":                   {Target{}, "pass the address of a server"},
		"no scheme":                {Target{URL: "host:8080"}, `URL "host:8080" has no scheme; write http://host:8080`},
		"a password":               {Target{URL: "http://ann:hunter2@host"}, "URL carries a user or a password"},
		"a token that is no file":  {Target{URL: "http://host", BearerTokenFile: "/nowhere"}, `--bearer-token-file "/nowhere" does not exist`},
		"metrics that are no URL":  {Target{URL: "http://host", MetricsURL: "x"}, `--metrics-url "x" has no scheme`},
		"address and backend":      {Target{URL: "http://host", Backend: "a"}, "not both"},
		"one of several":           {Target{ConfigFile: two}, "has a, b, c"},
		"flags beside the backend": {Target{ConfigFile: two, Backend: "a", MetricsURL: "http://host"}, "go with an address"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := tt.target.Config()
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	for backend, want := range map[string]string{"d": `backend "d" is not in the configuration; it has a, b, c`, "c": `backend "c" is never asked: it is a secret`} {
		c, name, err := Target{ConfigFile: two, Backend: backend}.Config()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(c, name, Options{}); err == nil || err.Error() != want {
			t.Errorf("open %q = %v, want %q", backend, err, want)
		}
	}
}
