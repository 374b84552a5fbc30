package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/host"
)

// outcome is what a run of the command left behind.
type outcome struct {
	out, errs string
	err       error
}

// execute runs the command to its end.
func execute(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	err := run(ctx, args, &out, &errs)
	return outcome{out.String(), errs.String(), err}
}

// file writes a configuration and returns its name.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "llmfleet.yml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCombinationsThatCannotWorkAreRefused(t *testing.T) {
	good := file(t, "backends:\n  - name: a\n    url: http://127.0.0.1:1\n")
	var allOff []string
	for _, s := range catalog.HostSources() {
		allOff = append(allOff, "--no-collector."+string(s))
	}
	for name, tt := range map[string]struct {
		args []string
		want []string
	}{
		"nothing to watch":    {allOff, []string{"nothing to watch", "--target=http"}},
		"only a check":        {[]string{"--config.check"}, []string{"nothing to check", "--config.file"}},
		"samples too often":   {[]string{"--collector.pci.sample-interval=1ms"}, []string{"--collector.pci.sample-interval=1ms", "100ms"}},
		"two sources":         {[]string{"--target=http://127.0.0.1:1", "--config.file=" + good}, []string{"give one of them"}},
		"offset below zero":   {[]string{"--target=http://127.0.0.1:1", "--timeout-offset=-1s"}, []string{"--timeout-offset=-1s", "negative"}},
		"requests below zero": {[]string{"--target=http://127.0.0.1:1", "--web.max-requests=-2"}, []string{"--web.max-requests=-2"}},
		"metrics over a page": {[]string{"--target=http://127.0.0.1:1", "--web.telemetry-path=/probe"}, []string{"--web.telemetry-path", "/probe", "taken"}},
		"two at once":         {append(allOff, "--timeout-offset=-1s"), []string{"nothing to watch", "negative"}},
		"unknown flag":        {[]string{"--tagret=x"}, []string{"--tagret", "did you mean --target?", "--help"}},
		"a flag of several":   {[]string{"--targets=http://127.0.0.1:1"}, []string{"did you mean --target?"}},
		"unlike any flag":     {[]string{"--zzzzzzzz"}, []string{"unknown long flag '--zzzzzzzz'; --help lists"}},
		"no address":          {[]string{"--target=127.0.0.1:8000"}, []string{"--target", "http://127.0.0.1:8000"}},
		"no such file":        {[]string{"--config.file=/nowhere/llmfleet.yml"}, []string{"/nowhere/llmfleet.yml"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, tt.args...)
			if got.err == nil {
				t.Fatal("it was accepted")
			}
			for _, w := range tt.want {
				if !strings.Contains(got.err.Error(), w) {
					t.Errorf("error %q does not say %q", got.err, w)
				}
			}
		})
	}
}

func TestCheckSaysAllMistakesWithTheirLines(t *testing.T) {
	bad := file(t, "backends:\n  - name: a\n    url: nowhere\n    tiemout: 5s\n  - name: a\n    url: http://127.0.0.1:1\n")
	got := execute(t, "--config.file="+bad, "--config.check")
	if got.err == nil {
		t.Fatal("a bad configuration passed")
	}
	for _, w := range []string{bad + ":3", "nowhere", bad + ":4", "tiemout", bad + ":5"} {
		if !strings.Contains(got.err.Error(), w) {
			t.Errorf("error %q does not say %q", got.err, w)
		}
	}
	good := execute(t, "--config.file="+file(t, "backends:\n  - name: a\n    url: http://127.0.0.1:1\n"), "--config.check")
	if good.err != nil || !strings.Contains(good.out, "is good. Backends: 1.") {
		t.Errorf("check of a good configuration = %+v", good)
	}
}

func TestHelpAndVersionAnswerAndEnd(t *testing.T) {
	for flag, want := range map[string]string{"--version": "llmfleet_exporter", "--help": "--config.file"} {
		if got := execute(t, flag); got.err != nil || !strings.Contains(got.out+got.errs, want) {
			t.Errorf("%s = %+v, want %q", flag, got, want)
		}
	}
}

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// await asks until an answer has a text.
func await(t testing.TB, url, want string) string {
	t.Helper()
	var last string
	for range 200 {
		resp, err := http.Get(url)
		if err == nil {
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if last = string(body); strings.Contains(last, want) {
				return last
			}
		} else {
			last = err.Error()
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s has no %q, but %s", url, want, last)
	return ""
}

func TestCommandServesReloadsAndStopsGracefully(t *testing.T) {
	engine := httptest.NewServer(http.NotFoundHandler())
	defer engine.Close()
	name := file(t, "backends:\n  - name: a\n    url: "+engine.URL+"\n")
	address := freeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log lines
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--config.file=" + name, "--web.listen-address=" + address}, io.Discard, &log)
	}()
	base := "http://" + address
	await(t, base+"/-/ready", "ready")
	await(t, base+"/", "is it the right address?") // though nothing has scraped yet
	await(t, base+"/metrics", `llm_up{backend="a"} 0`)

	if err := os.WriteFile(name, []byte(fmt.Sprintf("backends:\n  - name: b\n    url: %s\n", engine.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	await(t, base+"/metrics", `llm_up{backend="b"} 0`)

	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the command ended with %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the command does not stop")
	}
	if !strings.Contains(log.String(), "Stopping") {
		t.Errorf("log = %s", log.String())
	}
}

func TestThisMachineIsReadWithoutConfiguration(t *testing.T) {
	address := freeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log lines
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"--web.listen-address=" + address}, io.Discard, &log) }()
	page := await(t, "http://"+address+"/metrics", "llm_host_gpus ")
	for _, want := range []string{"llm_host_memory_size_bytes ", `llm_host_source_up{source="memory"} 1`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the command ended with %v", err)
	}
	if !strings.Contains(log.String(), "No backend is configured") {
		t.Errorf("the log does not say that no server is read:\n%s", log.String())
	}
	if strings.Contains(log.String(), "cannot be read") {
		t.Errorf("this machine's files gave warnings:\n%s", log.String())
	}
}

func TestCollectorsCanBeTurnedOff(t *testing.T) {
	f, err := parse([]string{"--no-collector.nvidia", "--no-collector.processes", "--path.sysfs=/host/sys", "--path.procfs=/host/proc"}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o := f.host()
	if want := []catalog.HostSource{catalog.SourceNVIDIA, catalog.SourceProcesses}; !slices.Equal(o.Off, want) {
		t.Errorf("off = %q, want %q", o.Off, want)
	}
	if want := (host.Dir{Sysfs: "/host/sys", Procfs: "/host/proc"}); o.FS != want || !o.Background || o.SampleEvery != 2*time.Second {
		t.Errorf("options = %+v", o)
	}
}

func TestEverySourceOfTheMachineHasAFlagThatSaysWhatItReads(t *testing.T) {
	for _, s := range catalog.HostSources() {
		if collectors[s] == "" {
			t.Errorf("source %s has no sentence in host_flags.go", s)
		}
	}
	if len(collectors) != len(catalog.HostSources()) {
		t.Errorf("%d sentences for %d sources", len(collectors), len(catalog.HostSources()))
	}
}

func TestAddressInUseEndsTheCommand(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := execute(t, "--target=http://127.0.0.1:1", "--web.listen-address="+l.Addr().String())
	want := fmt.Sprintf("listen tcp %s: bind: address already in use; another program has it: give another --web.listen-address", l.Addr())
	if got.err == nil || got.err.Error() != want {
		t.Errorf("error = %v, want %s", got.err, want)
	}
}

func TestNoQueryEngineIsLinkedIn(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("only %d packages are listed", len(deps))
	}
	for _, d := range deps {
		for _, unwanted := range []string{
			"github.com/prometheus/prometheus/promql", "github.com/prometheus/prometheus/rules", "github.com/prometheus/prometheus/tsdb",
			"github.com/prometheus/prometheus/storage", "github.com/prometheus/prometheus/discovery", "k8s.io/", "github.com/grafana/",
			"github.com/llmfleet/llmfleet/rules", "github.com/llmfleet/llmfleet/dashboards", "github.com/llmfleet/llmfleet/gen",
			"github.com/llmfleet/llmfleet/internal/", "testing",
		} {
			if d == unwanted || strings.HasPrefix(d, strings.TrimSuffix(unwanted, "/")+"/") {
				t.Errorf("the exporter links %s", d)
			}
		}
	}
}
