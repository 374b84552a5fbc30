//go:build live

package live

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/tinygguf"
)

// router is a real program that passes requests on to two replicas.
type router struct {
	name    string // by which the exporter knows it
	verdict string // how the doctor's first sentence begins
	// start starts it in front of the replicas; metrics is the address of its numbers.
	start func(ctx context.Context, t *testing.T, replicas [2]string) (service *program, metrics string)
	// target is what it calls the replica, by its place and address.
	target func(i int, replica string) string
}

func TestADeadReplicaBehindHAProxyIsSaid(t *testing.T) {
	saysADeadReplica(t, router{
		name: "haproxy", verdict: "● HAProxy, version 2.", start: startHAProxy,
		target: func(i int, _ string) string { return fmt.Sprintf("replicas/replica-%c", 'a'+i) },
	})
}

// TestADeadReplicaBehindAPythonRouterIsSaid tries routers of the Python index. With settings
// as they come vllm-router looks at its workers once a minute: there its breaker has to tell.
func TestADeadReplicaBehindAPythonRouterIsSaid(t *testing.T) {
	// A breaker that a request opened stays open for a minute by default, whatever the looks say.
	closesSoon := []string{"--cb-success-threshold", "1", "--cb-timeout-duration-secs", "3"}
	looksOften := append([]string{"--health-check-interval-secs", "1", "--health-failure-threshold", "2", "--health-success-threshold", "1"}, closesSoon...)
	for title, r := range map[string]router{
		"vllm-router": {name: "vllm_router", verdict: "● vllm-router", start: python("vllm-router", looksOften...)},
		"vllm-router that never looks": {name: "vllm_router", verdict: "● vllm-router", start: python("vllm-router",
			append([]string{"--policy", "round_robin", "--cb-failure-threshold", "2"}, closesSoon...)...)},
		"smg": {name: "smg", verdict: "● SGLang Model Gateway (smg)", start: python("smg", append([]string{"launch"}, looksOften...)...)},
	} {
		t.Run(title, func(t *testing.T) {
			r.target = func(_ int, replica string) string { return replica }
			saysADeadReplica(t, r)
		})
	}
}

// saysADeadReplica kills one of two replicas behind a router that serves, starts it again, and
// wants the exporter's page to follow.
func saysADeadReplica(t *testing.T, r router) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var replicas [2]string
	var running [2]*program
	for i := range replicas {
		port := freePort(t)
		replicas[i], running[i] = loopback(port), startLlamaAt(ctx, t, port, tinygguf.Default("small"))
	}
	service, metrics := r.start(ctx, t, replicas)
	exporter := startExporter(ctx, t, "--config.file="+fleetFile(t, service.url, metrics, replicas, r.target))
	labels := fmt.Sprintf(`backend="router",router=%q`, r.name)
	joined := func(i int) string {
		return fmt.Sprintf("llm_router_target_backend_info{%s,target=%q,worker=\"replica-%c\"} 1", labels, r.target(i, replicas[i]), 'a'+i)
	}
	healthy := func(i, value int) string {
		return fmt.Sprintf("llm_router_target_healthy{%s,target=%q} %d", labels, r.target(i, replicas[i]), value)
	}
	holds := func(what string, lines ...string) {
		t.Helper()
		began := time.Now()
		defer func() { t.Logf("%s after %s", what, time.Since(began).Round(100*time.Millisecond)) }()
		waitFor(ctx, t, what, func() (string, bool) {
			use(ctx, t, service.url) // most routers learn from requests
			page := get(ctx, t, exporter.url+"/metrics")
			for _, line := range lines {
				if !strings.Contains(page, line+"\n") {
					return "no " + line + " in\n" + grep(page, "llm_router_") + grep(page, "llm_healthy"), false
				}
			}
			return "", true
		})
	}
	both := []string{healthy(0, 1), healthy(1, 1), fmt.Sprintf("llm_router_targets{%s,state=\"healthy\"} 2", labels), `llm_healthy{backend="replica-b"} 1`}
	llmfleet := buildLlmfleet(t)

	holds("two healthy replicas", append(both, joined(0), joined(1), `llm_up{backend="router"} 1`, `llm_scrape_missing_series{backend="router"} 0`)...)
	for _, args := range [][]string{{service.url, "--metrics-url=" + metrics}, {metrics}} { // many know a router's metrics address only
		page, code := runTool(ctx, t, llmfleet, append([]string{"doctor"}, args...)...)
		t.Logf("\n%s", page)
		if code != 0 || !strings.Contains(page, r.verdict) || !strings.Contains(page, "Its numbers arrive.") || !strings.Contains(page, r.target(1, replicas[1])) {
			t.Errorf("doctor %s: exit code %d, want 0, %q and the replicas", args, code, r.verdict)
		}
	}
	running[1].kill(t)
	holds("a dead replica", healthy(0, 1), healthy(1, 0), joined(1), fmt.Sprintf("llm_router_targets{%s,state=\"unhealthy\"} 1", labels),
		`llm_healthy{backend="replica-a"} 1`, `llm_healthy{backend="replica-b"} 0`, `llm_up{backend="router"} 1`)
	page, code := runTool(ctx, t, llmfleet, "doctor", service.url, "--metrics-url="+metrics)
	t.Logf("with a dead replica:\n%s", page)
	if want := "workers        2; it keeps requests from " + r.target(1, replicas[1]) + "\n"; code != 0 || !strings.Contains(page, want) {
		t.Errorf("doctor: exit code %d, want 0: the router answers, and %q", code, want)
	}
	startLlamaAt(ctx, t, strings.TrimPrefix(replicas[1], loopback("")), tinygguf.Default("small"))
	holds("the replica back", both...)
}

// fleetFile writes the configuration of a router and its replicas, and what it calls them.
func fleetFile(t *testing.T, service, metrics string, replicas [2]string, target func(int, string) string) string {
	t.Helper()
	text := fmt.Sprintf("backends:\n  - {name: router, url: %q, metrics_url: %q}\n", service, metrics)
	for i, replica := range replicas {
		text += fmt.Sprintf("  - {name: replica-%c, url: %q, known_as: [%q]}\n", 'a'+i, replica, target(i, replica))
	}
	file := filepath.Join(t.TempDir(), "llmfleet.yml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// use sends a router two short requests, one for each replica if it takes turns. What comes
// of them is not looked at: while a replica dies a router may well fail one.
func use(ctx context.Context, t *testing.T, service string) {
	t.Helper()
	for i := range 2 {
		body := fmt.Sprintf(`{"model":"small","prompt":"%d the people of the long day","max_tokens":2}`, i)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, service+"/v1/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}
}

func startHAProxy(ctx context.Context, t *testing.T, replicas [2]string) (*program, string) {
	t.Helper()
	port, stats := freePort(t), freePort(t)
	config := fmt.Sprintf(`defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    option redispatch 1
frontend service
    bind 127.0.0.1:%s
    default_backend replicas
frontend stats
    bind 127.0.0.1:%s
    http-request use-service prometheus-exporter if { path /metrics }
backend replicas
    balance roundrobin
    option httpchk GET /health
    default-server check inter 500ms fall 2 rise 1
    server replica-a %s
    server replica-b %s
`, port, stats, backendName(replicas[0]), backendName(replicas[1]))
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return start(ctx, t, "haproxy", loopback(port), "/health", "haproxy", "-db", "-f", file), loopback(stats)
}

// python starts a program of ci/python-routers.
func python(name string, args ...string) func(context.Context, *testing.T, [2]string) (*program, string) {
	return func(ctx context.Context, t *testing.T, replicas [2]string) (*program, string) {
		t.Helper()
		dir := os.Getenv("LLMFLEET_ROUTERS")
		if dir == "" {
			t.Fatal("LLMFLEET_ROUTERS is not set: install the routers with `ci/python-routers install DIR` and set it to DIR")
		}
		port, metrics := freePort(t), freePort(t)
		command := append([]string{filepath.Join(dir, "bin", name)}, args...)
		command = append(command, "--host", "127.0.0.1", "--port", port, "--prometheus-host", "127.0.0.1", "--prometheus-port", metrics,
			"--worker-startup-timeout-secs", "20", "--worker-startup-check-interval", "1", "--worker-urls", replicas[0], replicas[1])
		return start(ctx, t, name, loopback(port), "/readiness", command...), loopback(metrics)
	}
}
