package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

// withSecrets is a configuration as no file can make it: with the secrets themselves.
func withSecrets() *Config {
	c := Default()
	c.Backends = []Backend{
		{Name: "a", URL: "https://a:1", HTTP: promconfig.HTTPClientConfig{
			Authorization: &promconfig.Authorization{Type: "Bearer", Credentials: "hunter2"},
			TLSConfig:     promconfig.TLSConfig{Key: "hunter2"},
			BearerToken:   "hunter2",
		}},
		{Name: "b", URL: "http://b:1", HTTP: promconfig.HTTPClientConfig{
			BasicAuth: &promconfig.BasicAuth{Username: "me", Password: "hunter2"},
		}},
	}
	return c
}

func TestNoSecretIsEverPrinted(t *testing.T) {
	c := withSecrets()
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("loaded", "config", c, "backend", c.Backends[0])
	for name, text := range map[string]string{
		"Redacted": string(c.Redacted()), "%v": fmt.Sprintf("%v", c), "%+v": fmt.Sprintf("%+v", *c), "%#v": fmt.Sprintf("%#v", *c),
		"backend %v": fmt.Sprintf("%v", c.Backends), "backend %#v": fmt.Sprintf("%#v", c.Backends[0]), "log": logged.String(),
	} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s shows the secret:\n%s", name, text)
		}
		if !strings.Contains(text, "<secret>") {
			t.Errorf("%s does not say that there is one:\n%s", name, text)
		}
	}
	if out, err := json.Marshal(c.Backends[0].HTTP); err != nil || strings.Contains(string(out), "hunter2") {
		t.Errorf("JSON shows the secret: %s, %v", out, err)
	}
}

func TestTheContentOfASecretFileIsNeverShown(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "token", "hunter2")
	file := write(t, dir, "a.yml", "backends: [{name: a, url: 'http://a:1', basic_auth: {username: me, password_file: token}}]\n")
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.String(); strings.Contains(got, "hunter2") || !strings.Contains(got, "password_file: "+dir+"/token") {
		t.Errorf("the configuration in force is shown as\n%s", got)
	}
}

func TestTheConfigurationInForceReadsBackAsItself(t *testing.T) {
	c, err := Parse("a.yml", []byte(`
backends:
  - {name: a, url: "http://a:1", labels: {rack: 12, yes: "true"}, expect: {models: [x], speculation: true}, metrics_interval: 90s, kv_capacity_tokens: 131072}
  - {name: b, url: "https://b", engine: router, tls_config: {min_version: TLS13}, proxy_url: "http://p:1", body_limit: 1500B}
  - {name: c, unscraped: "retired: no numbers"}
engines:
  - name: router
    replicas: {path: /health, each: replicas, target: "@key", state: "@value", up: [up, "true"], down: down}
  - {name: fork, like: vllm, rename: {"vllm:": "fork:"}, drop: [llm_preemptions_total]}
`))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("a.yml", c.Redacted())
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, c)
	}
	if diff := cmp.Diff(c.String(), again.String()); diff != "" {
		t.Errorf("it reads back as another:\n%s", diff)
	}
	if diff := cmp.Diff(c, again, anyProxy); diff != "" {
		t.Errorf("it reads back as another (-want +got):\n%s", diff)
	}
}

// An own mapping has the same form as the built-in engines: each of them can be written
// into the file, and means the same there.
func TestEveryBuiltInEngineCanBeWrittenAsAnOwnMapping(t *testing.T) {
	for i, e := range engine.BuiltIn() {
		t.Run(fmt.Sprint(i, " ", e.Name), func(t *testing.T) {
			own := *e
			own.Name = "own_mapping"
			c := Default()
			c.Engines = []*engine.Engine{&own}
			again, err := Parse("", c.Redacted())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&own, again.Engines[0], sameLists); diff != "" {
				t.Errorf("it reads back as another (-want +got):\n%s", diff)
			}
		})
	}
}
