package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// Edit changes a recording in one small, named way, to show what nobody could record: a name
// that a future version drops, a cache that stops hitting, an exporter that is gone.
type Edit struct {
	Name  string // cases name it
	About string
	// Recording changes what the servers answered. It gets a copy.
	Recording func(*recording.Recording)
	// Scrape changes what Prometheus gets from a target of a job.
	Scrape func(job string, at time.Duration, p Page) (Page, error)
}

// edits lists every edit that cases may name.
var edits = []Edit{
	{
		Name: "kv-usage-renamed", About: "vLLM sends its KV cache usage under a name that nobody knows yet",
		Recording: DropName("vllm:kv_cache_usage_perc"),
	},
	{
		Name: "prefix-hits-never-counted", About: "the prefix cache is asked and never hit",
		Recording: SetValue(`vllm:prefix_cache_hits(_total)?`, "0"),
	},
	{
		Name: "prefix-hits-rare", About: "of twenty hits in the prefix cache one is left",
		Recording: Scale(`vllm:(prefix_cache_hits|prompt_tokens_cached)(_total)?`, 0.05),
	},
	{
		Name: "ttft-renamed", About: "vLLM sends its time to the first token under a name that nobody knows yet",
		Recording: DropName("vllm:time_to_first_token_seconds"),
	},
	{
		Name: "kv-kept-full-at-rest", About: "old prompts are left in the KV cache, so that it is full though nobody waits",
		Recording: SetValue(`llamacpp:kv_cache_usage_ratio`, "0.97"),
	},
	{
		Name: "router-failures-rare", About: "of twenty requests that the router gave up one is left",
		Recording: Scale(`vllm_router_retries_exhausted_total`, 0.05),
	},
	{
		Name: "refusals-rare", About: "of a hundred refusals one is left",
		Recording: Scale(`vllm:admission_rejections(_total)?`, 0.01),
	},
	{
		Name: "drafter-lost-at-10", About: "from second 10 on llama.cpp drafts nothing, and does not say so",
		Recording: LoseFrom(10*time.Second, `llamacpp:spec_decode_`),
	},
	{
		Name: "drafter-lost-at-30", About: "from second 30 on the series of speculative decoding are gone, as after a restart of vLLM without a drafter",
		Recording: LoseFrom(30*time.Second, `vllm:spec_decode_`),
	},
	{
		Name: "speculation-expected", About: "the operator expects the last backend to draft",
		Recording: Configure("    expect: {speculation: true}\n"),
	},
	{
		Name: "speculation-not-expected", About: "the operator expects the last backend not to draft",
		Recording: Configure("    expect: {speculation: false}\n"),
	},
	{
		Name: "another-model-expected", About: "the operator expects the last backend to serve a model that it has not",
		Recording: Configure("    expect: {models: [large]}\n"),
	},
	{
		Name: "its-model-expected", About: "the operator expects the last backend to serve the model that it has",
		Recording: Configure("    expect: {models: [small]}\n"),
	},
	{
		Name: "three-replicas-expected", About: "the operator expects the last backend, a router, to have three replicas",
		Recording: Configure("    expect: {replicas: 3}\n"),
	},
	{
		Name: "two-replicas-expected", About: "the operator expects the last backend, a router, to have two replicas",
		Recording: Configure("    expect: {replicas: 2}\n"),
	},
	{
		Name: "metrics-time-out-and-reset-in-turn", About: "the metrics path times out four times, is reset four times, and so on; the rest answers",
		Recording: Fail(func(n int) recording.Failure {
			return []recording.Failure{recording.TimedOut, recording.Reset}[n/4%2]
		}),
	},
	{
		Name: "metrics-reset-then-time-out", About: "the metrics path is reset four times, and times out from then on; the rest answers",
		Recording: Fail(func(n int) recording.Failure {
			if n < 4 {
				return recording.Reset
			}
			return recording.TimedOut
		}),
	},
	{
		Name: "steps-not-counted", About: "the count of the engine's steps stands still while it works",
		Recording: SetValue(`vllm:iteration_tokens_total_count`, "7"),
	},
	{
		Name: "preemptions-never-counted", About: "the engine throws requests out of its cache and does not say so",
		Recording: SetValue(`vllm:num_preemptions(_total)?`, "0"),
	},
	{
		Name: "counters-frozen-at-600", About: "from second 600 on the servers answer, and no number moves",
		Recording: FreezeFrom(600 * time.Second),
	},
	{
		Name: "html-instead-of-metrics", About: "the metrics path of every server answers with a web page",
		Recording: AnswerInstead("text/html; charset=utf-8", "<!DOCTYPE html><html><body>Login</body></html>\n"),
	},
	{
		Name: "json-instead-of-metrics", About: "the metrics path of every server answers with JSON",
		Recording: AnswerInstead("application/json", `{"detail":"Not Found"}`),
	},
	{
		Name: "nothing-instead-of-metrics", About: "the metrics path of every server answers with an empty page",
		Recording: AnswerInstead("text/plain; version=0.0.4", ""),
	},
	{
		Name: "exporter-gone-300-900", About: "the exporter does not answer from second 300 to 900",
		Scrape: GoneBetween(300*time.Second, 900*time.Second),
	},
	{
		Name: "exporter-removed-at-300", About: "from second 300 on Prometheus has no target of the exporter's job",
		Scrape: RemovedFrom(300 * time.Second),
	},
	{
		Name: "reload-refused-300-900", About: "the exporter refuses its configuration file from second 300 to 900",
		Scrape: setScraped(300*time.Second, 900*time.Second, "llmfleet_exporter_config_last_reload_successful", "0"),
	},
	{
		Name: "alertmanager-lost-300-1200", About: "Prometheus knows no Alertmanager from second 300 to 1200",
		Scrape: setScraped(300*time.Second, 1200*time.Second, "prometheus_notifications_alertmanagers_discovered", "0"),
	},
	{
		Name: "prometheus-unwatched-from-300", About: "from second 300 on nobody scrapes Prometheus itself",
		Scrape: func(job string, at time.Duration, p Page) (Page, error) {
			if job == prometheusProgram && at >= 300*time.Second {
				return Page{}, errNoTarget
			}
			return p, nil
		},
	},
}

// FindEdit finds an edit by name, nil if there is none.
func FindEdit(name string) *Edit {
	for i := range edits {
		if edits[i].Name == name {
			return &edits[i]
		}
	}
	return nil
}

// EditNames lists the edits.
func EditNames() []string {
	var out []string
	for _, e := range edits {
		out = append(out, e.Name)
	}
	return out
}

// DropName takes every line of a sample name, its buckets and its comments off every page.
func DropName(name string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(# (HELP|TYPE|UNIT) )?` + regexp.QuoteMeta(name) + `(_total|_bucket|_sum|_count)?[{ ].*\n`)
	return eachPage(func(_ time.Duration, body []byte) []byte { return line.ReplaceAll(body, nil) })
}

// SetValue gives every sample whose name matches a pattern one value.
func SetValue(name, value string) func(*recording.Recording) {
	line := sampleLine(name)
	return eachPage(func(_ time.Duration, body []byte) []byte { return line.ReplaceAll(body, []byte("${1} "+value)) })
}

// sampleLine matches a sample: its name and labels are group 1.
func sampleLine(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(` + name + `(?:\{[^\n]*\})?) [^\n ]+`)
}

// Scale multiplies every sample whose name matches a pattern.
func Scale(name string, factor float64) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(` + name + `(?:\{[^\n]*\})?) ([^\n ]+)$`)
	return eachPage(func(_ time.Duration, body []byte) []byte {
		return line.ReplaceAllFunc(body, func(sample []byte) []byte {
			at := bytes.LastIndexByte(sample, ' ')
			v, err := strconv.ParseFloat(string(sample[at+1:]), 64)
			if err != nil {
				return sample
			}
			return fmt.Appendf(nil, "%s %g", sample[:at], v*factor)
		})
	})
}

// LoseFrom takes every line of the names with a prefix off the pages from a second on.
func LoseFrom(from time.Duration, prefix string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(# (HELP|TYPE|UNIT) )?` + regexp.QuoteMeta(prefix) + `.*\n`)
	return eachPage(func(at time.Duration, body []byte) []byte {
		if at < from {
			return body
		}
		return line.ReplaceAll(body, nil)
	})
}

// Configure adds lines to the last backend of the exporter's configuration.
func Configure(lines string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		r.Exporter = append(bytes.TrimRight(r.Exporter, "\n"), "\n"+lines...)
	}
}

// Fail lets the metrics path of every server fail; how, may depend on the count of answers before.
func Fail(how func(n int) recording.Failure) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			n := 0
			for i := range s.Answers {
				if a := &s.Answers[i]; isNumbers(a) {
					*a = recording.Answer{At: a.At, Path: a.Path, Failure: how(n)}
					n++
				}
			}
		}
	}
}

// FreezeFrom answers from a second of the recording on with what was sent last before it.
func FreezeFrom(from time.Duration) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			last := map[string][]byte{}
			for i := range s.Answers {
				a := &s.Answers[i]
				if !isNumbers(a) {
					continue
				}
				if body, ok := last[a.Path]; ok && a.At >= from {
					a.Body = body
				}
				last[a.Path] = a.Body
			}
		}
	}
}

// AnswerInstead answers the metrics path of every server with something else.
func AnswerInstead(contentType, body string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				if a := &s.Answers[i]; isNumbers(a) {
					a.ContentType, a.Body = contentType, []byte(body)
				}
			}
		}
	}
}

func eachPage(change func(at time.Duration, body []byte) []byte) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				if a := &s.Answers[i]; isNumbers(a) {
					a.Body = change(a.At, bytes.Clone(a.Body))
				}
			}
		}
	}
}

func isNumbers(a *recording.Answer) bool {
	path, _, _ := strings.Cut(a.Path, "?")
	return a.Failure == recording.Answered && a.Status == 200 && strings.HasSuffix(strings.TrimSuffix(path, "/"), "metrics")
}

var errGone = errors.New("connection refused")

// errNoTarget says that Prometheus has no such target at that time: not even up is written.
var errNoTarget = errors.New("no such target")

// GoneBetween lets the exporter refuse connections for a while.
func GoneBetween(from, to time.Duration) func(string, time.Duration, Page) (Page, error) {
	return func(job string, at time.Duration, p Page) (Page, error) {
		if job != prometheusProgram && at >= from && at < to {
			return Page{}, errGone
		}
		return p, nil
	}
}

// RemovedFrom takes the exporter out of Prometheus' configuration.
func RemovedFrom(from time.Duration) func(string, time.Duration, Page) (Page, error) {
	return func(job string, at time.Duration, p Page) (Page, error) {
		if job != prometheusProgram && at >= from {
			return Page{}, errNoTarget
		}
		return p, nil
	}
}

// setScraped gives a sample another value on the page that Prometheus gets, for a while.
func setScraped(from, to time.Duration, name, value string) func(string, time.Duration, Page) (Page, error) {
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
	edit func(string, time.Duration, Page) (Page, error)
}

func (s editedScraper) Scrape(ctx context.Context, at time.Duration) (Page, error) {
	p, err := s.Scraper.Scrape(ctx, at)
	if err != nil {
		return p, err
	}
	return s.edit(s.job, at, p)
}
