package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// worstFirst is the order of the rows: what needs a person stands on top.
var worstFirst = map[string]int{"bad": 0, "warn": 1, "good": 2, "quiet": 3}

// page shows one row per target for a person; it asks none.
func (s *site) page(w http.ResponseWriter, _ *http.Request) {
	view := struct {
		Version, MetricsPath string
		Config               ConfigStatus
		Loaded               string
		Rows                 []row
		Counts               map[string]int
	}{Version: s.Version, MetricsPath: s.MetricsPath, Config: s.exporter.Config(), Counts: map[string]int{}}
	now := s.Now()
	view.Loaded = age(view.Config.Loaded, now)
	for _, t := range s.exporter.Targets() {
		r := rowOf(t.Last(), now)
		view.Counts[r.Tone]++
		view.Rows = append(view.Rows, r)
	}
	slices.SortStableFunc(view.Rows, func(a, b row) int { return worstFirst[a.Tone] - worstFirst[b.Tone] })

	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, view); err != nil {
		s.Log.Error("Page not made", "err", err)
		http.Error(w, "The page cannot be made; /api/v1/targets has the same in JSON.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write(out.Bytes())
}
