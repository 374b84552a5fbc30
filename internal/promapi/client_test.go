package promapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/llmfleet/llmfleet/internal/promapi"
)

func TestTheClientReadsWhatTheHandlerWrites(t *testing.T) {
	c, err := promapi.NewClient(fleet(t)+"/", http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := c.Query(t.Context(), `llm_router_target_healthy`)
	if err != nil || len(samples) != 2 {
		t.Fatalf("%v, %v; want the two workers", samples, err)
	}
	values := map[string]float64{}
	for _, s := range samples {
		values[s.Labels.Get("target")] = s.Value
	}
	if values["http://127.0.0.1:19301"] != 1 || values["http://127.0.0.1:19302"] != 0 {
		t.Errorf("workers = %v, want the second out", values)
	}
	var rules promapi.Rules
	if err := c.Get(t.Context(), "rules", &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" || r.LastEvaluation.IsZero() || (r.Type == promapi.Alerting) != (r.AlertState != nil) {
				t.Errorf("%s: %+v", g.Name, r)
			}
			if r.Name == "LlmSpeculationOff" && r.KeepFiringFor != 900 {
				t.Errorf("LlmSpeculationOff is kept %g s, want 900", r.KeepFiringFor)
			}
		}
	}
	if c.Asked() != 2 {
		t.Errorf("asked %d times, want 2", c.Asked())
	}
}

func TestAnAnswerThatIsNoneSaysWhatItIs(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"a page for people":    {200, "<!doctype html>\n<title>Log in</title>", "not that of Prometheus' API: <!doctype html>"},
		"another kind of JSON": {200, `{"models":[]}`, `not that of Prometheus' API`},
		"nothing":              {200, "", "not that of Prometheus' API"},
		"a refusal":            {401, "Unauthorized\n", "answered 401: Unauthorized"},
		"an error":             {422, `{"status":"error","errorType":"execution","error":"many-to-many"}`, "answered 422: many-to-many"},
		"a scalar":             {200, `{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}`, "data"},
		"a steered terminal":   {500, "oops\x1b[31m red\x07\nmore", "answered 500: oops\uFFFD[31m red\uFFFD"},
		"steered by an error":  {422, `{"status":"error","error":"oops\u001b[31m red\u009b\nmore"}`, "answered 422: oops\uFFFD[31m red\uFFFD"},
		"steered by a page":    {200, "<p>\x1b]0;title\x07", "API: <p>\uFFFD]0;title\uFFFD"},
		"steered by a type":    {200, `{"status":"success","data":{"resultType":"a\u001bb","result":[{"metric":{}}]}}`, `a "a\x1bb", not a vector`},
		"no number":            {200, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"x"]}]}}`, `value "x"`},
		"no value":             {200, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{}}]}}`, "not a vector"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer server.Close()
			c, err := promapi.NewClient(server.URL, http.DefaultClient)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Query(t.Context(), "up")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want it to say %q", err, tt.want)
			} else if strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("error %q holds what steers a terminal", err)
			}
		})
	}
}

func TestAnAnswerWithoutEndIsCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := []byte(strings.Repeat(" ", 1<<20))
		for r.Context().Err() == nil {
			if _, err := w.Write(page); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	c, err := promapi.NewClient(server.URL, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query(t.Context(), "up"); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("error %v", err)
	}
}

func TestASilentServerCostsOnlyTheDeadline(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then does the server see that the asker has gone
		<-r.Context().Done()
	}))
	defer server.Close()
	c, err := promapi.NewClient(server.URL, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Query(ctx, "up"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline", err)
	}
}

func TestAnAddressThatIsNoneIsRefusedWithWhatToWrite(t *testing.T) {
	const like = "write it like http://host:port"
	for address, want := range map[string]string{
		"": like, "http://": like, "ftp://x": like, "http://:9090": like,
		"localhost:9090": "write http://localhost:9090", "127.0.0.1:9090/prometheus": "write http://127.0.0.1:9090/prometheus",
		"ann:secret@host:9090": "the address is none; " + like, "ftp://ann:secret@host": "the address is none; " + like,
	} {
		if _, err := promapi.NewClient(address, http.DefaultClient); err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("NewClient(%q): %v, want %q", address, err, want)
		}
	}
}

// The question is posted, and a redirection that is not 307 or 308 drops what it says.
func TestARedirectedQuestionSaysWhichAddressToPass(t *testing.T) {
	server := httptest.NewServer(nil)
	defer server.Close()
	mux := http.NewServeMux()
	server.Config.Handler = mux
	for path, to := range map[string]struct {
		where  string
		status int
	}{
		"/moved/api/v1/query": {"/prometheus/api/v1/query", http.StatusMovedPermanently},
		"/found/api/v1/query": {"/prometheus/api/v1/query", http.StatusFound},
		"/other/api/v1/query": {"/prometheus/api/v1/query", http.StatusSeeOther},
		"/login/api/v1/query": {"/sso?state=secret", http.StatusFound},
		"/kept/api/v1/query":  {"/prometheus/api/v1/query", http.StatusPermanentRedirect},
		"/short/api/v1/query": {"/prometheus/api/v1/query", http.StatusTemporaryRedirect},
		"/loop/api/v1/query":  {"/loop/api/v1/query", http.StatusPermanentRedirect},
		"/wrong/api/v1/query": {"/nowhere/api/v1/query", http.StatusPermanentRedirect},
	} {
		mux.Handle(path, http.RedirectHandler(to.where, to.status))
	}
	mux.HandleFunc("POST /prometheus/api/v1/query", func(w http.ResponseWriter, r *http.Request) {
		if r.PostFormValue("query") != "up" {
			w.WriteHeader(http.StatusBadRequest)
		}
		io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
	})
	for path, want := range map[string]string{ // "": it is answered
		"/moved": `redirected to "` + server.URL + `/prometheus"; pass that address`,
		"/found": `redirected to "` + server.URL + `/prometheus"; pass that address`,
		"/other": `redirected to "` + server.URL + `/prometheus"; pass that address`,
		"/login": `redirected to "` + server.URL + `/sso", which is no Prometheus`,
		"/kept":  "",
		"/short": "",
		"/loop":  "stopped after 10 redirections",
		"/wrong": server.URL + "/nowhere/api/v1/query: answered 404",
	} {
		c, err := promapi.NewClient(server.URL+path, http.DefaultClient)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Query(t.Context(), "up")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}
