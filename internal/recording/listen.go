package recording

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// watchEvery is how often a port looks at the clock to see whether its server still listens.
const watchEvery = 10 * time.Millisecond

// Ports are real listeners on loopback, one per server of a recording. While a server refuses,
// its port is closed; it opens again on the same number.
type Ports struct {
	player *Player
	ports  map[string]*port
	stop   chan struct{}
	done   chan struct{}
	once   sync.Once
}

// Listen opens a port for every server. Close ends them.
func (p *Player) Listen() (*Ports, error) {
	all := &Ports{player: p, ports: map[string]*port{}, stop: make(chan struct{}), done: make(chan struct{})}
	for _, s := range p.rec.Servers {
		one, err := newPort(p, s, all.stop)
		if err != nil {
			all.closePorts()
			return nil, fmt.Errorf("recording %s: server %s: %w", p.rec.Name, s.Name, err)
		}
		all.ports[s.Name] = one
	}
	all.Sync()
	go all.watch()
	return all, nil
}

// URLs are the addresses by the servers' names: "http://127.0.0.1:40123".
func (p *Ports) URLs() map[string]string {
	urls := map[string]string{}
	for name, one := range p.ports {
		urls[name] = "http://" + one.addr
	}
	return urls
}

// Sync opens and closes the ports as the clock says now. They do so by themselves within
// watchEvery; a caller that moves the clock in steps need not wait for that.
func (p *Ports) Sync() {
	now := p.player.now()
	for _, one := range p.ports {
		one.set(!one.server.Down(now))
	}
}

// Close closes all ports and ends what hangs.
func (p *Ports) Close() {
	p.once.Do(func() { close(p.stop) })
	<-p.done
}

func (p *Ports) watch() {
	defer close(p.done)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			p.closePorts()
			return
		case <-tick.C:
			p.Sync()
		}
	}
}

func (p *Ports) closePorts() {
	for _, name := range slices.Sorted(maps.Keys(p.ports)) {
		p.ports[name].set(false)
		p.ports[name].running.Wait()
	}
}

// port is the listener of one server.
type port struct {
	player  *Player
	server  *Server
	addr    string
	stop    <-chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex // guards listen
	listen *http.Server
}

func newPort(p *Player, s *Server, stop <-chan struct{}) (*port, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	one := &port{player: p, server: s, addr: l.Addr().String(), stop: stop}
	one.serve(l)
	return one, nil
}

// set opens or closes the port. Opening is tried again at the next tick when the number is
// taken by somebody's outgoing connection for a moment.
func (o *port) set(open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case open && o.listen == nil && !o.stopped():
		if l, err := net.Listen("tcp", o.addr); err == nil {
			o.serve(l)
		}
	case !open && o.listen != nil:
		o.listen.Close() // with its connections, as when a process dies
		o.listen = nil
	}
}

func (o *port) stopped() bool {
	select {
	case <-o.stop:
		return true
	default:
		return false
	}
}

func (o *port) serve(l net.Listener) {
	srv := &http.Server{Handler: o, ReadHeaderTimeout: 10 * time.Second}
	o.listen = srv
	o.running.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			l.Close()
		}
	})
}

// ServeHTTP answers as the server did; without an answer the connection ends as it did then.
func (o *port) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a := o.player.answer(o.server, req)
	switch a.Failure {
	case Refused, Reset:
		reset(w)
		return
	case TimedOut:
		select {
		case <-req.Context().Done():
		case <-o.stop:
		}
		reset(w)
		return
	}
	h := w.Header()
	maps.Copy(h, o.player.header(o.server, a))
	if a.ContentType == "" {
		h["Content-Type"] = nil // none was sent: none is guessed
	}
	if len(a.Body) > 0 || a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body) // a client that went away is its own affair
}

// reset ends the connection with a reset instead of an orderly close.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client is gone already
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
