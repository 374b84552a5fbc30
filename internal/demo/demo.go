// Package demo plays recorded servers over real HTTP on loopback, and machines as text
// (testdata/hosts) under them, runs real exporters against both, and evaluates the real rules on
// what Prometheus would have stored.
//
// Time is simulated: it goes in steps of one scrape interval, at any speed, so that half an
// hour of a fleet passes in a minute, or in seconds where nobody watches.
package demo

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// Options say what is played and how.
type Options struct {
	Recordings []*recording.Recording
	Settings   rules.Settings
	// Speed is how many times faster than the clock simulated time runs, from Slowest on.
	Speed float64
	// Once plays through as fast as it can, prints the summary and returns.
	Once bool
	// Export is a folder, new or empty, that gets what Prometheus stored, once the play is over or
	// stopped, as blocks that a Prometheus server opens as its --storage.tsdb.path; "": none.
	Export string
	// ExporterAddress, PageAddress and PrometheusAddress are where the exporter, the fleet's page
	// and Prometheus' query API listen; a port that is taken is replaced by a free one, as it is
	// for exporters of machines.
	ExporterAddress, PageAddress, PrometheusAddress string
	// Out gets what a person reads.
	Out io.Writer
}

// Slowest is the lowest speed: two scrapes are then four hours apart.
const Slowest = 0.001

// Run plays the recordings side by side. It returns at the end of the longest one (Once), or
// when ctx ends.
func Run(ctx context.Context, o Options) error {
	if o.Export != "" {
		if err := prepareExport(o.Export); err != nil {
			return err
		}
	}
	s, err := newStage(o)
	if err != nil {
		return err
	}
	defer s.close()
	prom, err := s.prometheus(o.Settings)
	if err != nil {
		return err
	}
	defer prom.Close()

	show := newShow(o, s, prom)
	if !o.Once {
		prom.EvaluateAll() // whoever asks for the rules is to see each of them evaluated
		sites, err := show.serve()
		if err != nil {
			return err
		}
		defer sites.close()
	}
	if err := play(ctx, o, s, prom, show); err != nil {
		return err
	}
	show.summary(ctx)
	if o.Export != "" {
		if err := export(ctx, o, s, prom); err != nil {
			return err
		}
	}
	if !o.Once && ctx.Err() == nil {
		fmt.Fprintln(o.Out, "\nThe recordings are at their end; the pages stay until Ctrl-C.")
		<-ctx.Done()
	}
	return nil
}

// play steps through simulated time. Being told to stop is not an error: the step that has begun is
// taken to its end, for half of one looks like servers that do not answer.
func play(ctx context.Context, o Options, s *stage, prom *replay.Prometheus, show *show) error {
	pause := time.Duration(float64(replay.StepLength) / o.Speed)
	whole := context.WithoutCancel(ctx)
	for at := time.Duration(0); at <= s.length && ctx.Err() == nil; at += replay.StepLength {
		began := time.Now()
		s.advance(whole, at)
		step, err := prom.Step(whole, at)
		if err != nil {
			return fmt.Errorf("second %.0f: %w", at.Seconds(), err)
		}
		show.step(whole, step)
		if o.Once {
			continue
		}
		select {
		case <-time.After(pause - time.Since(began)):
		case <-ctx.Done():
		}
	}
	return nil
}
