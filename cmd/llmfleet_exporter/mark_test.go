package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// manyTargets are addresses of one server that answers as a recorded vLLM with two ranks,
// whatever the prefix of the path.
func manyTargets(b *testing.B, n int) []string {
	b.Helper()
	r, err := recording.Load(filepath.Join("..", "..", "testdata", "recordings", "vllm-0.32.0", "dp2"))
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, path, _ := strings.Cut(req.URL.Path[1:], "/")
		a, ok := r.Servers[0].At(r.Meta.Length, "/"+path)
		if !ok || a.Status == 0 {
			http.NotFound(w, req)
			return
		}
		w.Header().Set("Content-Type", a.ContentType)
		w.WriteHeader(a.Status)
		w.Write(a.Body)
	}))
	b.Cleanup(s.Close)
	var urls []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("--target=%s/t%02d", s.URL, i))
	}
	return urls
}

// resident reads how much memory a process holds, and the most that it ever held.
func resident(b *testing.B, pid int) (now, most float64) {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
			now = kib / 1024
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			most = kib / 1024
		}
	}
	return now, most
}

// BenchmarkHundredTargets builds the command as it is shipped and scrapes a hundred vLLM
// servers of two ranks with it over loopback. Marks: 20 MiB of binary, 64 MiB resident in
// steady state.
func BenchmarkHundredTargets(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "llmfleet_exporter")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	size, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	address := freeAddress(b)
	command := exec.Command(binary, append(manyTargets(b, 100), "--web.listen-address="+address, "--log.level=error")...)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	})
	await(b, "http://"+address+"/-/ready", "ready")

	scrape := func() {
		req, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		n, _ := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || n < 50_000 {
			b.Fatalf("status %d, %d bytes", resp.StatusCode, n)
		}
	}
	for range 10 {
		scrape()
		time.Sleep(100 * time.Millisecond)
	}
	for b.Loop() {
		scrape()
	}
	now, most := resident(b, command.Process.Pid)
	b.ReportMetric(now, "resident-MiB")
	b.ReportMetric(most, "most-resident-MiB")
	b.ReportMetric(float64(size.Size())/(1<<20), "binary-MiB")
}
