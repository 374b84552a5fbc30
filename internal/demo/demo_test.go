package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/check"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
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
		ExporterAddress: "127.0.0.1:0", PageAddress: "127.0.0.1:0", PrometheusAddress: "127.0.0.1:0",
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

// The figures are those of the boards: card 1 of host A1 hangs on one lane of the chipset at
// 16 GT/s, whose port 06:09.0 routes no atomic operations; host B's card on four lanes.
func TestTheMachinesShowWhatLimitsTheirCards(t *testing.T) {
	var out bytes.Buffer
	o := options(t, &out, "../hosts/a1", "../hosts/b")
	o.Once = true
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^a1 +0000:03:00\.0 +radiance-0 +97 % +40 % +31\.5 GB/s +63 GB/s +0000:00:01\.1 +reach$`,
		`(?m)^a1 +0000:0b:00\.0 +radiance-1 +96 % +98 % +1\.97 GB/s +63 GB/s +0000:06:09\.0 +blocked at 0000:06:09\.0$`,
		`(?m)^b +0000:01:00\.0 +small +91 % +88 % +7\.88 GB/s +31\.5 GB/s +0000:00:01\.1 *$`,
		`(?m)^LlmGPULinkNarrow +0 +300 +- +instance="a1", gpu="0000:0b:00\.0"$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no line %s in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "LlmBackendDown") {
		t.Errorf("the servers that play those of the machines are down:\n%s", out.String())
	}
}

func TestTwoRecordingsWithOneNameGetTwoBackends(t *testing.T) {
	s, err := newStage(options(t, io.Discard, "fleet-incidents", "llamacpp-0.7.0-b11669/router", "llamacpp-0.7.0-b11669/overload-long", "../hosts/b"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	seen := map[string]bool{}
	for _, m := range s.machines {
		for _, b := range m.config.Backends {
			if seen[b.Name] {
				t.Errorf("two backends are called %q", b.Name)
			}
			seen[b.Name] = true
		}
	}
	for _, name := range []string{"medium-a", "medium-b", "router", "small", "llamacpp-router", "overload-long", "big", "small-b"} {
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
	o.Speed, o.PageAddress = 3000, takenAddress(t)
	go func() { ended <- Run(ctx, o); writer.Close() }()

	buffer := make([]byte, 4096)
	n, err := reader.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }() // the play must not wait for its reader
	if want := "\n" + o.PageAddress + " is taken"; !strings.Contains(string(buffer[:n]), want) {
		t.Errorf("no line %q in\n%s", want, buffer[:n])
	}
	urls := regexp.MustCompile(`http://\S+`).FindAllString(string(buffer[:n]), -1)
	if len(urls) != 4 {
		t.Fatalf("four addresses expected in\n%s", buffer[:n])
	}
	urls = append(urls, urls[3]+"/api/v1/query?query=llm_up")
	for _, page := range urls {
		resp, err := http.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s = %s", page, resp.Status)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("stopped with %v, want no error", err)
	}
}

// The series of the demo's Prometheus say that somebody is told, and so must its API: the check asks
// for that, while nothing has gone wrong yet.
func TestTheCheckOfTheDemoFindsSomebodyTold(t *testing.T) {
	o := options(t, io.Discard, "fleet-incidents")
	s, err := newStage(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	prom, err := s.prometheus(o.Settings)
	if err != nil {
		t.Fatal(err)
	}
	defer prom.Close()
	prom.EvaluateAll()
	for at := time.Duration(0); at <= time.Minute; at += replay.StepLength {
		s.advance(t.Context(), at)
		if _, err := prom.Step(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(newShow(o, s, prom).prometheus())
	defer server.Close()
	r, err := check.Prometheus(t.Context(), server.URL, check.Options{Settings: o.Settings, Client: http.DefaultClient, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() {
		t.Errorf("causes: %+v", r.Causes)
	}
}

// Grafana asks for the last half hour by its own clock. medium-b's alert fired from second 600
// to 1245 of the recording, which is as long before now.
func TestTheLastHalfHourIsThatOfTheRecording(t *testing.T) {
	o := options(t, io.Discard, "fleet-incidents")
	o.Once = true
	s, err := newStage(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	prom, err := s.prometheus(o.Settings)
	if err != nil {
		t.Fatal(err)
	}
	defer prom.Close()
	show := newShow(o, s, prom)
	if err := play(t.Context(), o, s, prom, show); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(promapi.Handler(show.source()))
	defer server.Close()
	now := time.Now()
	resp, err := http.PostForm(server.URL+"/api/v1/query_range", url.Values{
		"query": {`ALERTS{alertname="LlmBackendDown", alertstate="firing"}`}, "step": {"15"},
		"start": {fmt.Sprint(now.Add(-30 * time.Minute).Unix())}, "end": {fmt.Sprint(now.Unix())},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Values [][2]any
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got.Data.Result) != 1 || got.Data.Result[0].Metric["backend"] != "medium-b" {
		t.Fatalf("result %+v, want one alert, of medium-b", got.Data.Result)
	}
	values := got.Data.Result[0].Values
	for name, at := range map[string]struct{ got, second float64 }{
		"first": {values[0][0].(float64), 600}, "last": {values[len(values)-1][0].(float64), 1230},
	} {
		want := float64(now.Unix()) - (s.length.Seconds() - at.second)
		if math.Abs(at.got-want) > 30 {
			t.Errorf("%s value at %.0f, want about %.0f", name, at.got, want)
		}
	}
}

func TestATakenPortIsReplacedByAFreeOne(t *testing.T) {
	busy := takenAddress(t)
	l, taken, err := listen(busy)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host, port, err := net.SplitHostPort(l.Addr().String())
	if !taken || err != nil || host != "127.0.0.1" || l.Addr().String() == busy || port == "0" {
		t.Errorf("listen(%q) = %s, taken %v; want a free port of the same host", busy, l.Addr(), taken)
	}
}

func takenAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// A free port instead of one that was mistyped would hide the mistake, and on all networks what
// was meant for this machine.
func TestAnAddressThatIsNoneOpensNothing(t *testing.T) {
	for address, want := range map[string]string{
		"":              "write host:port",
		"nonsense":      "write host:port",
		":":             "write host:port",
		"127.0.0.1:":    "write host:port",
		":99999":        "99999",
		"127.0.0.1:abc": "abc",
		"127.0.0.1:-1":  "-1",
		"192.0.2.1:80":  "192.0.2.1:80", // of no network here
	} {
		l, _, err := listen(address)
		if err == nil {
			t.Errorf("listen(%q) opened %s", address, l.Addr())
			l.Close()
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("listen(%q) = %v, want it to say %q", address, err, want)
		}
	}
}
