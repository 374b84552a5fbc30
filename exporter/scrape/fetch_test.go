package scrape

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// recorder is a server that keeps every request it gets.
type recorder struct {
	*httptest.Server

	mu       sync.Mutex // guards requests
	requests []*http.Request
}

func record(t *testing.T, h http.HandlerFunc) *recorder {
	t.Helper()
	r := new(recorder)
	r.Server = httptest.NewServer(r.keeping(h))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) keeping(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.requests = append(r.requests, req)
		r.mu.Unlock()
		h(w, req)
	})
}

// asked lists the paths with queries in the order of the requests.
func (r *recorder) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var paths []string
	for _, req := range r.requests {
		paths = append(paths, req.Method+" "+req.URL.RequestURI())
	}
	return paths
}

// fetcherTo makes the fetcher of a backend at an address.
func fetcherTo(t *testing.T, b config.Backend) *fetcher {
	t.Helper()
	client, err := newClient(b, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return newFetcher(b, client, new(buffers))
}

func at(url string) config.Backend {
	return config.Backend{Name: "a", URL: url, HTTP: promconfig.DefaultHTTPClientConfig, Limits: config.Limits{BodyBytes: 1000}}
}

// get asks one path within a second or so.
func get(t *testing.T, f *fetcher, path string) (*engine.Answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	a, _, err := f.fetch(ctx, engine.Service, path, new(bytes.Buffer))
	return a, err
}

// wantFailure checks the reason and that the sentence has certain words, and no secret.
func wantFailure(t *testing.T, err error, reason catalog.Reason, words ...string) {
	t.Helper()
	var failed *engine.FetchError
	if !errors.As(err, &failed) {
		t.Fatalf("error = %v, want a FetchError with reason %s", err, reason)
	}
	if failed.Reason != reason {
		t.Errorf("reason = %s, want %s (%v)", failed.Reason, reason, err)
	}
	for _, w := range words {
		if !strings.Contains(failed.Error(), w) {
			t.Errorf("error %q does not say %q", failed.Error(), w)
		}
	}
	if strings.Contains(failed.Error(), "secret") {
		t.Errorf("error %q tells a secret", failed.Error())
	}
}

func TestPlainTextIsAskedForFirst(t *testing.T) {
	s := record(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x 1\n") })
	a, err := get(t, fetcherTo(t, at(s.URL+"/prefix")), "/metrics?model=m")
	if err != nil || string(a.Body) != "x 1\n" || a.Status != http.StatusOK {
		t.Fatalf("answer = %+v, %v", a, err)
	}
	r := s.requests[0]
	if got := r.Method + " " + r.URL.RequestURI(); got != "GET /prefix/metrics?model=m" {
		t.Errorf("asked %q", got)
	}
	if got := r.Header.Get("Accept"); !strings.HasPrefix(got, "text/plain;version=0.0.4") {
		t.Errorf("Accept = %q", got)
	}
	if got := r.Header.Get("Accept-Encoding"); got != "identity" {
		t.Errorf("Accept-Encoding = %q", got)
	}
}

func TestMetricsPortIsAskedWhereThereIsOne(t *testing.T) {
	service := record(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "service") })
	metrics := record(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "metrics") })
	b := at(service.URL)
	b.MetricsURL = metrics.URL
	f := fetcherTo(t, b)
	a, _, err := f.fetch(t.Context(), engine.MetricsPort, "/metrics", new(bytes.Buffer))
	if err != nil || string(a.Body) != "metrics" {
		t.Errorf("metrics port: %v, %v", a, err)
	}
	if a, err := get(t, f, "/health"); err != nil || string(a.Body) != "service" {
		t.Errorf("service: %v, %v", a, err)
	}
}

func TestStatusThatIsNotGoodIsAnAnswer(t *testing.T) {
	for _, status := range []int{204, 304, 401, 403, 404, 500, 501, 503} {
		s := record(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if a, err := get(t, fetcherTo(t, at(s.URL)), "/metrics"); err != nil || a.Status != status {
			t.Errorf("status %d: answer %+v, %v", status, a, err)
		}
	}
}

func TestBodyBeyondTheLimitIsAnErrorAndNoCutPage(t *testing.T) {
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 4096)); err != nil {
				return
			}
		}
	}
	var zeros bytes.Buffer // made before the request: compressing takes seconds on a slow machine
	z := gzip.NewWriter(&zeros)
	z.Write(make([]byte, 10<<20))
	z.Close()
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(zeros.Bytes())
	}
	said := func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 1001)) }
	for name, h := range map[string]http.HandlerFunc{"endless": endless, "gzip bomb": bomb, "one byte more": said} {
		t.Run(name, func(t *testing.T) {
			s := record(t, h)
			_, err := get(t, fetcherTo(t, at(s.URL)), "/metrics")
			wantFailure(t, err, catalog.ReasonTooLarge, "1000 bytes", "body_limit")
		})
	}
	s := record(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 1000)) })
	if a, err := get(t, fetcherTo(t, at(s.URL)), "/metrics"); err != nil || len(a.Body) != 1000 {
		t.Errorf("a body of exactly the limit: %v", err)
	}
}

func TestEncodingsAreUndoneOrNamed(t *testing.T) {
	zipped := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
		return b.Bytes()
	}
	whole := zipped("x 1\n")
	for name, tt := range map[string]struct {
		encoding string
		body     []byte
		reason   catalog.Reason // "": good
	}{
		"gzip":                {"gzip", whole, ""},
		"gzip in name only":   {"gzip", []byte("# TYPE x gauge\nx 1\n"), catalog.ReasonHTTP},
		"gzip with a bad sum": {"gzip", append(bytes.Clone(whole[:len(whole)-8]), 0, 0, 0, 0, 4, 0, 0, 0), catalog.ReasonHTTP},
		"gzip cut":            {"gzip", whole[:len(whole)-8], catalog.ReasonRefused},
		"nobody asked":        {"br", []byte("?"), catalog.ReasonHTTP},
	} {
		t.Run(name, func(t *testing.T) {
			s := record(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", tt.encoding)
				w.Write(tt.body)
			})
			a, err := get(t, fetcherTo(t, at(s.URL)), "/metrics")
			if tt.reason != "" {
				wantFailure(t, err, tt.reason)
			} else if err != nil || string(a.Body) != "x 1\n" {
				t.Errorf("answer = %v, %v", a, err)
			}
		})
	}
}

// speak is a server that says exactly a text to each connection and closes it.
func speak(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() { l.Close(); open.Wait() })
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.SetDeadline(time.Now().Add(5 * time.Second))
			io.ReadAtLeast(c, make([]byte, 1024), 16)
			io.WriteString(c, text)
			c.Close()
		}
	})
	return "http://" + l.Addr().String()
}

func TestBrokenAnswersHaveTheirReason(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, tt := range map[string]struct {
		url    string
		reason catalog.Reason
		words  []string
	}{
		"nobody listens":          {"http://" + closed.Addr().String(), catalog.ReasonRefused, []string{"connection refused", "is the server running"}},
		"no such host":            {"http://nobody.invalid", catalog.ReasonDNS, []string{"is the host name right"}},
		"closed at once":          {speak(t, ""), catalog.ReasonRefused, []string{"closed before the answer was complete"}},
		"shorter than it says":    {speak(t, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nx 1\n"), catalog.ReasonRefused, []string{"closed before"}},
		"longer than the limit":   {speak(t, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nx 1\n"), catalog.ReasonTooLarge, nil},
		"not HTTP":                {speak(t, "+OK ready\r\n"), catalog.ReasonHTTP, []string{"not HTTP"}},
		"TLS alert":               {speak(t, "\x15\x03\x01\x00\x02\x02\x46"), catalog.ReasonTLS, []string{"write https://127.0.0.1"}},
		"too many 1xx":            {speak(t, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: "+strings.Repeat("x", 60000)+"\r\n\r\n", 200)), catalog.ReasonHTTP, nil},
		"plain HTTP to a TLS one": {speak(t, "HTTP/1.1 400 Bad Request\r\n\r\nThe plain HTTP request was sent to HTTPS port"), catalog.ReasonTLS, []string{"write https://"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := get(t, fetcherTo(t, at(tt.url)), "/metrics?key=secret")
			wantFailure(t, err, tt.reason, tt.words...)
		})
	}
}

// TestAPlainServerThatWaitsIsNotJustSlow speaks TLS to a server that reads on and says nothing, as
// llama-server does; one that has shaken hands and then is slow gets no such advice.
func TestAPlainServerThatWaitsIsNotJustSlow(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close() // connections wait in its queue: nobody accepts them
	slow := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	for name, tt := range map[string]struct {
		url    string
		advice bool
	}{
		"plain": {"https://" + plain.Addr().String(), true},
		"slow":  {slow.URL, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			f := fetcherTo(t, at(tt.url))
			f.client = slow.Client()
			_, _, err := f.fetch(ctx, engine.Service, "/metrics", new(bytes.Buffer))
			wantFailure(t, err, catalog.ReasonTimeout)
			want := "does it speak https? try http://" + strings.TrimPrefix(tt.url, "https://")
			if got := strings.Contains(err.Error(), want); got != tt.advice {
				t.Errorf("error %v, advice %v, want %v", err, got, tt.advice)
			}
		})
	}
}

func TestInformationalAnswersAreSkipped(t *testing.T) {
	url := speak(t, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nx 1\n")
	if a, err := get(t, fetcherTo(t, at(url)), "/metrics"); err != nil || string(a.Body) != "x 1\n" {
		t.Errorf("answer = %v, %v", a, err)
	}
}

func TestSlowDripIsBoundedByTheDeadline(t *testing.T) {
	s := record(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := io.WriteString(w, "x"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := fetcherTo(t, at(s.URL)).fetch(ctx, engine.Service, "/metrics", new(bytes.Buffer))
	wantFailure(t, err, catalog.ReasonTimeout)
}

func TestRedirectsAreFollowedOnlyWhereTheyAreSafe(t *testing.T) {
	elsewhere := record(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x 1\n") })
	for name, tt := range map[string]struct {
		ask, to string
		words   string // "": followed
	}{
		"slash at the end":  {"/metrics", "/metrics/", ""},
		"prefix":            {"/metrics", "/api/metrics", ""},
		"with its query":    {"/metrics?model=m&autoload=false", "/metrics/?model=m&autoload=false", ""},
		"query lost":        {"/metrics?model=m&autoload=false", "/metrics/?model=m", "another page"},
		"login page":        {"/metrics", "/login", "another page"},
		"something else":    {"/metrics", "/unload", "another page"},
		"another server":    {"/metrics", elsewhere.URL + "/metrics", "another server"},
		"no address":        {"/metrics", "", "without a usable address"},
		"itself":            {"/metrics", "/metrics", "itself"},
		"round and round":   {"/metrics", "/x/metrics/again", "another page"},
		"ever further down": {"/metrics", "+", "more than 3 redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			first := true
			s := record(t, func(w http.ResponseWriter, r *http.Request) {
				if first || tt.to == "+" {
					first = false
					to := tt.to
					if to == "+" {
						to = "/x" + r.URL.Path
					}
					if to != "" {
						w.Header().Set("Location", to)
					}
					w.WriteHeader(http.StatusTemporaryRedirect)
					return
				}
				io.WriteString(w, "x 41\n")
			})
			b := at(s.URL)
			b.HTTP.Authorization = &promconfig.Authorization{Type: "Bearer", Credentials: "secret"}
			a, err := get(t, fetcherTo(t, b), tt.ask)
			if tt.words != "" {
				wantFailure(t, err, catalog.ReasonHTTP, tt.words)
				return
			}
			if err != nil || string(a.Body) != "x 41\n" {
				t.Fatalf("answer = %v, %v", a, err)
			}
			if got := s.requests[1].Header.Get("Authorization"); got != "Bearer secret" {
				t.Errorf("the second request has Authorization %q", got)
			}
		})
	}
	if got := elsewhere.asked(); len(got) != 0 {
		t.Errorf("the other server was asked: %v", got)
	}
}

func TestFinalPathIsRememberedUntilItIsGone(t *testing.T) {
	gone := false
	s := record(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/metrics":
			http.Redirect(w, r, "/metrics/", http.StatusTemporaryRedirect)
		case gone:
			http.NotFound(w, r)
		default:
			io.WriteString(w, "x 1\n")
		}
	})
	f := fetcherTo(t, at(s.URL))
	for range 2 {
		get(t, f, "/metrics")
	}
	gone = true
	for range 2 {
		get(t, f, "/metrics")
	}
	want := "[GET /metrics GET /metrics/ GET /metrics/ GET /metrics/ GET /metrics GET /metrics/]"
	if got := fmt.Sprint(s.asked()); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestC43TokenIsReadAgainWhenItsFileChanges(t *testing.T) {
	s := record(t, func(http.ResponseWriter, *http.Request) {})
	file := filepath.Join(t.TempDir(), "token")
	b := at(s.URL)
	b.HTTP.Authorization = &promconfig.Authorization{Type: "Bearer", CredentialsFile: file}
	f := fetcherTo(t, b)

	_, err := get(t, f, "/metrics")
	wantFailure(t, err, catalog.ReasonAuth, "credentials file")
	for _, token := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, f, "/metrics"); err != nil {
			t.Fatal(err)
		}
		if got := s.requests[len(s.requests)-1].Header.Get("Authorization"); got != "Bearer "+token {
			t.Errorf("Authorization = %q, want the token %q", got, token)
		}
	}
}
