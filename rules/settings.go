package rules

import (
	"strconv"
	"time"

	"github.com/prometheus/common/model"
)

// Settings are what a user may change without touching code: names, addresses, thresholds.
// A Settings never changes once it is parsed.
type Settings struct {
	Job              string                   // label job that Prometheus gives the exporter
	ExtraLabels      map[string]string        // labels on every alert, for a route of the user's own
	ResourceLabels   map[string]string        // labels of the PrometheusRule resources, which their operator selects by
	ScrapeInterval   time.Duration            // of the exporter; the rules are evaluated at the same pace
	RunbookBaseURL   string                   // the alert's page is <base>/<RunbookFile>
	DashboardBaseURL string                   // address of Grafana; "": no dashboard_url on alerts
	Thresholds       map[string]float64       // by key; a key that is not here keeps its default
	Hold             map[string]time.Duration // by alert: for how long it must be so before it fires
	Keep             map[string]time.Duration // by alert: for how long it goes on firing when it is no longer so
}

// DefaultSettings is what stands without a settings file.
func DefaultSettings() Settings {
	return Settings{
		Job:              "llmfleet",
		ScrapeInterval:   15 * time.Second,
		RunbookBaseURL:   "https://github.com/llmfleet/llmfleet/blob/main/docs/runbooks",
		DashboardBaseURL: "http://localhost:3000",
	}
}

// Value is the threshold's number: the user's if he set one, else the default.
func (s Settings) Value(t *Threshold) float64 {
	if v, ok := s.Thresholds[t.Key]; ok {
		return v
	}
	return t.Default
}

// For is how long the alert's condition must hold: the user's time if he set one, else the alert's
// own, or two scrapes where these are further apart.
func (s Settings) For(a *Alert) time.Duration {
	if d, ok := s.Hold[a.Name]; ok {
		return d
	}
	if a.For == 0 { // the watchdog has no condition
		return 0
	}
	return max(a.For, s.leastHold())
}

// leastHold is the shortest time that a condition may have to hold: one odd scrape must not fire.
func (s Settings) leastHold() time.Duration { return 2 * s.ScrapeInterval }

// KeepFiring is for how long the alert goes on after its condition has ended: the user's time if
// he set one.
func (s Settings) KeepFiring(a *Alert) time.Duration {
	if d, ok := s.Keep[a.Name]; ok {
		return d
	}
	return a.KeepFiring
}

// DurationUnit is the unit of thresholds that are a span of time. PromQL and settings write
// them as 5m.
const DurationUnit = "duration_seconds"

// Text is the threshold's number as PromQL and people write it.
func (t *Threshold) Text(v float64) string {
	if t.Unit == DurationUnit {
		return model.Duration(time.Duration(v * float64(time.Second)).Round(time.Millisecond)).String()
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
