package config

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// beside makes the files that an example names and nobody may ship.
func beside(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "example"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	for name, text := range map[string]string{
		"medium.token": "token\n", "small.password": "password\n", "ca.pem": certificate, "client.pem": certificate,
		"client.key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
	} {
		write(t, dir, "secrets/"+name, text)
	}
}

func example(t *testing.T, name string) *Config {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../examples", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	beside(t, dir)
	c, err := Load(write(t, dir, name, string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryExampleIsAccepted(t *testing.T) {
	want := map[string]int{ // backends
		"llmfleet.yml": 6, "inhouse-router.yml": 1, "inhouse-engine.yml": 2, "forks.yml": 2, "secured.yml": 3,
	}
	files, err := filepath.Glob("../../examples/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			if got := len(example(t, name).Backends); got != want[name] {
				t.Errorf("%d backends, want %d", got, want[name])
			}
		})
		delete(want, name)
	}
	for name := range want {
		t.Errorf("the example %s is gone", name)
	}
}

func TestTheSmallFleetWritesOutTheDefaults(t *testing.T) {
	if got, want := example(t, "llmfleet.yml").Defaults, Default().Defaults; got != want {
		t.Errorf("defaults of the example %+v, of the exporter %+v", got, want)
	}
}

func TestAForkByExampleHasItsNameAndNoSignsOfItsOwn(t *testing.T) {
	c := example(t, "forks.yml")
	fork := engine.Find(c.Engines, "rocmfpx")
	if fork == nil || len(fork.Detect) != 0 {
		t.Fatalf("rocmfpx = %+v; with llama.cpp's signs it would claim every llama.cpp", fork)
	}
	for _, m := range fork.Map {
		if m.To == catalog.KVCacheUsage {
			t.Error("the dropped series is still mapped")
		}
	}
	ours := engine.Find(c.Engines, "our_vllm")
	if !slices.ContainsFunc(ours.Detect, func(e engine.Evidence) bool { return e.Sample == "ours:num_requests_running" }) {
		t.Errorf("signs %+v, want vLLM's under the new names", ours.Detect)
	}
}

// router is the in-house router of the example: it answers 200 whatever its replicas do.
func router(t *testing.T, status int, body string) engine.Fetch {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.RequestURI() != "/health" {
			t.Errorf("the router is asked %s %s", r.Method, r.URL)
		}
		w.Header().Set("Server", "Python/3.12 aiohttp/3.9.1")
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return func(ctx context.Context, _ engine.Port, path string) (*engine.Answer, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return &engine.Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
	}
}

func TestTheInHouseRouterTellsWhichReplicaIsOut(t *testing.T) {
	c := example(t, "inhouse-router.yml")
	page := func(a, b, more string) string {
		return `{"status": "ok", "policy": "adaptive", "replicas": [
			{"url": "http://127.0.0.1:8001", "state": "` + a + `", "inflight": 2},
			{"url": "http://127.0.0.1:8002", "state": "` + b + `", "inflight": 0}]` + more + `}`
	}
	session := engine.NewSession(engine.Options{Backend: "router", Engine: engine.Find(c.Engines, c.Backends[0].Engine), Engines: c.Engines})
	for _, step := range []struct {
		name   string
		status int
		body   string
		up     engine.Tri
		reason catalog.Reason
		want   string // healthy of the two replicas, then what else there is
	}{
		{"all up", 200, page("up", "up", ""), engine.Yes, "", "8001=1 8002=1 healthy=2 unhealthy=0"},
		{"one down", 200, page("up", "down", ""), engine.Yes, "", "8001=1 8002=0 healthy=1 unhealthy=1"},
		{"demoted", 200, page("demoted", "up", `, "failovers": 1`), engine.Yes, "", "8001=0 8002=1 healthy=1 retries=1 unhealthy=1"},
		{"back", 200, page("up", "up", `, "failovers": 1`), engine.Yes, "", "8001=1 8002=1 healthy=2 retries=1 unhealthy=0"},
		{"a word nobody knows", 200, page("up", "draining", ""), engine.Yes, "", "8001=1 healthy=1 unhealthy=0"},
		{"not JSON", 200, "<html>it works</html>", engine.No, catalog.ReasonNotMetrics, ""},
		{"bad gateway", 502, "502: Bad Gateway", engine.No, catalog.ReasonHTTP, ""},
		{"back again", 200, page("up", "up", ""), engine.Yes, "", "8001=1 8002=1 healthy=2 unhealthy=0"},
	} {
		t.Run(step.name, func(t *testing.T) {
			reading := session.Read(t.Context(), router(t, step.status, step.body))
			if reading.Up != step.up || reading.Reason != step.reason {
				t.Errorf("up %v for %q (%s), want %v for %q", reading.Up, reading.Reason, reading.Problem, step.up, step.reason)
			}
			if got := seen(reading.Points); got != step.want {
				t.Errorf("seen %q, want %q", got, step.want)
			}
		})
	}
}

// seen says in one line what a reading tells of the router's replicas.
func seen(points []catalog.Point) string {
	var out []string
	for i := range points {
		p := &points[i]
		value := "=" + string(rune('0'+int(p.Value)))
		switch p.Series {
		case catalog.RouterTargetHealthy:
			out = append(out, strings.TrimPrefix(p.Label(catalog.LabelTarget), "http://127.0.0.1:")+value)
		case catalog.RouterTargets:
			out = append(out, p.Label(catalog.LabelState)+value)
		case catalog.RouterRetries:
			out = append(out, "retries"+value)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestTheConfigurationInTheReadmeIsAccepted(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, block := range strings.Split(string(data), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		if !strings.HasPrefix(text, "backends:") {
			continue
		}
		found++
		if _, err := Parse("README.md", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	if found == 0 {
		t.Error("the README shows no configuration")
	}
}
