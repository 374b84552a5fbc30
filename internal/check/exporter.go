package check

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/llmfleet/llmfleet/exporter/exposition"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

// mostPage is how much of an exporter's page is read.
const mostPage = 64 << 20

// Exporter checks a fleet by the page of one exporter alone: whether the rules could see it. What
// only a Prometheus knows is not looked at.
func Exporter(ctx context.Context, address string, o Options) (*Report, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	b, err := newBundle(o.Settings)
	if err != nil {
		return nil, err
	}
	u, err := pageOf(address)
	if err != nil {
		return nil, err
	}
	samples, err := samplesAt(ctx, u, o)
	if err != nil {
		return nil, noExporterAt(ctx, address, o, err)
	}
	r := &Report{Address: u.Redacted(), Causes: []Cause{}, Questions: 1, Exporters: 1, Notes: []string{
		"whether the rules are loaded, how often is scraped, which alerts are active, and who is told: a Prometheus knows (--prometheus=URL)",
	}}
	f := newFleet(samples, samples)
	f.alone, f.rules = true, map[string]sight{}
	for _, it := range b.items {
		if it.kind != Panel {
			f.rules[it.key] = sight{} // loaded, for all that can be known
		}
	}
	b.judge(f, 0, r)
	return r, nil
}

// pageOf is where an exporter at an address has its page.
func pageOf(address string) (*url.URL, error) {
	u, err := promapi.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/metrics"
	}
	return u, nil
}

// samplesAt are those of the page of an exporter.
func samplesAt(ctx context.Context, u *url.URL, o Options) ([]promapi.Sample, error) {
	page, err := fetch(ctx, u, o.Client)
	if err != nil {
		return nil, err
	}
	samples, err := samplesOf(page, o.Settings.Job, u.Host)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	return samples, nil
}

func fetch(ctx context.Context, u *url.URL, client *http.Client) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err // names method and address
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostPage+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", u.Redacted(), err)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: answered %s", u.Redacted(), resp.Status)
	case len(body) > mostPage:
		return nil, fmt.Errorf("%s: the page is larger than %d MiB", u.Redacted(), mostPage>>20)
	}
	return body, nil
}

// samplesOf are the samples of a page, labelled as Prometheus would with that job.
func samplesOf(page []byte, job, instance string) ([]promapi.Sample, error) {
	var out []promapi.Sample
	ours := false
	exposition.Read(page, func(s *exposition.Sample) {
		b := labels.NewScratchBuilder(8)
		for name, value, rest, ok := s.Labels.Next(); ok; name, value, rest, ok = rest.Next() {
			b.Add(string(name), string(value))
		}
		b.Add(model.MetricNameLabel, string(s.Name))
		b.Add("job", job)
		b.Add("instance", instance)
		b.Sort()
		ours = ours || seriesOf(string(s.Name)) != nil
		out = append(out, promapi.Sample{Labels: b.Labels(), Value: s.Value})
	})
	if !ours {
		return nil, fmt.Errorf("no series of llmfleet_exporter is on the page (%s); an address of a model server wants llmfleet doctor", exposition.Describe(page))
	}
	return out, nil
}
