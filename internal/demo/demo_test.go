package demo

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

func load(t *testing.T, names ...string) (out []*recording.Recording) {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		r, err := recording.Load(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func options(t *testing.T, out io.Writer, names ...string) Options {
	return Options{
		Recordings: load(t, names...), Settings: rules.DefaultSettings(), Speed: 30, Out: out,
		ExporterAddress: "127.0.0.1:0", PageAddress: "127.0.0.1:0",
	}
}

// The seconds are those of the recording's own events: medium-b refuses from 480 and answers
// again at 1245, its router holds it to be out from 510 to 1260, and small comes back without
// its drafter at 643.
func TestTheFleetsTwoIncidentsFireAndNothingElseDoes(t *testing.T) {
	var out bytes.Buffer
	o := options(t, &out, "fleet-incidents")
	o.Once = true
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`^LlmWatchdog +0 +0 +- *$`,
		`^LlmBackendDown +480 +600 +1245 +backend="medium-b"$`,
		`^LlmRouterTargetOut +510 +\d+ +1260 +backend="router", router="vllm_router", target="http://127.0.0.1:19302"$`,
		`^LlmSpeculationOff +\d+ +\d+ +- +backend="small", engine="llamacpp", model="small"$`,
	}
	_, table, _ := strings.Cut(out.String(), "labels\n")
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d alerts fired, want %d:\n%s", len(lines), len(want), table)
	}
	for i, line := range lines {
		if !regexp.MustCompile(want[i]).MatchString(line) {
			t.Errorf("line %d = %q, want %s", i, line, want[i])
		}
	}
}

func TestTwoRecordingsWithOneNameGetTwoBackends(t *testing.T) {
	s, err := newStage(options(t, io.Discard, "fleet-incidents", "llamacpp-0.7.0-b11669/router", "llamacpp-0.7.0-b11669/overload-long"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	seen := map[string]bool{}
	for _, b := range s.config.Backends {
		if seen[b.Name] {
			t.Errorf("two backends are called %q", b.Name)
		}
		seen[b.Name] = true
	}
	for _, name := range []string{"medium-a", "medium-b", "router", "small", "llamacpp-router", "overload-long"} {
		if !seen[name] {
			t.Errorf("no backend is called %q: %v", name, seen)
		}
	}
}

func TestThePagesAreServedUntilItIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	o := options(t, writer, "fleet-incidents")
	o.Speed = 3000
	go func() { ended <- Run(ctx, o); writer.Close() }()

	buffer := make([]byte, 4096)
	n, err := reader.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }() // the play must not wait for its reader
	urls := regexp.MustCompile(`http://\S+`).FindAllString(string(buffer[:n]), -1)
	if len(urls) != 3 {
		t.Fatalf("three addresses expected in\n%s", buffer[:n])
	}
	for _, url := range urls {
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s = %s", url, resp.Status)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("stopped with %v, want no error", err)
	}
}

func TestATakenPortIsReplacedByAFreeOne(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	l, err := listen(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Addr().String() == taken.Addr().String() {
		t.Error("the taken address was opened twice")
	}
	if _, err := listen("nonsense"); err == nil || !strings.Contains(err.Error(), "host:port") {
		t.Errorf("listen(%q) = %v, want what to write instead", "nonsense", err)
	}
}
