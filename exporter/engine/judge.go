package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// health says whether a recognised program answers and can serve. Its health path decides;
// where it has none, or the path tells nothing, the numbers do.
func (r *round) health() Tri {
	known := Unknown
	for _, a := range r.plan {
		re := r.get(a.question)
		if a.endpoint.Role != Health || re == nil {
			continue
		}
		if t := alive(a.endpoint, re); t != Unknown {
			known = t
		}
	}
	if known != Unknown {
		return known
	}
	for _, a := range r.plan {
		if re := r.get(a.question); a.decides() && re != nil {
			if t := alive(a.endpoint, re); t != Unknown {
				return t
			}
		}
	}
	return Unknown
}

// alive judges one answer. An answer that asks for a key, or says that there is no such
// path, tells nothing of the program's health.
func alive(ep *Endpoint, re *reply) Tri {
	status := re.status()
	switch {
	case re.err != nil && !re.err.tellsHealth():
		return Unknown
	case re.err != nil:
		return No
	case re.ok() && ep.Role == Health && ep.Format == JSON && re.doc == nil:
		return Unknown
	case re.saysError() != "", re.ok() && len(ep.Unfit) > 0 && allHold(ep.Unfit, re.doc):
		return No
	case re.ok():
		return Yes
	case status == http.StatusUnauthorized, status == http.StatusForbidden, missing(status), status/100 == 3:
		return Unknown
	}
	return No
}

// tellsHealth says whether a request that failed says anything of the server's health. A key's file
// that cannot be read kept the question from being asked; an answer that is too large is one.
func (e *FetchError) tellsHealth() bool {
	return e.Reason != catalog.ReasonAuth && e.Reason != catalog.ReasonTooLarge
}

// judge says whether the numbers arrived, and if not, why and what to do.
func (s *Session) judge(r *round, e *Engine, reading *Reading) {
	f, ok := r.outcome(e)
	switch {
	case !ok:
		reading.Reason, reading.Problem = f.reason, f.problem
		if !e.NoNumbers {
			reading.Up = No
		} else if f.reason != catalog.ReasonAuth && f.reason != catalog.ReasonTooLarge {
			reading.Healthy = No
		}
	case !e.NoNumbers:
		reading.Up = Yes
	}
	if reading.Problem == "" && reading.Healthy == No {
		reading.Problem = r.healthTrouble(e)
	}
	if reading.Problem == "" {
		reading.Problem = r.modelTrouble(e)
	}
}

// outcome returns the first failure among the answers on which llm_up stands; for a program
// without numbers, among those on which its health stands.
func (r *round) outcome(e *Engine) (f failure, ok bool) {
	deciding := func(a asking) bool { return a.decides() }
	if !slices.ContainsFunc(r.plan, deciding) {
		deciding = func(a asking) bool { return a.endpoint.Format == JSON && !a.endpoint.Optional }
	}
	for _, a := range r.plan {
		if !deciding(a) {
			continue
		}
		if a.skipped.reason != "" {
			return a.skipped, false
		}
		if f, ok := r.failureOf(e, a.endpoint, r.get(a.question)); !ok {
			return f, false
		}
	}
	return failure{}, true
}

// healthTrouble says what the health path answered.
func (r *round) healthTrouble(e *Engine) string {
	for _, a := range r.plan {
		if re := r.get(a.question); a.endpoint.Role == Health && re != nil && alive(a.endpoint, re) == No {
			f, useful := r.failureOf(e, a.endpoint, re)
			if useful {
				return fmt.Sprintf("%s answers %d, and says that there is nobody who could serve", re.path, re.status())
			}
			return f.problem
		}
	}
	return ""
}

// modelTrouble names the models behind a router whose numbers did not come.
func (r *round) modelTrouble(e *Engine) string {
	var models []string
	var first failure
	for _, a := range r.plan {
		if a.endpoint.Each == nil || a.skipped.reason != "" {
			continue
		}
		if f, ok := r.failureOf(e, a.endpoint, r.get(a.question)); !ok {
			models = append(models, fmt.Sprintf("%q", a.model))
			if len(models) == 1 {
				first = f
			}
		}
	}
	if len(models) == 0 {
		return ""
	}
	return fmt.Sprintf("no numbers of model %s: %s", strings.Join(models, ", "), first.problem)
}
