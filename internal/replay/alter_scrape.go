package replay

import (
	"context"
	"errors"
	"time"
)

// scrapeEdit changes what Prometheus gets from a target of a job at a time of the replay.
type scrapeEdit func(job string, at time.Duration, p Page) (Page, error)

var errGone = errors.New("connection refused")

// errNoTarget says that Prometheus has no such target at that time: not even up is written.
var errNoTarget = errors.New("no such target")

// goneBetween lets the exporter refuse connections for a while.
func goneBetween(from, to time.Duration) scrapeEdit {
	return goneWhen(func(at time.Duration) bool { return at >= from && at < to })
}

// goneWhen lets the exporter refuse connections at some times.
func goneWhen(when func(at time.Duration) bool) scrapeEdit {
	return func(job string, at time.Duration, p Page) (Page, error) {
		if job != PrometheusProgram && when(at) {
			return Page{}, errGone
		}
		return p, nil
	}
}

// removedFrom takes the exporter out of Prometheus' configuration.
func removedFrom(from time.Duration) scrapeEdit {
	return func(job string, at time.Duration, p Page) (Page, error) {
		if job != PrometheusProgram && at >= from {
			return Page{}, errNoTarget
		}
		return p, nil
	}
}

// setScraped gives a sample another value on the page that Prometheus gets, for a while.
func setScraped(from, to time.Duration, name, value string) scrapeEdit {
	line := sampleLine(name)
	return func(_ string, at time.Duration, p Page) (Page, error) {
		if at >= from && at < to {
			p.Body = line.ReplaceAll(p.Body, []byte("${1} "+value))
		}
		return p, nil
	}
}

// editedScraper passes every page of a target through an edit.
type editedScraper struct {
	Scraper
	job  string
	edit scrapeEdit
}

func (s editedScraper) Scrape(ctx context.Context, at time.Duration) (Page, error) {
	p, err := s.Scraper.Scrape(ctx, at)
	if err != nil {
		return p, err
	}
	return s.edit(s.job, at, p)
}
