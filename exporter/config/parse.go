package config

import (
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// file is the top of the configuration file. Backends are read last, for they rest on the
// defaults and on the own mappings.
var file = &section[Config]{
	title: "The file",
	about: "All keys are optional: an empty file is the defaults and watches nothing.",
	wants: "the keys defaults, objectives, backends, host and engines",
	start: func(*decoder) Config { return *Default() },
	keys: []key[Config]{
		field("defaults", defaults.kind(), func(c *Config) *Limits { return &c.Defaults },
			"Limits of every backend that does not say its own."),
		field("objectives", objectives.kind(), func(c *Config) *Objectives { return &c.Objectives },
			"Longest times that requests should take, for every backend that does not say its own."),
		field("backends", list(backend.kind(), checkBackends), func(c *Config) *[]Backend { return &c.Backends },
			"The model servers and routers to watch.").after(),
		field("host", hostSection.kind(), func(c *Config) *Host { return &c.Host },
			"The machine that the exporter runs on: its GPUs are found without a word here."),
		field("engines", engines, func(c *Config) *[]*engine.Engine { return &c.Engines },
			"Own mappings: a fork, an in-house engine, a router that tells its state as JSON."),
	},
}

func parse(known []*engine.Engine, name string, data []byte) (*Config, error) {
	d := &decoder{Reader: document.NewReader(name, "split the fleet over several exporters"), known: known, defaults: Default().Defaults, objectives: Default().Objectives}
	n := d.Document(data)
	if n == nil {
		c := *Default()
		c.Empty = true
		return d.result(c)
	}
	c, _ := file.read(d, n, "")
	return d.result(c)
}

func (d *decoder) result(c Config) (*Config, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	c.File = d.File
	return &c, nil
}
