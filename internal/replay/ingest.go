package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/storage"
)

// Scraper answers one Prometheus target's scrapes.
type Scraper interface {
	// Scrape answers at a time of the replay. An error is a target that is down.
	Scrape(ctx context.Context, at time.Duration) (Page, error)
}

// Page is the answer to a scrape.
type Page struct {
	Body        []byte
	ContentType string
	Took        time.Duration // becomes scrape_duration_seconds
}

// Target is one entry of Prometheus' scrape configuration.
type Target struct {
	Job, Instance string
	Scraper       Scraper
}

// scrapeLoop is one target's life in Prometheus: what it sent last, so that what vanishes is
// marked stale.
type scrapeLoop struct {
	target  Target
	symbols *labels.SymbolTable
	cache   map[string]*cachedSeries // by the text of the series
	round   int
	report  map[string]*cachedSeries // up and its kin
	names   map[string]bool          // of all targets' samples; this one adds to it
}

// cachedSeries is a series that the target sent, and when it did so last.
type cachedSeries struct {
	ref    storage.SeriesRef
	labels labels.Labels
	seen   int
}

func newScrapeLoop(t Target, names map[string]bool) *scrapeLoop {
	return &scrapeLoop{
		target: t, names: names, symbols: labels.NewSymbolTable(),
		cache: map[string]*cachedSeries{}, report: map[string]*cachedSeries{},
	}
}

// scrape asks the target once and stores what Prometheus would store. problem says why the
// target counts as down, "" if it is up; err is a failure of the replay itself.
func (l *scrapeLoop) scrape(ctx context.Context, db *Storage, at time.Duration) (problem string, err error) {
	page, scrapeErr := l.target.Scraper.Scrape(ctx, at)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	l.round++
	app, samples := db.AppenderV2(ctx), 0
	if errors.Is(scrapeErr, errNoTarget) {
		if err := l.forget(app, at); err != nil {
			return "", errors.Join(err, app.Rollback())
		}
		return scrapeErr.Error(), app.Commit()
	}
	if scrapeErr == nil {
		samples, scrapeErr = l.store(app, page, at)
	}
	if scrapeErr != nil { // a page that cannot be read is dropped whole
		samples, problem = 0, scrapeErr.Error()
		l.round++
		if err := app.Rollback(); err != nil {
			return problem, err
		}
		app = db.AppenderV2(ctx)
	}
	if err := l.finish(app, at, page.Took, problem == "", samples); err != nil {
		return problem, errors.Join(err, app.Rollback())
	}
	return problem, app.Commit()
}

// finish adds what Prometheus itself says of the scrape.
func (l *scrapeLoop) finish(app storage.AppenderV2, at, took time.Duration, up bool, samples int) error {
	if err := l.markStale(app, at); err != nil {
		return err
	}
	for name, v := range map[string]float64{
		"up":                      boolean(up),
		"scrape_duration_seconds": took.Seconds(),
		"scrape_samples_scraped":  float64(samples),
	} {
		if err := l.appendReport(app, name, at, v); err != nil {
			return fmt.Errorf("target %q: %s: %w", l.target.Instance, name, err)
		}
	}
	return nil
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// store appends every sample of a page.
func (l *scrapeLoop) store(app storage.AppenderV2, page Page, at time.Duration) (samples int, err error) {
	p, err := textparse.New(page.Body, page.ContentType, l.symbols, textparse.ParserOptions{FallbackContentType: "text/plain"})
	if p == nil {
		return 0, err
	}
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return samples, fmt.Errorf("the page is not an exposition: %w", err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		text, ts, v := p.Series()
		if err := l.append(app, p, text, timeOf(ts, at), v); err != nil {
			return samples, fmt.Errorf("sample %s: %w", text, err)
		}
		samples++
	}
}

func timeOf(own *int64, at time.Duration) int64 {
	if own != nil {
		return *own
	}
	return Millis(at)
}

func (l *scrapeLoop) append(app storage.AppenderV2, p textparse.Parser, text []byte, ts int64, v float64) error {
	s, ok := l.cache[string(text)]
	if !ok {
		s = &cachedSeries{}
		p.Labels(&s.labels)
		s.labels = l.targetLabels(s.labels)
		l.cache[string(text)] = s
		l.names[s.labels.Get(model.MetricNameLabel)] = true
	}
	if s.seen == l.round {
		return errors.New("sent twice in one page")
	}
	s.seen = l.round
	return s.append(app, ts, v)
}

func (s *cachedSeries) append(app storage.AppenderV2, ts int64, v float64) (err error) {
	s.ref, err = app.Append(s.ref, s.labels, 0, ts, v, nil, nil, storage.AppendV2Options{})
	return err
}

// targetLabels adds job and instance; a label of the page with such a name is kept as exported_….
func (l *scrapeLoop) targetLabels(ls labels.Labels) labels.Labels {
	b := labels.NewBuilder(ls)
	for name, v := range map[string]string{"job": l.target.Job, "instance": l.target.Instance} {
		if own := ls.Get(name); own != "" {
			b.Set("exported_"+name, own)
		}
		b.Set(name, v)
	}
	return b.Labels()
}

// markStale ends every series that was in the scrape before and is not in this one.
func (l *scrapeLoop) markStale(app storage.AppenderV2, at time.Duration) error {
	for text, s := range l.cache {
		if s.seen == l.round {
			continue
		}
		delete(l.cache, text)
		if s.ref == 0 {
			continue // was never stored
		}
		if err := s.append(app, Millis(at), math.Float64frombits(value.StaleNaN)); err != nil {
			return fmt.Errorf("target %q: stale marker of %s: %w", l.target.Instance, text, err)
		}
	}
	return nil
}

// forget ends all series of a target that was taken out of the configuration.
func (l *scrapeLoop) forget(app storage.AppenderV2, at time.Duration) error {
	for name, s := range l.report {
		l.cache[name] = s
	}
	clear(l.report)
	return l.markStale(app, at)
}

func (l *scrapeLoop) appendReport(app storage.AppenderV2, name string, at time.Duration, v float64) error {
	s, ok := l.report[name]
	if !ok {
		s = &cachedSeries{labels: labels.FromStrings(model.MetricNameLabel, name, "job", l.target.Job, "instance", l.target.Instance)}
		l.report[name] = s
		l.names[name] = true
	}
	return s.append(app, Millis(at), v)
}
