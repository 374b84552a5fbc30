package scrape

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// stalled is a server whose /metrics takes no answer until it has recovered. It keeps what it was
// asked in its queue, as SGLang keeps the generation that /health starts.
type stalled struct {
	mu        sync.Mutex // guards what follows
	open      int
	most      int
	at        []time.Time
	recovered bool
}

func (s *stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	if r.URL.Path != "/metrics" || s.recovered {
		defer s.mu.Unlock()
		return answer(r, "page"), nil
	}
	s.at = append(s.at, time.Now())
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	<-r.Context().Done()
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
	return nil, r.Context().Err()
}

// Scraped every 5 s with a limit of 20 s: a question is broken off at 20, and then left alone for
// 20, 40 and from then on 60 seconds.
func TestC46ProbesThatTimeOutDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &stalled{}
		a := fleetOf(t, server, backend("a", 20*time.Second)).Target("a")
		began := time.Now()
		scrape := func() *State {
			due := time.Now().Add(5 * time.Second)
			state := scrapeWithin(t, a, 4*time.Second)
			time.Sleep(time.Until(due))
			return state
		}
		var last *State
		for time.Since(began) < 5*time.Minute {
			last = scrape()
			expect(t, last, 0, catalog.Up)
		}
		server.mu.Lock()
		var asked []int
		for _, at := range server.at {
			asked = append(asked, int(at.Sub(began).Seconds()))
		}
		most := server.most
		server.recovered = true
		server.mu.Unlock()
		want := []int{0, 40, 100, 180, 260}
		if most != 1 || len(asked) != len(want) {
			t.Fatalf("asked at seconds %v, %d at once, want %v, one at once", asked, most, want)
		}
		for i := range want {
			if asked[i] != want[i] {
				t.Fatalf("asked at seconds %v, want %v", asked, want)
			}
		}
		expect(t, last, 1, catalog.ScrapeFailed, "timeout")
		expect(t, last, 1, catalog.Healthy)
		for time.Since(began) < 340*time.Second {
			scrape()
		}
		expect(t, scrape(), 1, catalog.Up) // its rest ended at 340
	})
}

func TestRestIsForgottenWithTheFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: time.Hour}
		a := fleetOf(t, server, backend("a", 10*time.Second)).Target("a")
		scrapeWithin(t, a, 20*time.Second)                           // asked, and broken off at 10
		expect(t, scrapeWithin(t, a, 20*time.Second), 0, catalog.Up) // at rest until 20
		time.Sleep(10 * time.Second)
		server.after = time.Second
		expect(t, scrapeWithin(t, a, 20*time.Second), 1, catalog.Up)
		server.after = time.Hour
		scrapeWithin(t, a, 20*time.Second) // a first time again: a rest of 10, not of 20
		time.Sleep(10 * time.Second)
		server.after = time.Second
		state := scrapeWithin(t, a, 20*time.Second)
		expect(t, state, 1, catalog.Up)
		expect(t, state, 2, catalog.ScrapeErrors, "timeout") // what was not asked did not fail
	})
}
