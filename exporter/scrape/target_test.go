package scrape

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

func TestHungServerCostsOnlyItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := &slow{after: time.Hour}
		f := fleetOf(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "hung.test" {
				return hung.RoundTrip(r)
			}
			return answer(r, "page"), nil
		}), backend("good", time.Minute), backend("hung", time.Minute))

		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		states := f.Scrape(ctx)
		if took := time.Since(began); took != 9500*time.Millisecond {
			t.Errorf("the scrape took %s, want 9.5s", took)
		}
		good, bad := states[0], states[1]
		expect(t, good, 1, catalog.Up)
		expect(t, bad, 0, catalog.Up)
		expect(t, bad, 1, catalog.ScrapeFailed, "timeout")
		expect(t, bad, 0, catalog.ScrapeFailed, "refused")
		expect(t, bad, 9.5, catalog.ScrapeDuration)
		// It has answered /health in this round, so it is not down.
		expect(t, bad, 1, catalog.Healthy)
		expectAbsent(t, bad, catalog.RequestsRunning)
		expectAbsent(t, bad, catalog.ScrapeLastSuccess)
		if !strings.Contains(bad.Problem, "9.5s") || !strings.Contains(bad.Problem, "/metrics") {
			t.Errorf("problem %q does not say how long it waited and for what", bad.Problem)
		}
	})
}

func TestServerThatAnswersNothingIsNotHealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}), backend("a", time.Minute))
		expect(t, scrapeWithin(t, f.Target("a"), time.Second), 0, catalog.Healthy)
	})
}

func TestLateResultIsUsedOnceByTheNextScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: 12 * time.Second}
		f := fleetOf(t, server, backend("a", time.Minute))
		a := f.Target("a")

		expect(t, scrapeWithin(t, a, 10*time.Second), 0, catalog.Up)
		time.Sleep(5 * time.Second) // 15: the round ended at 12
		late := scrapeWithin(t, a, 10*time.Second)
		expect(t, late, 1, catalog.Up)
		expect(t, late, 1, catalog.RequestsRunning)
		expect(t, late, 1, catalog.ScrapeErrors, "timeout")
		if asked, _ := server.counts(); asked != 1 {
			t.Errorf("%d requests, want 1: the late result needs no other", asked)
		}
		expect(t, scrapeWithin(t, a, 10*time.Second), 0, catalog.Up)
		if asked, _ := server.counts(); asked != 2 {
			t.Errorf("%d requests, want 2: the late result is used once", asked)
		}
	})
}

func TestOldLateResultIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: 12 * time.Second}
		f := fleetOf(t, server, backend("a", time.Minute))
		a := f.Target("a")
		scrapeWithin(t, a, 10*time.Second)
		time.Sleep(2*time.Second + lateFor + time.Millisecond)
		expect(t, scrapeWithin(t, a, 20*time.Second), 2, catalog.RequestsRunning)
	})
}

func TestC38ScrapeIsSkippedWhileTheLateRoundGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: 25 * time.Second}
		f := fleetOf(t, server, backend("a", time.Minute))
		a := f.Target("a")
		scrapeWithin(t, a, 9*time.Second)
		time.Sleep(6 * time.Second) // 15
		second := scrapeWithin(t, a, 9*time.Second)
		if took := second.Took; took > time.Second {
			t.Errorf("the second scrape took %s: a server that is known to be slow kept it", took)
		}
		expect(t, second, 1, catalog.ScrapeFailed, "skipped")
		expect(t, second, 1, catalog.Healthy)
		expect(t, second, 1, catalog.ScrapeErrors, "timeout")
		expect(t, second, 1, catalog.ScrapeErrors, "skipped")
		time.Sleep(14500 * time.Millisecond) // 30: the round ended at 25
		third := scrapeWithin(t, a, 9*time.Second)
		expect(t, third, 1, catalog.Up)
		if asked, most := server.counts(); asked != 1 || most != 1 {
			t.Errorf("%d requests, %d at once, want 1 and 1", asked, most)
		}
		fourth := scrapeWithin(t, a, 9*time.Second) // asked anew, and missed: the age of the good numbers shows
		expect(t, fourth, float64(third.LastSuccess.UnixMilli())/1000, catalog.ScrapeLastSuccess)
	})
}

func TestRoundEndsAtTheTargetsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: time.Hour}
		f := fleetOf(t, server, backend("a", 20*time.Second))
		a := f.Target("a")
		scrapeWithin(t, a, 10*time.Second)
		time.Sleep(11 * time.Second)
		synctest.Wait()
		// The round ended at 20 with a timeout of its own. The scrape that missed it has
		// counted the timeout, and the next one shows it.
		state := scrapeWithin(t, a, 10*time.Second)
		expect(t, state, 1, catalog.ScrapeFailed, "timeout")
		expect(t, state, 1, catalog.ScrapeErrors, "timeout")
		if asked, _ := server.counts(); asked != 1 {
			t.Errorf("%d requests, want 1", asked)
		}
	})
}

func TestConcurrentCallersShareOneRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: time.Second}
		f := fleetOf(t, server, backend("a", time.Minute))
		var callers sync.WaitGroup
		for i := range 20 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond)
				expect(t, scrapeWithin(t, f.Target("a"), 10*time.Second), 1, catalog.RequestsRunning)
			})
		}
		callers.Wait()
		if asked, most := server.counts(); asked != 1 || most != 1 {
			t.Errorf("%d requests, %d at once, want 1 and 1", asked, most)
		}
	})
}

func TestRoundEndsWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slow{after: time.Hour}
		f := fleetOf(t, server, backend("a", 2*time.Hour))
		ctx, hangUp := context.WithCancel(t.Context())
		stays, leave := context.WithCancel(t.Context())
		go f.Target("a").Scrape(ctx)
		go f.Target("a").Scrape(stays)
		synctest.Wait()
		hangUp()
		synctest.Wait()
		if server.open != 1 {
			t.Fatalf("%d requests open, want 1: one caller still waits", server.open)
		}
		leave()
		synctest.Wait()
		if server.open != 0 {
			t.Fatalf("%d requests open, want 0: nobody waits", server.open)
		}
		// Whoever comes now gets a round of his own, not the rest of the abandoned one.
		server.after = time.Second
		expect(t, scrapeWithin(t, f.Target("a"), 10*time.Second), 1, catalog.Up)
	})
}

func TestHungServersDoNotKeepOthersFromBeingAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := &slow{after: time.Hour}
		f := New(Options{NewSession: newPlainSession, Engines: []*engine.Engine{plain}, AtOnce: 1, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.URL.Host, "hung") {
				return hung.RoundTrip(r)
			}
			return answer(r, "page"), nil
		})})
		defer f.Close()
		if err := f.Load(configOf(backend("hung1", time.Hour), backend("hung2", time.Hour), backend("zgood", time.Hour))); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		states := f.Scrape(ctx)
		expect(t, states[2], 1, catalog.Up)

		// The hung rounds go on. A scraper with little time must not pay for them.
		began := time.Now()
		expect(t, scrapeWithin(t, f.Target("zgood"), 500*time.Millisecond), 1, catalog.Up)
		if took := time.Since(began); took != 0 {
			t.Errorf("a good server waited %s for those that hang", took)
		}
	})
}

func TestPanicInASessionHidesOnlyItsTarget(t *testing.T) {
	f := New(Options{
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) { return answer(r, "page"), nil }),
		NewSession: func(o engine.Options) Session {
			if o.Backend == "bad" {
				return panicking{}
			}
			return newPlainSession(o)
		},
	})
	defer f.Close()
	if err := f.Load(configOf(backend("bad", time.Minute), backend("good", time.Minute))); err != nil {
		t.Fatal(err)
	}
	states := f.Scrape(t.Context())
	expect(t, states[0], 0, catalog.Up)
	expect(t, states[1], 1, catalog.Up)
}

type panicking struct{}

func (panicking) Read(context.Context, engine.Fetch) *engine.Reading { panic("a mistake") }

func TestScrapeAfterCloseAnswers(t *testing.T) {
	f := fleetOf(t, &slow{}, backend("a", time.Minute))
	f.Close()
	state := f.Target("a").Scrape(t.Context())
	expect(t, state, 0, catalog.Up)
	expect(t, state, 1, catalog.ScrapeFailed, "skipped")
}
