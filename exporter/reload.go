package exporter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/web"
)

// errNoReload is the answer to a reload of an exporter that was made from flags.
var errNoReload = errors.New("there is no configuration file to read again: the targets were given as flags; restart with others")

// Reload reads the configuration again. When the new one is refused the one in force stays,
// and the reason is logged, shown on the page and counted.
func (e *Exporter) Reload() (web.Reloaded, error) {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	if e.options.Load == nil {
		e.options.Log.Warn("Not reloaded", "err", errNoReload)
		return web.Reloaded{}, errNoReload
	}
	next := *e.status.Load()
	before := len(next.config.Backends)
	c, err := e.options.Load()
	if err == nil {
		err = e.replace(c, before)
	}
	if next.err = err; err == nil {
		next.config, next.loaded = c, e.options.Now()
	}
	e.status.Store(&next)
	if err != nil {
		e.options.Log.Error("Configuration refused; the one before it stays in force", "err", err)
		return web.Reloaded{}, err
	}
	level, text := slog.LevelInfo, "Configuration read"
	if len(c.Backends) == 0 && before > 0 {
		level, text = slog.LevelWarn, "Configuration read; it has no backends any more"
	}
	e.options.Log.Log(context.Background(), level, text, "file", c.File, "before", before, "backends", len(c.Backends))
	return web.Reloaded{Before: before, Now: len(c.Backends)}, nil
}

// replace puts a configuration in force. An empty file takes no fleet away: it is being written,
// or was lost.
func (e *Exporter) replace(c *config.Config, before int) error {
	if c.Empty && before > 0 {
		return fmt.Errorf("configuration file %q is empty, while backends are in force (%d); write backends: [] to watch none", c.File, before)
	}
	if err := e.fleet.Load(c); err != nil {
		return err
	}
	if e.host != nil {
		e.host.Load(hostConfig(c))
	}
	return nil
}

// Config describes the configuration in force.
func (e *Exporter) Config() web.ConfigStatus {
	s := e.status.Load()
	out := web.ConfigStatus{File: s.config.File, Loaded: s.loaded, Text: string(s.config.Redacted())}
	if s.err != nil {
		out.Error = s.err.Error()
	}
	return out
}

// points are the exporter's own series of the catalog, in the order of their names.
func (e *Exporter) points() []catalog.Point {
	s := e.status.Load()
	ok, scraped := 1.0, 0
	if s.err != nil {
		ok = 0
	}
	for _, t := range e.Targets() {
		if t.Backend().Unscraped == "" {
			scraped++
		}
	}
	return []catalog.Point{
		{Series: catalog.ExporterConfigReloadTime, Value: float64(s.loaded.UnixMilli()) / 1000},
		{Series: catalog.ExporterConfigReloadOK, Value: ok},
		{Series: catalog.ExporterTargets, Value: float64(scraped)},
	}
}
