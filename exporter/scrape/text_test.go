package scrape

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

func TestEndlessTextsOfAServerAreCut(t *testing.T) {
	endless := strings.Repeat("é", 1<<20)
	reading := up()
	reading.Version, reading.Problem, reading.Models = endless, endless, []string{endless}
	for i := range 100_000 {
		reading.Models = append(reading.Models, fmt.Sprint("m", i))
	}
	b := backend("a", time.Minute)
	b.Expect = config.Expect{Models: []string{"m99999", "m1", "gone"}}
	s := scripted(t, b, reading).Scrape(t.Context())
	if len(s.Version) != 256 || len(s.Problem) != 1000 || len(s.Models) != 501 || len(s.Models[0]) != 256 {
		t.Errorf("version %d, problem %d, models %d, first %d bytes", len(s.Version), len(s.Problem), len(s.Models), len(s.Models[0]))
	}
	for model, there := range map[string]float64{"m99999": 1, "m1": 1, "gone": 0} {
		expect(t, s, there, catalog.ExpectedModelServed, model)
	}
	for _, p := range s.Points {
		for _, l := range p.Labels {
			if len(l) > 256 {
				t.Errorf("%s has a label of %d bytes", p.Series.Name, len(l))
			}
		}
	}
}

func TestCredentialsThatAServerSendsBackAreNotShown(t *testing.T) {
	for text, want := range map[string]string{
		`malformed header: "Authorization  Basic dTpoaWRkZW4="`:      `malformed header: "Authorization  Basic <secret>"`,
		`another page, "/Authorization:BearereyJhbGciOi.J9-_x.y"`:    `another page, "/Authorization:Bearer <secret>"`,
		`give this backend the key (authorization.credentials_file)`: `give this backend the key (authorization.credentials_file)`,
	} {
		reading := up()
		reading.Problem = text
		if s := scripted(t, backend("a", time.Minute), reading).Scrape(t.Context()); s.Problem != want {
			t.Errorf("problem = %s, want %s", s.Problem, want)
		}
	}
}

func TestSecretThatAServerSendsBackIsNotShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("hunter2-and-more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"in place of a status line": "hunter2-and-more\r\n\r\n",
		"as the version of HTTP":    "HTTP/hunter2-and-more 200 OK\r\n\r\n",
		"as a status":               "HTTP/1.1 hunter2-and-more\r\n\r\n",
		"as a header":               "HTTP/1.1 200 OK\r\nhunter2-and-more\r\n\r\n",
		"as a length":               "HTTP/1.1 200 OK\r\nContent-Length: hunter2-and-more\r\n\r\n",
		"as an encoding":            "HTTP/1.1 200 OK\r\nTransfer-Encoding: hunter2-and-more\r\n\r\n",
		"as a content encoding":     "HTTP/1.1 200 OK\r\nContent-Encoding: hunter2-and-more\r\nContent-Length: 0\r\n\r\n",
		"as the place to go":        "HTTP/1.1 302 Found\r\nLocation: /hunter2-and-more\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			b := at(speak(t, text))
			b.Limits.Timeout = 10 * time.Second
			b.HTTP.Authorization = &promconfig.Authorization{Type: "Bearer", CredentialsFile: file}
			f := New(Options{NewSession: newPlainSession, Engines: []*engine.Engine{plain}})
			defer f.Close()
			if err := f.Load(&config.Config{Backends: []config.Backend{b}}); err != nil {
				t.Fatal(err)
			}
			s := f.Target("a").Scrape(t.Context())
			if s.Up != engine.No || s.Problem == "" || strings.Contains(s.Problem, "hunter2") {
				t.Errorf("up %v, problem %q", s.Up, s.Problem)
			}
		})
	}
}

func TestEndlessContentTypeIsCut(t *testing.T) {
	odd := func(r *http.Request) (*http.Response, error) {
		resp := answer(r, "page")
		resp.Header.Set("Content-Type", "text/"+strings.Repeat("q", 1<<20))
		return resp, nil
	}
	s := fleetOf(t, roundTripper(odd), backend("a", time.Minute)).Target("a").Scrape(t.Context())
	if len(s.Notes) != 1 || len(s.Notes[0]) > 500 {
		t.Errorf("%d notes", len(s.Notes))
	}
}

func TestPageThatMayBeCutIsNotRead(t *testing.T) {
	const status = "HTTP/1.1 200 OK\r\n"
	for name, tt := range map[string]struct {
		text string
		good bool
	}{
		"cut in a number":          {status + "\r\nx 12", false},
		"cut behind a line":        {status + "\r\nx 12\n", true},
		"length stated":            {status + "Content-Length: 5\r\n\r\nx 12\n", true},
		"stated too small":         {status + "Content-Length: 3\r\n\r\nx 12\n", false},
		"end stated":               {status + "Transfer-Encoding: chunked\r\n\r\n4\r\nx 12\r\n0\r\n\r\n", true},
		"a page within JSON":       {status + "\r\n\"x 12\\n\"", true},
		"cut in a comment":         {status + "\r\n# HELP x of", false},
		"cut, not in UTF-8":        {status + "\r\nx{a=\"\xff\"} 1\nx 12", false},
		"numbers in UTF-16":        {status + "\r\n\xff\xfex\x00 \x001\x00\n\x00x\x00 \x002\x00", true},
		"a comment in UTF-16":      {status + "\r\n#\x00 \x00x\x00\n\x00", true},
		"binary":                   {status + "\r\n\x1f\x8b\x08\x00\n\x01\x02", true},
		"a sentence":               {status + "\r\nstart it with --metrics", true},
		"a web page":               {status + "\r\n<html>", true},
		"not a page but told whys": {"HTTP/1.1 501 No\r\n\r\nstart it with --metrics", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := at(speak(t, tt.text))
			target := &Target{shared: &shared{now: time.Now}, backend: b, fetcher: fetcherTo(t, b), paths: pathsOf(plain)}
			a := &asker{target: target, round: &round{}}
			_, err := a.fetch(t.Context(), engine.Service, "/metrics")
			if tt.good != (err == nil) {
				t.Fatalf("error = %v", err)
			}
			if err != nil {
				wantFailure(t, err, catalog.ReasonRefused, "middle of a line")
			}
			if len(a.round.log.pending) != 0 {
				t.Error("it is still said to be waited for")
			}
		})
	}
}
