package config

import (
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// path names a place in the file as one would say it: backends[2].url.
type path = document.Path

// decoder reads one file, with what parts of it need to know of each other.
type decoder struct {
	*document.Reader
	known      []*engine.Engine // the built-in engines
	defaults   Limits           // of the file, for its backends
	objectives Objectives       // the same
	own        []*engine.Engine // mappings of the file
}
