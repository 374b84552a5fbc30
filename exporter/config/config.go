// Package config is the file a user writes. Decoding is strict, defaults are laid down first,
// all mistakes come back at once with file and line, and a Config never changes once made.
//
// The file is described by tables of keys (section, key, kind). One table decodes the file,
// prints the configuration in force and prints its reference, so these cannot differ.
package config

import (
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// Config is a whole configuration. Who reloads makes another one and swaps the pointer.
type Config struct {
	File       string // for messages; "" when made from flags
	Empty      bool   // the file says nothing at all, as one that is just being written
	Defaults   Limits
	Objectives Objectives
	Backends   []Backend
	Engines    []*engine.Engine // own mappings, in the order of the file
	Host       Host
}

// Host is what the operator says of the machine that the exporter runs on. Zero values: not said.
type Host struct {
	ExpectedGPUs int
	Ignore       []string          // PCI addresses of GPUs that do not count, as the kernel writes them
	Names        map[string]string // of GPUs, by PCI address
	ProcessIDs   bool              // show the memory of each process too
}

// Backend is one target: a model server or a router.
type Backend struct {
	Name       string // value of the label backend
	URL        string // service address, without a trailing slash; may have a path prefix (llama.cpp --api-prefix)
	MetricsURL string // second address where a router's metrics live on another port; "" if none
	Engine     string // configured engine, "" to recognise it
	Model      string
	KnownAs    []string                    // other addresses and names by which routers know it
	Labels     map[string]string           // extra labels on all its series
	HTTP       promconfig.HTTPClientConfig // authorization, TLS, proxy; secrets from files
	Limits     Limits
	Unscraped  string // reason; the backend is only named, never asked
	Expect     Expect
	Objectives Objectives
	// MetricsInterval is how often the numbers may be asked at most, for servers that a
	// scrape keeps awake (llama.cpp b7493 to b10523 with --sleep-idle-seconds). 0: each scrape.
	MetricsInterval  time.Duration
	KVCapacityTokens float64
	Process          string // name of the program on this host, "" if not said
}

// Expect is what the operator expects of a backend. Zero values: not said.
type Expect struct {
	Models      []string
	Speculation *bool
	Loaded      bool // a model must be in memory all the time
	Replicas    int
}

// Limits bound what one target may cost.
type Limits struct {
	Timeout     time.Duration // upper bound of one scrape of the target
	BodyBytes   int64
	Series      int
	LabelValues int // distinct values of one label of one target
}

// Default is the configuration of an empty file: limits, objectives, and nothing to watch.
func Default() *Config {
	return &Config{Objectives: defaultObjectives(), Defaults: Limits{
		Timeout:     30 * time.Second, // longer than the scraper waits: what comes late, the next scrape uses
		BodyBytes:   16 << 20,         // the largest recorded body is under 1 MiB
		Series:      20_000,
		LabelValues: 500,
	}}
}

// Parse reads a configuration. The name of the file is for messages, and names of secret
// files are relative to its folder. The error is a document.Mistakes with everything that is wrong.
func Parse(file string, data []byte) (*Config, error) {
	return parse(engine.BuiltIn(), file, data)
}

// Load reads a configuration file. To reload, load again: what is in use does not change.
func Load(file string) (*Config, error) {
	data, err := document.Load("configuration", file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Find returns the backend of a name.
func (c *Config) Find(name string) (*Backend, bool) {
	for i := range c.Backends {
		if c.Backends[i].Name == name {
			return &c.Backends[i], true
		}
	}
	return nil, false
}
