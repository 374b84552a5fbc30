package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// endless is an exporter whose page has as many families as it is asked for.
type endless struct{ families int }

func (e *endless) Each(_ context.Context, _ []*scrape.Target, _ bool, yield func(*dto.MetricFamily) error) error {
	name, value := "llm_x", 1.0
	for range e.families {
		err := yield(&dto.MetricFamily{Name: &name, Type: dto.MetricType_GAUGE.Enum(), Metric: []*dto.Metric{{Gauge: &dto.Gauge{Value: &value}}}})
		if err != nil {
			return err
		}
	}
	return nil
}
func (e *endless) Targets() []*scrape.Target    { return nil }
func (e *endless) Target(string) *scrape.Target { return nil }
func (e *endless) Config() ConfigStatus         { return ConfigStatus{} }
func (e *endless) Reload() (Reloaded, error)    { return Reloaded{}, nil }

// pipes is a listener on the bubble's clock. A pipe has no buffer: what nobody reads blocks.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours
}

func ask(t *testing.T, c net.Conn, path string) *http.Response {
	t.Helper()
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nX-Prometheus-Scrape-Timeout-Seconds: 10\r\n\r\n", path)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestScraperThatStopsReadingLosesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, listener := &endless{1_000_000}, make(pipes)
		server := &http.Server{Handler: Handler(e, Options{MaxRequests: 1, Offset: 500 * time.Millisecond})}
		go server.Serve(listener)
		defer server.Close()
		stopped, next := listener.dial(), listener.dial()
		defer stopped.Close()
		ask(t, stopped, "/metrics") // and its body is not read
		if resp := ask(t, next, "/metrics"); resp.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("status %d while the place is taken", resp.StatusCode)
		}
		time.Sleep(40 * time.Second)
		e.families = 1
		next = listener.dial()
		defer next.Close()
		resp := ask(t, next, "/metrics")
		if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), "llm_x 1") {
			t.Errorf("status %d %q, want the page", resp.StatusCode, body)
		}
		// The deadline of a page that was read is none for the next on its connection.
		time.Sleep(2 * time.Minute)
		if resp := ask(t, next, "/-/healthy"); resp.StatusCode != http.StatusOK {
			t.Errorf("another page on the same connection: status %d", resp.StatusCode)
		}
	})
}
