package promapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
)

// pipes is a network whose time is the bubble's: a connection is read or it stalls.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p); return nil }

func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// ask opens a connection, asks, and leaves the answer unread.
func (p pipes) ask(t *testing.T, path string) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	p <- server
	if _, err := fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: prometheus\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	return client
}

// readAnswer reads what a connection got, to its end.
func readAnswer(t *testing.T, c net.Conn) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body strings.Builder
	if _, err := bufio.NewReader(resp.Body).WriteTo(&body); err != nil || !strings.HasPrefix(body.String(), `{"status":"success"`) {
		t.Errorf("%v: %.100s", err, body.String())
	}
}

func TestAskersWhoDoNotReadCostFourAnswersAndTwentySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		network := make(pipes)
		server := &http.Server{Handler: promapi.Handler(promapi.Source{Metadata: func() map[string]promapi.Metadata {
			made.Add(1)
			return map[string]promapi.Metadata{"llm_up": {Help: strings.Repeat("x", 1<<20)}}
		}})}
		go server.Serve(network)
		defer server.Close()

		for range 10 {
			defer network.ask(t, "/api/v1/metadata").Close()
		}
		began := time.Now()
		time.Sleep(19 * time.Second)
		synctest.Wait()
		if made.Load() != 4 {
			t.Errorf("%d answers were made while none was read, want 4", made.Load())
		}
		reader := network.ask(t, "/api/v1/metadata")
		defer reader.Close()
		readAnswer(t, reader)
		if took := time.Since(began); took > 41*time.Second { // after four and four; with the last two
			t.Errorf("the one who reads got the answer after %s", took)
		}
	})
}
