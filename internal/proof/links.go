package proof

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// followLinks opens the panel of every alert that fired, with the choices in its link: the person
// who was woken must find a number there. An alert without instance is about something that is
// absent, and its panel says so. Panels that are not given are not looked for.
func (r *run) followLinks(ctx context.Context) error {
	r.alerts(func(a alertRule) {
		panel := r.queriesOf(a.Panel)
		for _, p := range r.casesOf(a.Alert) {
			for _, s := range p.byAlert[a.Name] {
				link := s.Annotations["dashboard_url"]
				if len(panel) == 0 || link == "" || !s.Fired() || s.Labels.Get("instance") == "" {
					continue
				}
				r.report.Links++
				bad := follow(ctx, p, s, panel, link)
				r.report.count(&r.report.Followed, bad == "")
				if bad != "" {
					r.report.fail("%s: on %s at second %s: its link opens nothing: %s: %s", a.Name, p.replay, replay.Seconds(s.Firing), link, bad)
				}
			}
		}
	})
	return ctx.Err()
}

// queriesOf are the queries of a panel that show something.
func (r *run) queriesOf(panel string) (out []Expression) {
	for _, e := range r.Expressions {
		if i := strings.LastIndex(e.Key, "/"); i > 0 && e.Key[:i] == panel && !e.Explains {
			out = append(out, e)
		}
	}
	return out
}

// casesOf are the replays on which an alert's cases want it to fire, each once.
func (r *run) casesOf(a *rules.Alert) (out []*played) {
	for _, c := range a.Cases {
		if p := r.caseReplay(c); p != nil && len(c.Fires) > 0 && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// follow looks for a number in a panel at the second at which an alert began to fire.
func follow(ctx context.Context, p *played, s *replay.Span, panel []Expression, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	chosen := map[string][]string{}
	for name, values := range u.Query() {
		if variable, ok := strings.CutPrefix(name, "var-"); ok {
			chosen[variable] = values
		}
	}
	for _, e := range panel {
		text := e.Text
		if e.With != nil {
			if text, err = e.With(chosen); err != nil {
				return err.Error()
			}
		}
		if vec, _, err := p.prometheus.Instant(ctx, text, s.Firing); err == nil && len(vec) > 0 {
			return ""
		}
	}
	return fmt.Sprintf("no number at %v", chosen)
}
