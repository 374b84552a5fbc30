package scrape

import (
	"bytes"
	"context"
	"crypto/x509"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// round is one pass over what a target is asked. Target.mu guards the fields without a lock
// of their own, until done is closed; then they do not change any more.
type round struct {
	done    chan struct{} // closed at the end
	state   *State        // what it found; nil when it was abandoned
	cancel  context.CancelFunc
	waiting int  // callers
	missed  bool // a caller's deadline passed
	running bool // it has its place among the rounds that may run at once

	log roundLog
}

// roundLog is what a round has been through so far. A scrape whose deadline passes reads it
// while the round goes on: health may be known although the numbers are not.
type roundLog struct {
	mu              sync.Mutex // guards all fields
	statuses        map[string]int
	pending         []string  // paths that are being waited for
	certificateEnds time.Time // the first to expire of the certificates that were shown
	odd             *string   // content type of an exposition that Prometheus would refuse
	asked           bool      // for an exposition; if not, the numbers are those of an earlier round
}

func (l *roundLog) asking(path string, exposition bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = l.asked || exposition
	l.pending = append(l.pending, path)
}

// ended takes a path off the list of what is being waited for.
func (l *roundLog) ended(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.pending, path); i >= 0 {
		l.pending = slices.Delete(l.pending, i, i+1)
	}
}

// waitingFor returns the paths that have not been answered yet, without their queries.
func (l *roundLog) waitingFor() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var paths []string
	for _, p := range l.pending {
		path, _, _ := strings.Cut(p, "?")
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return strings.Join(slices.Compact(paths), ", ")
}

func (l *roundLog) answered(path string, a *engine.Answer, resp *http.Response, exposition bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.statuses == nil {
		l.statuses = make(map[string]int)
	}
	l.statuses[path] = a.Status
	if exposition && a.Status/100 == 2 && !readable(a.Header.Get("Content-Type")) {
		odd := a.Header.Get("Content-Type")
		l.odd = &odd
	}
	if resp != nil && resp.TLS != nil {
		for _, c := range resp.TLS.PeerCertificates {
			l.shown(c)
		}
	}
}

func (l *roundLog) shown(c *x509.Certificate) {
	if l.certificateEnds.IsZero() || c.NotAfter.Before(l.certificateEnds) {
		l.certificateEnds = c.NotAfter
	}
}

// readable says whether Prometheus 3 takes the content type for an exposition.
func readable(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "text/plain" || kind == "application/openmetrics-text")
}

// oddType returns the content type that Prometheus would refuse, if there was one.
func (l *roundLog) oddType() (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.odd == nil {
		return "", false
	}
	return *l.odd, true
}

func (l *roundLog) expiry() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.certificateEnds
}

// askedForNumbers says whether an exposition was asked for in this round.
func (l *roundLog) askedForNumbers() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// health says what the answers so far tell: any good answer of a health path is a yes, any
// other answer of one a no.
func (l *roundLog) health(isHealth func(path string) bool) (h engine.Tri) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path, status := range l.statuses {
		if !isHealth(path) {
			continue
		}
		if status/100 == 2 {
			return engine.Yes
		}
		h = engine.No
	}
	if len(l.statuses) == 0 {
		h = engine.No // not one path has answered
	}
	return h
}

// asker is the Fetch of one round. It lends the bodies' memory until the round ends.
type asker struct {
	target *Target
	round  *round

	mu   sync.Mutex // guards lent
	lent []*bytes.Buffer
}

func (a *asker) fetch(ctx context.Context, port engine.Port, path string) (*engine.Answer, error) {
	t, log := a.target, &a.round.log
	if resting := t.rests.failure(asked{port, path}, t.now()); resting != nil {
		return nil, resting
	}
	exposition := among(t.paths.expositions, path)
	log.asking(path, exposition)
	defer log.ended(path)
	began := t.now()
	answer, resp, err := t.fetcher.fetch(ctx, port, path, a.lend())
	t.rests.note(ctx, asked{port, path}, err, began, t.now())
	if err == nil && exposition && mayBeCut(resp, answer.Body) {
		err = &engine.FetchError{Reason: catalog.ReasonRefused, Err: errMayBeCut}
	}
	if err != nil {
		return nil, err
	}
	log.answered(path, answer, resp, exposition)
	return answer, nil
}

func (a *asker) lend() *bytes.Buffer {
	a.mu.Lock()
	defer a.mu.Unlock()
	buf := a.target.fetcher.buffers.get()
	a.lent = append(a.lent, buf)
	return buf
}

func (a *asker) takeBack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, buf := range a.lent {
		a.target.fetcher.buffers.put(buf)
	}
	a.lent = nil
}
