package promapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	promrules "github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
)

// Source is what Handler answers from. A function may be nil, which is none of what it would
// give; each may be called from several goroutines at once.
type Source struct {
	Queryable     storage.Queryable
	Parser        parser.Parser
	Now           func() time.Time // of a query that names no time
	Rules         func() []*promrules.Group
	Targets       func() []Target
	Alertmanagers func() []string            // addresses
	Metadata      func() map[string]Metadata // by the name of the family
	Config        func() string              // YAML
	Version       string
	Started       time.Time
	// Ahead is how far the askers' clock is ahead of the storage's, which may be simulated: their
	// now is its now. nil: both are one.
	Ahead func() time.Duration

	ahead  time.Duration // of the question that is being answered
	engine promql.QueryEngine
	places chan struct{} // one is taken by each question that is being answered
}

const (
	longestForm  = 1 << 20 // bytes of a question that is posted
	longestQuery = 2 * time.Minute
	// mostSamples is how many samples a query may hold at once: its answer is some 50 MB then.
	mostSamples = 2_000_000
	// mostAtOnce is how many questions are answered at once, for an answer stands in memory until
	// its asker has read it. Others wait.
	mostAtOnce = 4
	// longestWrite is how long an asker may take to read an answer: who does not read keeps a place
	// from others.
	longestWrite = 20 * time.Second
)

// Handler answers the API of a Prometheus that lives in this process.
func Handler(s Source) http.Handler {
	mux := http.NewServeMux()
	s.places = make(chan struct{}, mostAtOnce)
	s.engine = promql.NewEngine(promql.EngineOpts{
		MaxSamples: mostSamples, Timeout: longestQuery, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: s.Parser,
	})
	for path, f := range map[string]func(Source, *http.Request) (result, error){
		"/api/v1/query":               Source.query,
		"/api/v1/query_range":         Source.queryRange,
		"/api/v1/query_exemplars":     Source.noExemplars,
		"/api/v1/series":              Source.series,
		"/api/v1/labels":              Source.labelNames,
		"/api/v1/label/{name}/values": Source.labelValues,
		"/api/v1/metadata":            Source.metadata,
		"/api/v1/rules":               Source.rules,
		"/api/v1/alerts":              Source.alerts,
		"/api/v1/targets":             Source.targets,
		"/api/v1/alertmanagers":       Source.alertmanagers,
		"/api/v1/status/buildinfo":    Source.buildInfo,
		"/api/v1/status/runtimeinfo":  Source.runtimeInfo,
		"/api/v1/status/config":       Source.config,
	} {
		mux.Handle("GET "+path, s.endpoint(f))
		mux.Handle("POST "+path, s.endpoint(f))
	}
	return mux
}

// result is the data of an answer, and what is to be remarked on it. done frees what the data
// stands on, once it is written.
type result struct {
	data            any
	warnings, infos []string
	done            func()
}

// endpoint writes what a function answers.
func (s Source) endpoint(f func(Source, *http.Request) (result, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), longestQuery)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, longestForm)
		if err := r.ParseForm(); err != nil {
			write(w, result{}, badData{fmt.Errorf("form: %w", err)})
			return
		}
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
		case <-ctx.Done():
			write(w, result{}, fmt.Errorf("other questions are being answered: %w", ctx.Err()))
			return
		}
		s := s
		s.ahead = call(s.Ahead) // once, so that one answer has one clock
		res, err := f(s, r)
		if res.done != nil {
			defer res.done()
		}
		write(w, res, err)
	})
}

func write(w http.ResponseWriter, res result, err error) {
	status, body := http.StatusOK, []byte(nil)
	if err == nil {
		body, err = json.Marshal(answer[any]{Status: "success", Data: res.data, Warnings: res.warnings, Infos: res.infos})
	}
	if err != nil {
		a := answer[any]{Status: "error", Error: err.Error()}
		a.ErrorType, status = kindOf(err)
		body, _ = json.Marshal(a) // texts alone
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	// Until the answer's end: the server takes the deadline off again. What cannot have one is no
	// connection, and does not stall.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longestWrite))
	w.WriteHeader(status)
	_, _ = w.Write(body) // an asker that has gone is no failure
}

// errorType is Prometheus' word for what went wrong.
type errorType string

// badData is a question that cannot be answered as it stands.
type badData struct{ error }

// Unwrap gives the cause.
func (b badData) Unwrap() error { return b.error }

// kindOf gives an error's type and status as Prometheus does.
func kindOf(err error) (errorType, int) {
	switch {
	case isA[badData](err):
		return "bad_data", http.StatusBadRequest
	case isA[promql.ErrQueryCanceled](err), errors.Is(err, context.Canceled):
		return "canceled", 499 // the asker has gone: a status that nginx brought in
	case isA[promql.ErrQueryTimeout](err), errors.Is(err, context.DeadlineExceeded):
		return "timeout", http.StatusServiceUnavailable
	case isA[promql.ErrStorage](err):
		return "internal", http.StatusInternalServerError
	}
	return "execution", http.StatusUnprocessableEntity
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
