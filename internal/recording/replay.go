package recording

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Player answers requests with what a recording holds for the time its clock says. It is an
// http.RoundTripper in which the host of a URL is the name of a server (http://medium-a/metrics);
// Listen gives every server a real port instead.
type Player struct {
	rec *Recording
	now func() time.Duration

	mu      sync.Mutex // guards asked and unknown
	asked   map[string]int
	unknown map[string]int
}

// NewPlayer plays a recording at the time that now returns: time since the recording's start.
// The caller's clock may run at any speed, or stand.
func NewPlayer(r *Recording, now func() time.Duration) *Player {
	return &Player{rec: r, now: now, asked: map[string]int{}, unknown: map[string]int{}}
}

// Player plays one state for ever, as a server of the name "service".
func (s *State) Player() *Player {
	r := &Recording{Name: s.Name, Servers: []*Server{{Name: "service", Answers: s.Answers}}}
	return NewPlayer(r, func() time.Duration { return 0 })
}

// Asked counts the requests so far, by "GET http://server/path".
func (p *Player) Asked() map[string]int { return p.counts(p.asked) }

// Unknown counts the requests that the recording has no answer for: paths nobody asked when it
// was made, servers it does not have, methods other than GET.
func (p *Player) Unknown() map[string]int { return p.counts(p.unknown) }

func (p *Player) counts(m map[string]int) map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(m)
}

// RoundTrip answers a request as the server that its host names did. A recorded timeout is
// context.DeadlineExceeded at once: simulated time does not pass while one waits. Ports from
// Listen do hang.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	server := p.rec.Server(req.URL.Host)
	if server == nil {
		server = p.rec.Server(req.URL.Hostname())
	}
	if server == nil {
		p.note(req.URL.Hostname(), req, false)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: req.URL.Hostname(), IsNotFound: true}}
	}
	a := p.answer(server, req)
	switch a.Failure {
	case Refused:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case Reset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	case TimedOut:
		return nil, context.DeadlineExceeded
	}
	return &http.Response{
		Status: strconv.Itoa(a.Status) + " " + http.StatusText(a.Status), StatusCode: a.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: p.header(server, a), Body: io.NopCloser(bytes.NewReader(a.Body)), ContentLength: int64(len(a.Body)),
		Request: req,
	}, nil
}

// notRecorded is the answer to what the recording does not know.
var notRecorded = &Answer{Status: http.StatusNotFound, ContentType: "text/plain; charset=utf-8", Body: []byte("not in the recording\n")}

// answer finds what a server says to a request now, and counts the request.
func (p *Player) answer(s *Server, req *http.Request) *Answer {
	now := p.now()
	a, ok := s.At(now, req.URL.RequestURI())
	if req.Method != http.MethodGet && (!ok || a.Failure == Answered) {
		ok = false
	}
	if !ok && s.Down(now) {
		a, ok = &Answer{Failure: Refused}, true
	}
	p.note(s.Name, req, ok)
	if !ok {
		return notRecorded
	}
	return a
}

func (p *Player) note(server string, req *http.Request, known bool) {
	key := req.Method + " http://" + server + canonical(req.URL.RequestURI())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[key]++
	if !known {
		p.unknown[key]++
	}
}

// header is what an answer is sent with: its own headers, else what the program is known to send.
func (p *Player) header(s *Server, a *Answer) http.Header {
	h := http.Header{}
	for name, value := range p.rec.Meta.Headers[s.Name] {
		h.Set(name, value)
	}
	for name, value := range a.Header {
		h.Set(name, value)
	}
	if a.ContentType != "" {
		h.Set("Content-Type", a.ContentType)
	}
	return h
}
