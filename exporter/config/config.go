// Package config is the file a user writes. Decoding is strict, defaults are laid down first,
// all mistakes come back at once with file and line, and a Config never changes once made.
package config

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/engine"
	promconfig "github.com/prometheus/common/config"
)

// Config is a whole configuration.
type Config struct {
	File     string // for messages; "" when made from flags
	Defaults Limits
	Backends []Backend
	Engines  []*engine.Engine // own mappings, in the order of the file
}

// Backend is one target: a model server or a router.
type Backend struct {
	Name       string // value of the label backend
	URL        string // service address, without a trailing slash; may have a path prefix (llama.cpp --api-prefix)
	MetricsURL string // second address where a router's metrics live on another port; "" if none
	Engine     string // configured engine, "" to recognise it
	Model      string
	Labels     map[string]string           // extra labels on all its series
	HTTP       promconfig.HTTPClientConfig // authorization, TLS, proxy; secrets from files
	Limits     Limits
	Unscraped  string // reason; the backend is only named, never asked
	Expect     Expect
	// MetricsInterval is how often the numbers may be asked at most, for servers that a
	// scrape keeps awake (llama.cpp b7493 to b10523 with --sleep-idle-seconds). 0: each scrape.
	MetricsInterval  time.Duration
	KVCapacityTokens float64
}

// Expect is what the operator expects of a backend. Zero values: not said.
type Expect struct {
	Models      []string
	Speculation *bool
	Replicas    int
}

// Limits bound what one target may cost.
type Limits struct {
	Timeout     time.Duration // upper bound of one scrape of the target
	BodyBytes   int64
	Series      int
	LabelValues int // distinct values of one label of one target
}
