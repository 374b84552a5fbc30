package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/common/version"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/llmfleet/llmfleet/exporter"
)

// stopWithin is how long scrapes in flight may go on after SIGTERM.
const stopWithin = 10 * time.Second

// run is the whole program; it ends when ctx does.
func run(ctx context.Context, args []string, out, errs io.Writer) error {
	f, err := parse(args, out, errs)
	if err != nil || f.askedForUsage {
		return err
	}
	c, err := f.load()
	if err != nil {
		return err
	}
	log := promslog.New(f.log)
	takeStandardLog(log)
	o := exporter.Options{
		Log: log, Offset: f.offset, MetricsPath: f.metricsPath, MaxRequests: f.maxRequests, NoProcessMetrics: f.noProcess, Host: f.host(),
	}
	if f.configFile != "" {
		o.Load = f.load
	}
	if f.offset == 0 {
		o.Offset = time.Nanosecond // 0 is the default of Options, and here it was said
	}
	e, err := exporter.New(c, o)
	if err != nil {
		return err
	}
	defer e.Close()
	if f.check {
		fmt.Fprintf(out, "%s is good. Backends: %d.\n", f.source(), len(c.Backends))
		return nil
	}
	tightMemory()
	warnRoot(log)
	if len(c.Backends) == 0 {
		log.Warn("No backend is configured: only this machine is read. Name a server with --target=URL, or backends in --config.file")
	}
	log.Info("Starting llmfleet_exporter", "version", version.Info(), "backends", len(c.Backends))
	defer reloadAtHangup(e)()
	defer askOnce(ctx, e)()
	return serve(ctx, e, f.listen, log)
}

// tightMemory lets the collector run twice as often as usual: the exporter lives beside
// model servers, where memory is dear and a few milliseconds of processor are not.
func tightMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

func warnRoot(log *slog.Logger) {
	if os.Geteuid() == 0 {
		log.Warn("Running as root: the exporter needs no rights; run it as a user of its own")
	}
}

// firstRound is how long the first round may take: as long as a scrape by default.
const firstRound = 10 * time.Second

// askOnce asks every backend once, beside whatever else happens, so that the page for a person says what
// answers before anything scrapes. wait ends it and waits for that.
func askOnce(ctx context.Context, e *exporter.Exporter) (wait func()) {
	ctx, cancel := context.WithTimeout(ctx, firstRound)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Scrape(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// reloadAtHangup reads the configuration again at SIGHUP, until stop is called.
func reloadAtHangup(e *exporter.Exporter) (stop func()) {
	hangup := make(chan os.Signal, 1)
	ended := make(chan struct{})
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hangup {
			e.Reload() // logs what came of it
		}
	}()
	return func() {
		signal.Stop(hangup)
		close(hangup)
		<-ended
	}
}

// serve answers until ctx ends, then lets the scrapes in flight finish.
func serve(ctx context.Context, e *exporter.Exporter, listen *toolkit.FlagConfig, log *slog.Logger) error {
	server := &http.Server{Handler: e.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- toolkit.ListenAndServe(server, listen, log) }()
	select {
	case err := <-failed:
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w; another program has it: give another --web.listen-address", err)
		}
		return err // names the address and what was done with it
	case <-ctx.Done():
	}
	log.Info("Stopping")
	ending, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		server.Close()
		log.Warn("Scrapes in flight were cut", "err", err)
	}
	if err := <-failed; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
