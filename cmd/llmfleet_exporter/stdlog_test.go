package main

import (
	"io"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBytesBehindAnAnswerAreSaidOnceAndNotLogged asks a server whose Content-Length is too small
// until net/http has complained several times.
func TestBytesBehindAnAnswerAreSaidOnceAndNotLogged(t *testing.T) {
	before, plain, flags := slog.Default(), stdlog.Writer(), stdlog.Flags()
	t.Cleanup(func() {
		slog.SetDefault(before)
		stdlog.SetOutput(plain)
		stdlog.SetFlags(flags)
	})
	var log lines
	takeStandardLog(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nx 1\nsecret_words 2\n")
	})}
	go server.Serve(l)
	defer server.Close()

	const again = "level=DEBUG"
	for range 500 {
		resp, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if strings.Contains(log.String(), again) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stdlog.Print("http: another matter")
	got := log.String()
	if !strings.Contains(got, again) || strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "Content-Length") {
		t.Errorf("want one warning, and what follows for debugging:\n%s", got)
	}
	if strings.Contains(got, "secret_words") {
		t.Errorf("the answer's text is in the log:\n%s", got)
	}
	if !strings.Contains(got, `level=INFO msg="http: another matter"`) {
		t.Errorf("other messages are lost:\n%s", got)
	}
}
