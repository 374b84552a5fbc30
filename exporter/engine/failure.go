package engine

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// failure is why something is missing, as a label and as a sentence.
type failure struct {
	reason  catalog.Reason
	problem string
}

// failureOf says why an answer is of no use; ok is true when it is.
func (r *round) failureOf(e *Engine, ep *Endpoint, re *reply) (f failure, ok bool) {
	if f, found := r.broken[questionOf(re)]; found {
		return f, false
	}
	switch {
	case re == nil:
		return failure{catalog.ReasonHTTP, fmt.Sprintf("%s was not asked", ep.Path)}, false
	case re.err != nil:
		return failure{re.err.Reason, re.err.Error()}, false
	case !re.ok():
		return statusFailure(e, re), false
	case ep.Format == Exposition:
		return pageFailure(e, re, r.s.opts.Engine != nil)
	case ep.Format == JSON && re.saysError() != "":
		return failure{catalog.ReasonHTTP, fmt.Sprintf("%s answered 200 and an error: %s", re.path, re.saysError())}, false
	case ep.Format == JSON && re.doc == nil:
		return failure{catalog.ReasonNotMetrics, fmt.Sprintf("%s answered %s, not JSON", re.path, exposition.Describe(re.answer.Body))}, false
	}
	return failure{}, true
}

func statusFailure(e *Engine, re *reply) failure {
	status := re.status()
	said := fmt.Sprintf("%s answered %d", re.path, status)
	if text := http.StatusText(status); text != "" {
		said += " (" + strings.ToLower(text) + ")"
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return failure{catalog.ReasonAuth, said + ": give this backend the server's API key (authorization.credentials_file)"}
	case e != nil && e.loading(re):
		return failure{catalog.ReasonLoading, said + ": the model is still being loaded"}
	case status == http.StatusNotFound || status == http.StatusNotImplemented:
		return failure{catalog.ReasonDisabled, said + ": " + e.HowToEnable()}
	case status/100 == 3: // those that name another address are followed, or refused with their own words
		return failure{catalog.ReasonHTTP, said + ", which is neither numbers nor an address to find them at"}
	}
	return failure{catalog.ReasonHTTP, said}
}

func (e *Engine) loading(re *reply) bool {
	return re.status() == http.StatusServiceUnavailable && e.Loading != "" && bytes.Contains(re.answer.Body, []byte(e.Loading))
}

// pageFailure looks whether a page is an exposition of this engine. One with the engine's
// names is taken for one without reading it: the mapper does that.
func pageFailure(e *Engine, re *reply, configured bool) (f failure, ok bool) {
	page := re.text
	switch {
	case e.isFresh(re):
		return failure{}, true
	case slices.ContainsFunc(e.Prefixes, re.hasFamily):
		return failure{}, true
	case !isExposition(page):
		return failure{catalog.ReasonNotMetrics, notMetrics(re)}, false
	case len(e.Prefixes) == 0:
		return failure{}, true
	case configured && !withoutOwnNumbers(page):
		return failure{catalog.ReasonUnrecognized, fmt.Sprintf("%s has metrics, but none of %s", re.path, e.Title)}, false
	}
	return failure{catalog.ReasonDisabled, fmt.Sprintf("%s has none of the metrics of %s: %s", re.path, e.Title, e.HowToEnable())}, false
}

// saysError is what an answer with a good status says of a failure: some programs send their
// errors so. "" for any other answer.
func (r *reply) saysError() string {
	if !r.ok() || r.doc == nil {
		return ""
	}
	for _, path := range []string{"error.message", "error"} {
		value, _ := lookup(r.doc, path)
		if said, _ := value.(string); said != "" {
			return strings.ToValidUTF8(said[:min(len(said), longestValue)], "")
		}
	}
	return ""
}

// isFresh says whether an answer is the empty page of a server that has had no request yet.
func (e *Engine) isFresh(re *reply) bool { return e.EmptyAtFirst && len(re.answer.Body) == 0 }

// notMetrics says what an answer is instead of an exposition.
func notMetrics(re *reply) string {
	what := exposition.Describe(re.answer.Body)
	if !strings.HasSuffix(what, "not metrics") {
		what += ", not metrics"
	}
	return fmt.Sprintf("%s answered %s", re.path, what)
}

// withoutOwnNumbers says whether a page holds nothing but what client libraries add by
// themselves: the program's own numbers are switched off.
func withoutOwnNumbers(page []byte) bool {
	own := true
	exposition.Read(page, func(s *exposition.Sample) {
		library := false
		for _, p := range []string{"python_", "process_", "http_", "go_"} {
			library = library || bytes.HasPrefix(s.Name, []byte(p))
		}
		own = own && library
	})
	return own
}

// hasFamily says whether the text declares or holds a family whose name begins so, with
// colons or with the underscores that proxies make of them. A fresh vLLM with several
// processes declares families and has no sample of them yet.
func (r *reply) hasFamily(beginning string) bool {
	return slices.ContainsFunc(spellings(beginning), func(p string) bool {
		return r.sampleNames().has(p+"*") || bytes.Contains(r.text, []byte("# TYPE "+p))
	})
}

// unrecognised is the reading of a program that nobody here knows.
func (s *Session) unrecognised(r *round, reading *Reading) {
	reading.Engine, reading.Up = s.last, No // still the best guess while nobody answers
	f, page := s.whyUnrecognised(r)
	reading.Reason, reading.Problem = f.reason, f.problem
	if page != nil {
		reading.BodyBytes = len(page)
		reading.Samples = exposition.Read(page, func(*exposition.Sample) {}).Samples
	}
	if !slices.ContainsFunc(r.all(), func(re *reply) bool {
		return re.answer != nil && re.status() < 500 || re.err != nil && !re.err.tellsHealth()
	}) {
		reading.Healthy = No
	}
}

func (s *Session) whyUnrecognised(r *round) (f failure, page []byte) {
	replies := r.all()
	for _, re := range replies {
		if body := re.page(); isExposition(body) {
			return failure{catalog.ReasonUnrecognized, fmt.Sprintf(
				"%s has metrics of a program that is not known here: name its engine, or write a mapping for it", re.path)}, body
		}
	}
	if models := r.get(modelList); models != nil {
		switch {
		case models.err != nil:
			return failure{models.err.Reason, models.err.Error()}, nil
		case !models.ok() && !missing(models.status()):
			return statusFailure(nil, models), nil
		}
	}
	for _, re := range replies {
		if re.ok() && re.path == "/metrics" {
			return failure{catalog.ReasonNotMetrics, notMetrics(re)}, nil
		}
	}
	for _, re := range replies {
		if re.path == "/metrics" && re.answer != nil {
			return failure{catalog.ReasonHTTP, fmt.Sprintf(
				"neither %s nor /v1/models is there (%d): is it the right address?", re.path, re.status())}, nil
		}
	}
	return failure{catalog.ReasonUnrecognized, "it answers, but nothing by which a program could be known: name its engine"}, nil
}
