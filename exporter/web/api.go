package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/scrape"
)

// targetJSON is one target for programs. Fields that are not known are left out.
type targetJSON struct {
	Backend         string            `json:"backend"`
	URL             string            `json:"url,omitempty"`
	State           string            `json:"state"`
	Engine          string            `json:"engine,omitempty"`
	Version         string            `json:"version,omitempty"`
	Models          []string          `json:"models,omitempty"`
	Up              *bool             `json:"up,omitempty"`
	Healthy         *bool             `json:"healthy,omitempty"`
	Reason          string            `json:"reason,omitempty"`
	Problem         string            `json:"problem,omitempty"`
	Notes           []string          `json:"notes,omitempty"`
	Unscraped       string            `json:"unscraped,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	LastScrape      *time.Time        `json:"last_scrape,omitempty"`
	LastSuccess     *time.Time        `json:"last_success,omitempty"`
	DurationSeconds float64           `json:"duration_seconds,omitempty"`
	Series          int               `json:"series"`
}

// configJSON is the configuration's state for programs.
type configJSON struct {
	File   string    `json:"file,omitempty"`
	Loaded time.Time `json:"loaded"`
	Error  string    `json:"error,omitempty"`
}

// targetsJSON answers with what is known of all targets; it asks none.
func (s *site) targetsJSON(w http.ResponseWriter, _ *http.Request) {
	c := s.exporter.Config()
	answer := struct {
		Config  configJSON   `json:"config"`
		Targets []targetJSON `json:"targets"`
	}{configJSON{c.File, c.Loaded, c.Error}, []targetJSON{}}
	for _, t := range s.exporter.Targets() {
		answer.Targets = append(answer.Targets, jsonOf(t.Last()))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.Log.Debug("List of targets not sent", "err", err)
	}
}

func jsonOf(s *scrape.State) targetJSON {
	return targetJSON{
		Backend: s.Backend, URL: s.URL, State: Judge(s).Word, Engine: s.EngineName, Version: s.Version, Models: s.Models,
		Up: known(s.Up), Healthy: known(s.Healthy), Reason: string(s.Reason), Problem: s.Problem, Notes: s.Notes,
		Unscraped: s.Unscraped, Labels: s.Labels, LastScrape: moment(s.At), LastSuccess: moment(s.LastSuccess),
		DurationSeconds: s.Took.Seconds(), Series: len(s.Points),
	}
}

// known is nil for what is not.
func known(t engine.Tri) *bool {
	if t == engine.Unknown {
		return nil
	}
	yes := t == engine.Yes
	return &yes
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
