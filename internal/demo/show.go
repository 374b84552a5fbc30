package demo

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/internal/replay"
)

// show tells what happens: on the terminal, on the fleet's page, and in the end as a summary.
type show struct {
	opts  Options
	stage *stage
	prom  *replay.Prometheus

	mu   sync.Mutex // guards view; the page reads it while the play goes on
	view view
}

func newShow(o Options, s *stage, p *replay.Prometheus) *show {
	return &show{opts: o, stage: s, prom: p}
}

// step prints the transitions and renews the page.
func (s *show) step(ctx context.Context, step replay.Step) {
	for _, t := range step.Transitions {
		if !s.opts.Once && !always(t.Span) {
			fmt.Fprintf(s.opts.Out, "%6.0f  %-8s  %-24s  %s\n", step.At.Seconds(), t.To, t.Span.Alert, labelsOf(t.Span))
			if t.To == "firing" {
				fmt.Fprintf(s.opts.Out, "%18s%s\n", "", t.Span.Annotations["summary"])
			}
		}
	}
	if s.opts.Once {
		return
	}
	v := s.look(ctx, step)
	s.mu.Lock()
	s.view = v
	s.mu.Unlock()
}

// always says whether an alert is the watchdog, which is no news.
func always(s *replay.Span) bool { return s.Labels.Get("severity") == "none" }

// labelsOf are an alert's labels, with the machine where there are several.
func labelsOf(s *replay.Span) string {
	short := s.ShortLabels()
	if machine := s.Labels.Get("instance"); machine != "" && machine != replay.Instance {
		return strings.TrimSuffix(fmt.Sprintf("instance=%q, %s", machine, short), ", ")
	}
	return short
}

// summary prints one line for each alert that went beyond pending, and one for each card.
func (s *show) summary(ctx context.Context) {
	fmt.Fprintf(s.opts.Out, "\n%-24s  %7s  %7s  %8s  %s\n", "alert", "pending", "firing", "resolved", "labels")
	for _, span := range s.prom.Spans() {
		if span.Fired() {
			fmt.Fprintf(s.opts.Out, "%-24s  %7s  %7s  %8s  %s\n", span.Alert, second(span.Pending), second(span.Firing), second(span.Resolved), labelsOf(span))
		}
	}
	s.writeCards(ctx, s.stage.now())
}

// second is a time of the play in seconds, "-" for what did not happen.
func second(d time.Duration) string {
	if d < 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", d.Seconds())
}
