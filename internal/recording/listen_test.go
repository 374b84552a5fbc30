package recording

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// stepped is a clock that a test moves.
type stepped struct{ now atomic.Int64 }

func (c *stepped) at(seconds int64)   { c.now.Store(seconds * int64(time.Second)) }
func (c *stepped) get() time.Duration { return time.Duration(c.now.Load()) }

func ask(t *testing.T, c *http.Client, url string, limit time.Duration) (*http.Response, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func TestPortsEndRequestsAsTheServerDid(t *testing.T) {
	clock := &stepped{}
	ports, err := NewPlayer(everyEnding(), clock.get).Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer ports.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	url := ports.URLs()["one"] + "/metrics"

	for _, tt := range []struct {
		at     int64
		status int
		body   string
		err    error
	}{
		{0, 200, "up 1\n", nil},
		{10, 0, "", context.DeadlineExceeded},
		{20, 0, "", syscall.ECONNRESET},
		{30, 0, "", syscall.ECONNREFUSED},
		{40, 503, "loading", nil},
		{50, 200, "up 2\n", nil},
	} {
		clock.at(tt.at)
		ports.Sync()
		resp, body, err := ask(t, client, url, 300*time.Millisecond)
		if tt.err != nil {
			// An HTTP client reports a connection that was reset before any byte as either.
			if !errors.Is(err, tt.err) && !(tt.err == syscall.ECONNRESET && errors.Is(err, io.EOF)) {
				t.Errorf("at %d: %v, want %v", tt.at, err, tt.err)
			}
			continue
		}
		if err != nil || resp.StatusCode != tt.status || body != tt.body {
			t.Errorf("at %d: %v %q %v, want %d %q", tt.at, resp, body, err, tt.status, tt.body)
		}
	}
}

func TestPortsSendWhatWasRecordedAndNothingElse(t *testing.T) {
	clock := &stepped{}
	ports, err := NewPlayer(everyEnding(), clock.get).Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer ports.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

	resp, _, err := ask(t, client, ports.URLs()["one"]+"/metrics", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/plain" {
		t.Errorf("Content-Type = %q, want text/plain", got)
	}
	if got := resp.Header.Get("Server"); got != "one/1" {
		t.Errorf("Server = %q, want one/1", got)
	}
	clock.at(40)
	ports.Sync()
	resp, _, err = ask(t, client, ports.URLs()["one"]+"/metrics", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if got, guessed := resp.Header["Content-Type"]; guessed {
		t.Errorf("Content-Type = %q, but none was recorded", got)
	}
	if resp, _, err := ask(t, client, ports.URLs()["one"]+"/slots", time.Second); err != nil || resp.StatusCode != 404 {
		t.Errorf("a path that was never asked: %v %v, want 404", resp, err)
	}
}

func TestPortsFollowTheClockByThemselves(t *testing.T) {
	clock := &stepped{}
	ports, err := NewPlayer(everyEnding(), clock.get).Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer ports.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	clock.at(30)
	deadline := time.Now().Add(5 * time.Second)
	for {
		_, _, err := ask(t, client, ports.URLs()["one"]+"/metrics", time.Second)
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after 5s the port still gives %v, want connection refused", err)
		}
		time.Sleep(watchEvery)
	}
}

func TestCloseEndsHangingRequestsAndLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	clock := &stepped{}
	clock.at(10)
	ports, err := NewPlayer(everyEnding(), clock.get).Listen()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	hung := make(chan error, 1)
	url := ports.URLs()["one"] + "/metrics"
	go func() {
		_, _, err := ask(t, client, url, time.Minute)
		hung <- err
	}()
	for ports.player.Asked()["GET http://one/metrics"] == 0 {
		time.Sleep(time.Millisecond)
	}
	ports.Close()
	ports.Close() // twice is once
	select {
	case err := <-hung:
		if err == nil {
			t.Error("the hanging request was answered, want an error")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the request still hangs 5s after Close")
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFleetPlaysOverRealPorts(t *testing.T) {
	clock := &stepped{}
	r := fleet(t)
	ports, err := NewPlayer(r, clock.get).Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer ports.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, at := range []int64{0, 465, 480, 645, 1245, 1485} {
		clock.at(at)
		ports.Sync()
		for _, s := range r.Servers {
			for _, path := range s.Paths() {
				want, ok := s.At(clock.get(), path)
				resp, body, err := ask(t, client, ports.URLs()[s.Name]+path, 2*time.Second)
				switch {
				case !ok:
					t.Errorf("%s %s at %d: not recorded", s.Name, path, at)
				case want.Failure == Refused:
					if !errors.Is(err, syscall.ECONNREFUSED) {
						t.Errorf("%s %s at %d: %v, want connection refused", s.Name, path, at, err)
					}
				case err != nil || resp.StatusCode != want.Status || body != string(want.Body) || resp.Header.Get("Content-Type") != want.ContentType:
					t.Errorf("%s %s at %d: %v, %d bytes, %v; want %d, %d bytes", s.Name, path, at, resp, len(body), err, want.Status, len(want.Body))
				}
			}
		}
	}
}
