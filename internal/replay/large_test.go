package replay

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/rules"
)

// largeFleet is how many exporters send each recording: 50 backends and 200 cards in all.
var largeFleet = []struct {
	recording string
	copies    int
}{
	{"fleet-incidents", 5}, // four backends, one of them a router
	{"vllm-0.32.0/overload-long", 3},
	{"vllm-0.32.0/spec-ngram", 3},
	{"llamacpp-0.7.0-b11669/overload-long", 4},
	{"hosts/a1", 4}, // three backends on two cards
	{"hosts/a2", 8}, // one backend on two cards
	{"hosts/h29-x399-four-3090", 40},
	{"hosts/h45-two-r9700-x99", 8},
}

const largeBackends, largeCards = 50, 200

// isLarge makes sure that all of the fleet is there.
func (p *Prometheus) isLarge(ctx context.Context, b *testing.B, at time.Duration) {
	b.Helper()
	if n := p.count(ctx, b, "llm_healthy", at); n != largeBackends {
		b.Fatalf("%d backends, want %d", n, largeBackends)
	}
	if n := p.count(ctx, b, "llm_gpu_up", at); n != largeCards {
		b.Fatalf("%d cards, want %d", n, largeCards)
	}
}

func openPrometheus(b *testing.B, files []rules.File) *Prometheus {
	b.Helper()
	p, err := NewPrometheus(largeTargets(b), files)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	return p
}

// largeTargets are exporters; those of one recording send the same page, as instances of their own.
func largeTargets(b *testing.B) []Target {
	b.Helper()
	root, err := recording.Root()
	if err != nil {
		b.Fatal(err)
	}
	hosts, err := recording.HostsRoot()
	if err != nil {
		b.Fatal(err)
	}
	c, err := Load(os.DirFS(root), os.DirFS(hosts))
	if err != nil {
		b.Fatal(err)
	}
	var out []Target
	for _, f := range largeFleet {
		rep, err := c.Replay(f.recording, 0, "")
		if err != nil {
			b.Fatal(err)
		}
		targets, closeTargets, err := rep.Targets(rules.DefaultSettings().Job, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(closeTargets)
		page := &onePage{Scraper: targets[0].Scraper}
		for i := range f.copies {
			out = append(out, Target{targets[0].Job, fmt.Sprintf("%s-%d", f.recording, i), page})
		}
	}
	return append(out, prometheusTarget(c.Companion(), 1))
}

// onePage asks its exporter once for all who scrape it at the same time.
type onePage struct {
	Scraper
	at   time.Duration
	page Page
	err  error
}

func (o *onePage) Scrape(ctx context.Context, at time.Duration) (Page, error) {
	if o.page.Body == nil || at != o.at {
		o.page, o.err = o.Scraper.Scrape(ctx, at)
		o.at = at
	}
	return o.page, o.err
}

func step(ctx context.Context, b *testing.B, p *Prometheus, at time.Duration) {
	b.Helper()
	if _, err := p.Step(ctx, at); err != nil {
		b.Fatal(err)
	}
}

func (p *Prometheus) count(ctx context.Context, b *testing.B, selector string, at time.Duration) int {
	b.Helper()
	v, _, err := p.Instant(ctx, "count("+selector+")", at)
	if err != nil || len(v) != 1 {
		b.Fatalf("count(%s): %v, %v", selector, v, err)
	}
	return int(v[0].F)
}
