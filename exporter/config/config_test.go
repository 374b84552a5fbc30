package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// anyProxy ignores what the library keeps to itself.
var anyProxy = cmpopts.IgnoreUnexported(promconfig.ProxyConfig{})

func TestAnEmptyFileIsTheDefaults(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":        "",
		"a comment":      "# to be written\n",
		"empty document": "---\n",
		"keys alone":     "backends:\ndefaults:\nengines:\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Parse("llmfleet.yml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			want := Default()
			want.Empty = name != "keys alone"
			want.File = "llmfleet.yml"
			if diff := cmp.Diff(want, c, anyProxy); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultsAreWhatTheReferenceSays(t *testing.T) {
	c, err := Parse("a.yml", []byte("defaults: {timeout: 30s, body_limit: 16MiB, series_limit: 20000, label_value_limit: 500}"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Defaults != Default().Defaults {
		t.Errorf("the file of the documented defaults gives %+v, Default %+v", c.Defaults, Default().Defaults)
	}
	for _, row := range []string{"`timeout` | duration | 30s |", "`body_limit` | size | 16MiB |", "`series_limit` | whole number | 20000 |", "`label_value_limit` | whole number | 500 |"} {
		if !strings.Contains(string(Reference()), row) {
			t.Errorf("the reference has no row %s", row)
		}
	}
}

func TestEveryKeyOfABackendArrivesWhereItBelongs(t *testing.T) {
	c, err := parse(few(t), "llmfleet.yml", []byte(`
backends:
  - name: medium-a
    url: HTTPS://Host.Example:8443/llm/
    metrics_url: http://host.example:29000/
    engine: vllm
    model: qwen
    labels: {host: a, rack: 12, ok: true}
    authorization: {credentials_file: testdata/secrets/token}
    tls_config: {server_name: inner.example, insecure_skip_verify: true, min_version: TLS13}
    proxy_url: http://proxy.example:3128
    no_proxy: localhost
    timeout: 1m30s
    body_limit: 1MB
    series_limit: 100
    expect: {models: [qwen, draft], speculation: false}
    metrics_interval: 10m
    kv_capacity_tokens: 1.5e5
    objectives: {time_to_first_token: 20s, queue_duration: 0s}
  - name: small
    url: http://[::1]:8080
    known_as: [http://10.0.0.7:8080, pod-3]
    basic_auth: {username: me, password_file: testdata/secrets/token}
    proxy_from_environment: true
    expect: {models: qwen, replicas: 2}
  - name: npu
    unscraped: "no numbers"
defaults: {timeout: 5s, label_value_limit: 7}
objectives: {inter_token_latency: 200ms}
`))
	if err != nil {
		t.Fatal(err)
	}
	no := false
	limits := Limits{Timeout: 5 * time.Second, BodyBytes: 16 << 20, Series: 20000, LabelValues: 7}
	// In the order of catalog.Objectives: first token, between tokens, whole request, queue.
	agents := Objectives{20 * time.Second, 200 * time.Millisecond, 30 * time.Second, 0}
	others := Objectives{5 * time.Second, 200 * time.Millisecond, 30 * time.Second, 5 * time.Second}
	plain := promconfig.DefaultHTTPClientConfig
	medium, small := plain, plain
	medium.Authorization = &promconfig.Authorization{Type: "Bearer", CredentialsFile: "testdata/secrets/token"}
	medium.TLSConfig = promconfig.TLSConfig{ServerName: "inner.example", InsecureSkipVerify: true, MinVersion: promconfig.TLSVersions["TLS13"]}
	medium.NoProxy = "localhost"
	small.BasicAuth = &promconfig.BasicAuth{Username: "me", PasswordFile: "testdata/secrets/token"}
	small.ProxyFromEnvironment = true
	want := []Backend{
		{
			Name: "medium-a", URL: "https://host.example:8443/llm", MetricsURL: "http://host.example:29000", Engine: "vllm", Model: "qwen",
			Labels: map[string]string{"host": "a", "rack": "12", "ok": "true"}, HTTP: medium,
			Limits: Limits{Timeout: 90 * time.Second, BodyBytes: 1e6, Series: 100, LabelValues: 7},
			Expect: Expect{Models: []string{"qwen", "draft"}, Speculation: &no}, MetricsInterval: 10 * time.Minute, KVCapacityTokens: 150_000,
			Objectives: agents,
		},
		{Name: "small", URL: "http://[::1]:8080", KnownAs: []string{"http://10.0.0.7:8080", "pod-3"}, HTTP: small, Limits: limits, Expect: Expect{Models: []string{"qwen"}, Replicas: 2}, Objectives: others},
		{Name: "npu", Unscraped: "no numbers", HTTP: plain, Limits: limits, Objectives: others},
	}
	if got := c.Backends[0].HTTP.ProxyURL.String(); got != "http://proxy.example:3128" {
		t.Errorf("proxy %q", got)
	}
	c.Backends[0].HTTP.ProxyURL = promconfig.URL{}
	if diff := cmp.Diff(want, c.Backends, anyProxy); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
}

func TestSecretFilesAreLookedForBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "secrets/token", "s3cret\n")
	write(t, dir, "llmfleet.yml", "backends: [{name: a, url: 'http://a:1', authorization: {credentials_file: secrets/token}}]\n")
	c, err := Load(filepath.Join(dir, "llmfleet.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Backends[0].HTTP.Authorization.CredentialsFile, filepath.Join(dir, "secrets/token"); got != want {
		t.Errorf("credentials_file %q, want %q", got, want)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	huge := write(t, dir, "huge.yml", "")
	if err := os.Truncate(huge, document.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ file, want string }{
		"missing": {filepath.Join(dir, "gone.yml"), `gone.yml" cannot be read: no such file or directory`},
		"folder":  {dir, `is a directory; name the file in it`},
		"device":  {os.DevNull, `is not a regular file; name one that can be read again`}, // like /dev/zero and a pipe
		"huge":    {huge, `has 8388609 bytes, more than the 8388608 that are read`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Load(tt.file); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("Load = %v, want …%s", err, tt.want)
			}
		})
	}
	if _, err := Parse("a.yml", make([]byte, document.MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "a.yml:1: has more than 8388608 bytes") {
		t.Errorf("Parse of too many bytes = %v", err)
	}
}

func TestABackendIsFoundWithItsEngine(t *testing.T) {
	c, err := Parse("a.yml", []byte(`
backends: [{name: a, url: "http://a:1", engine: mine}, {name: b, url: "http://b:1", engine: vllm}, {name: c, url: "http://c:1"}]
engines: [{name: mine, endpoints: [{path: /metrics, format: exposition}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "mine", "b": "vllm", "c": ""} {
		b, ok := c.Find(name)
		if !ok {
			t.Fatalf("Find(%q) finds nothing", name)
		}
		if b.Engine != want {
			t.Errorf("backend %s has engine %q, want %q", name, b.Engine, want)
		}
	}
	if _, ok := c.Find("d"); ok {
		t.Error("Find(d) finds something")
	}
	if len(c.Engines) != 1 || c.Engines[0].Name != "mine" {
		t.Errorf("own mappings %v, want mine", c.Engines)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
