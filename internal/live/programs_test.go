//go:build live

package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/tinygguf"
)

// program is a real program that a test started.
type program struct {
	name string
	url  string
	cmd  *exec.Cmd
	done chan struct{}
}

// start runs a command until the test ends and waits for a path of it to answer 200.
func start(ctx context.Context, t *testing.T, name, base, ready string, command ...string) *program {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	p := &program{name: name, url: base, cmd: exec.CommandContext(ctx, command[0], command[1:]...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s: start: %v", name, err)
	}
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.kill(t)
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s said:\n%s", name, tail(string(text), 4000))
		}
		log.Close()
	})
	waitFor(ctx, t, name+" to answer "+ready, func() (string, bool) {
		select {
		case <-p.done:
			return "it ended", false
		default:
		}
		resp, err := http.Get(base + ready)
		if err != nil {
			return err.Error(), false
		}
		resp.Body.Close()
		return resp.Status, resp.StatusCode == http.StatusOK
	})
	return p
}

// kill ends the program and its children at once, as a crash would.
func (p *program) kill(t *testing.T) {
	t.Helper()
	select {
	case <-p.done:
		return
	default:
	}
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Logf("%s: kill: %v", p.name, err)
	}
	<-p.done
}

func startLlama(ctx context.Context, t *testing.T) *program {
	t.Helper()
	return startLlamaAt(ctx, t, freePort(t), tinygguf.Small("small"))
}

// startLlamaAt starts a server whose model is called small, on a port that may be that of one
// that was killed.
func startLlamaAt(ctx context.Context, t *testing.T, port string, model tinygguf.Spec, args ...string) *program {
	t.Helper()
	return startMuteLlama(ctx, t, port, model, append(args, "--metrics")...)
}

// startMuteLlama starts a llama-server as somebody does who has not read that it exports numbers
// only when it is told to.
func startMuteLlama(ctx context.Context, t *testing.T, port string, model tinygguf.Spec, args ...string) *program {
	t.Helper()
	models := t.TempDir()
	writeModel(t, filepath.Join(models, "small.gguf"), model)
	// Requests that wait hold a thread each; with none left nobody would answer /metrics.
	command := llamaCommand(t, models, append([]string{"-m", "/models/small.gguf", "-a", "small", "-t", "1", "-np", "4", "-c", "8192", "--threads-http", "16",
		"--host", "127.0.0.1", "--port", port}, args...)...)
	return start(ctx, t, "llama-server", loopback(port), "/health", command...)
}

func startLlamaRouter(ctx context.Context, t *testing.T) *program {
	t.Helper()
	models := t.TempDir()
	for _, name := range []string{"one", "two"} {
		writeModel(t, filepath.Join(models, name+".gguf"), tinygguf.Default(name))
	}
	port := freePort(t)
	return start(ctx, t, "llama-router", loopback(port), "/health", llamaCommand(t, models,
		"--models-dir", "/models", "--models-max", "1", "-t", "1", "--metrics", "-c", "1024",
		"--host", "127.0.0.1", "--port", port)...)
}

func llamaCommand(t *testing.T, models string, args ...string) []string {
	t.Helper()
	dir := os.Getenv("LLMFLEET_LLAMA")
	if dir == "" {
		t.Fatal("LLMFLEET_LLAMA is not set: install a llama-server with `ci/llama-server install DIR` and set it to DIR")
	}
	return append([]string{filepath.Join(root(t), "ci", "llama-server"), "run", dir, models}, args...)
}

func writeModel(t *testing.T, path string, spec tinygguf.Spec) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := tinygguf.Write(f, spec); err != nil {
		t.Fatal(err)
	}
}

func startExporter(ctx context.Context, t *testing.T, args ...string) *program {
	t.Helper()
	port := freePort(t)
	command := append([]string{buildExporter(t), "--web.listen-address=127.0.0.1:" + port}, args...)
	return start(ctx, t, "llmfleet_exporter", loopback(port), "/-/ready", command...)
}

// prometheus is a real one, scraping each second.
type prometheus struct{ *program }

// startPrometheus starts one with the checked-in bundle in front of an exporter. command is
// its program: prometheus, or the path of another release.
func startPrometheus(ctx context.Context, t *testing.T, command, exporter string) prometheus {
	t.Helper()
	port := freePort(t)
	config := fmt.Sprintf(`global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: llmfleet
    static_configs: [{targets: [%q]}]
  - job_name: prometheus
    static_configs: [{targets: ["127.0.0.1:%s"]}]
`, filepath.Join(root(t), "gen", "bundle", "prometheus", "rules", "llm-*.yml"), strings.TrimPrefix(exporter, "http://"), port)
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	write(t, file, []byte(config))
	return runPrometheus(ctx, t, command, file, port)
}

func runPrometheus(ctx context.Context, t *testing.T, command, config, port string) prometheus {
	t.Helper()
	return prometheus{start(ctx, t, "prometheus", loopback(port), "/-/ready", command, "--config.file="+config,
		"--storage.tsdb.path="+t.TempDir(), "--web.listen-address=127.0.0.1:"+port)}
}

// write puts a file into a folder that it makes.
func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a query has a result.
func (p prometheus) eventually(ctx context.Context, t *testing.T, expr string) {
	t.Helper()
	waitFor(ctx, t, expr, func() (string, bool) {
		answer := get(ctx, t, p.url+"/api/v1/query?query="+url.QueryEscape(expr))
		var body struct {
			Data struct{ Result []json.RawMessage }
		}
		if err := json.Unmarshal([]byte(answer), &body); err != nil {
			return err.Error(), false
		}
		return answer, len(body.Data.Result) > 0
	})
}

// alert waits until an alert is active: in the state, if one is given, and with the text in it.
func (p prometheus) alert(ctx context.Context, t *testing.T, name, state, text string) {
	t.Helper()
	waitFor(ctx, t, "alert "+name+" "+state, func() (string, bool) {
		answer := get(ctx, t, p.url+"/api/v1/alerts")
		var body struct {
			Data struct{ Alerts []json.RawMessage }
		}
		if err := json.Unmarshal([]byte(answer), &body); err != nil {
			return err.Error(), false
		}
		for _, a := range body.Data.Alerts {
			s := string(a)
			if strings.Contains(s, `"alertname":"`+name+`"`) && strings.Contains(s, text) && (state == "" || strings.Contains(s, `"state":"`+state+`"`)) {
				return "", true
			}
		}
		return answer, false
	})
}

// waitFor asks until it is so, for a minute at most.
func waitFor(ctx context.Context, t *testing.T, what string, ask func() (last string, ok bool)) {
	t.Helper()
	waitLong(ctx, t, time.Minute, what, ask)
}

// waitLong asks until it is so, for as long as is said.
func waitLong(ctx context.Context, t *testing.T, most time.Duration, what string, ask func() (last string, ok bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		last, ok := ask()
		if ok {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s; last: %s", what, tail(last, 2000))
		}
	}
}

func get(ctx context.Context, t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// freePort finds a port that nobody listens on and that no test was given before, below those
// that the kernel gives to outgoing connections: else a router's attempt to reach a dead replica
// may get the replica's own port.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(20000 + rand.IntN(12000))
		if _, given := ports.LoadOrStore(port, true); given {
			continue
		}
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port in 100 tries")
	return ""
}

var ports sync.Map // that freePort gave

func loopback(port string) string { return "http://127.0.0.1:" + port }

// backendName is the name that --target gives a backend.
func backendName(address string) string { return strings.TrimPrefix(address, "http://") }

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}
