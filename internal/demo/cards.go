package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/prometheus/promql"
)

// cardView is one card of the machines.
type cardView struct {
	Machine, Name, Address, Backend string
	Lost                            bool
	Used, Busy                      string
	UsedPercent                     float64
	Link, Card                      string // what the link carries now, and what the card could
	Limit                           string // the device whose link is the slowest
	Atomics                         string // "reach", "blocked", or "" where nothing tells
	AtomicsAt                       string // the device that stops them
}

// cardFigures are the facts of a card, by what they ask of the storage.
var cardFigures = map[string]string{
	"backend": `llm_gpu_backend_info`,
	"up":      `llm_gpu_up`,
	"used":    `llm_gpu_memory_usable_used_bytes / llm_gpu_memory_usable_size_bytes`,
	"busy":    `llm_gpu_busy_ratio`,
	"link":    `llm_gpu_link_bandwidth_bytes_per_second`,
	"card":    `llm_gpu_link_card_bandwidth_bytes_per_second`,
	"limit":   `llm_gpu_link_limiting_hop_info`,
	"atomics": `min by (instance, gpu) (llm_gpu_atomics_to_root)`,
	"blocked": `llm_gpu_atomics_blocking_hop_info`,
}

// cards gathers every card after a step.
func (s *show) cards(ctx context.Context, at time.Duration) []cardView {
	found := map[string]map[string]promql.Sample{}
	for key, expr := range cardFigures {
		found[key] = s.byCard(ctx, expr, at)
	}
	var out []cardView
	for id, info := range s.byCard(ctx, `llm_gpu_info`, at) {
		of := func(key string) (promql.Sample, bool) { v, ok := found[key][id]; return v, ok }
		c := cardView{
			Machine: info.Metric.Get("instance"), Name: info.Metric.Get("name"), Address: info.Metric.Get("gpu"),
			Used: figure(of, "used", "%.0f %%", 100), Busy: figure(of, "busy", "%.0f %%", 100),
			Link: figure(of, "link", "%.3g GB/s", 1e-9), Card: figure(of, "card", "%.3g GB/s", 1e-9),
			Backend: label(of, "backend", "backend"), Limit: label(of, "limit", "device"), AtomicsAt: label(of, "blocked", "device"),
		}
		up, _ := of("up")
		c.Lost = up.F == 0
		if used, ok := of("used"); ok {
			c.UsedPercent = 100 * used.F
		}
		if atomics, ok := of("atomics"); ok {
			c.Atomics = map[bool]string{true: "reach", false: "blocked"}[atomics.F == 1]
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b cardView) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Address, b.Address))
	})
	return out
}

// byCard returns the results of an expression by machine and card.
func (s *show) byCard(ctx context.Context, expr string, at time.Duration) map[string]promql.Sample {
	vector, _, err := s.prom.Instant(ctx, expr, at)
	if err != nil {
		return nil
	}
	out := map[string]promql.Sample{}
	for _, sample := range vector {
		out[sample.Metric.Get("instance")+" "+sample.Metric.Get("gpu")] = sample
	}
	return out
}

func figure(of func(string) (promql.Sample, bool), key, format string, scale float64) string {
	if v, ok := of(key); ok {
		return fmt.Sprintf(format, v.F*scale)
	}
	return ""
}

func label(of func(string) (promql.Sample, bool), key, name string) string {
	if v, ok := of(key); ok {
		return v.Metric.Get(name)
	}
	return ""
}

// writeCards prints one line for each card.
func (s *show) writeCards(ctx context.Context, at time.Duration) {
	all := s.cards(ctx, at)
	if len(all) == 0 {
		return
	}
	const row = "%-8s  %-13s  %-11s  %5s  %5s  %10s  %10s  %-13s  %s\n"
	fmt.Fprintf(s.opts.Out, "\n"+row, "machine", "card", "backend", "used", "busy", "link", "card could", "limited at", "atomics")
	for _, c := range all {
		atomics := c.Atomics
		if c.AtomicsAt != "" {
			atomics += " at " + c.AtomicsAt
		}
		fmt.Fprintf(s.opts.Out, row, c.Machine, c.Address, c.Backend, c.Used, c.Busy, c.Link, c.Card, c.Limit, atomics)
	}
}
