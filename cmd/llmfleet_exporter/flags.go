package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/llmfleet/llmfleet/exporter/release"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	toolkit "github.com/prometheus/exporter-toolkit/web"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/llmfleet/llmfleet/cmd/internal/mistyped"
	"github.com/llmfleet/llmfleet/exporter"
	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/web"
)

// defaultAddress is above 9999, where all ports have an exporter already.
const defaultAddress = ":10770"

// flags are the command line.
type flags struct {
	targets       []string
	configFile    string
	check         bool
	offset        time.Duration
	metricsPath   string
	noProcess     bool
	maxRequests   int
	listen        *toolkit.FlagConfig
	log           *promslog.Config
	askedForUsage bool // --help or --version, already answered

	sysfs, procfs string
	sampleEvery   time.Duration
	collectors    map[catalog.HostSource]*bool
}

// parse reads the command line. The web flags are exporter-toolkit's; its bootstrap package
// is not used, because it keeps the server to itself and so cannot stop it gracefully.
func parse(args []string, out, errs io.Writer) (*flags, error) {
	f := &flags{log: &promslog.Config{Writer: errs}}
	app := kingpin.New("llmfleet_exporter", "One Prometheus exporter for every LLM engine and router of a fleet, and for the machine under them.")
	app.UsageWriter(out).ErrorWriter(errs).Terminate(func(int) { f.askedForUsage = true })
	app.HelpFlag.Short('h')
	app.Version(release.Print("llmfleet_exporter"))

	app.Flag("target", "Address of a model server or router, such as http://127.0.0.1:8080; repeatable. Instead of --config.file.").
		StringsVar(&f.targets)
	app.Flag("config.file", "Configuration file. Read again at SIGHUP and POST /-/reload.").StringVar(&f.configFile)
	app.Flag("config.check", "Check the configuration, say all that is wrong with it, and exit.").BoolVar(&f.check)
	app.Flag("timeout-offset", "Taken off the scraper's timeout, so that the answer arrives in time.").
		Default(exporter.DefaultOffset.String()).DurationVar(&f.offset)
	app.Flag("web.telemetry-path", "Path of the metrics.").Default("/metrics").StringVar(&f.metricsPath)
	app.Flag("web.disable-exporter-metrics", "Leave out metrics about the exporter's process (go_*, process_*).").BoolVar(&f.noProcess)
	app.Flag("web.max-requests", "Scrapes served at the same time, of all targets and of each one by /probe; more are answered with 503. 0: no bound.").
		Default("40").IntVar(&f.maxRequests)
	f.hostFlags(app)
	f.listen = kingpinflag.AddFlags(app, defaultAddress)
	promslogflag.AddFlags(app, f.log)

	if _, err := app.Parse(args); err != nil && !f.askedForUsage {
		return nil, fmt.Errorf("%w; --help lists the flags", mistyped.Explain(app, args, err))
	}
	if f.askedForUsage {
		return f, nil
	}
	return f, f.conflicts()
}

// conflicts refuses combinations that cannot work.
func (f *flags) conflicts() error {
	var wrong []error
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	switch {
	case len(f.targets) > 0 && f.configFile != "":
		add("--target and --config.file: give one of them; a backend of the file has the address as its url")
	case f.check && len(f.targets) == 0 && f.configFile == "":
		add("nothing to check: give --config.file=FILE")
	case len(f.targets) == 0 && f.configFile == "" && len(f.off()) == len(f.collectors):
		add("nothing to watch: give --target=http://host:port, or --config.file=FILE, or leave the collectors of this machine on")
	}
	if f.sampleEvery < 0 || f.sampleEvery > 0 && f.sampleEvery < leastSample {
		add("--collector.pci.sample-interval=%s: must be %s or more; 0 looks at links at scrapes only", f.sampleEvery, leastSample)
	}
	if f.offset < 0 {
		add("--timeout-offset=%s: must not be negative", f.offset)
	}
	if f.maxRequests < 0 {
		add("--web.max-requests=%d: must not be negative; 0 means no bound", f.maxRequests)
	}
	if err := web.CheckMetricsPath(f.metricsPath); err != nil {
		add("--web.telemetry-path: %w", err)
	}
	return errors.Join(wrong...)
}

// load makes the configuration that the flags name.
func (f *flags) load() (*config.Config, error) {
	if f.configFile != "" {
		return config.Load(f.configFile)
	}
	return config.FromTargets(f.targets)
}

// source names where the configuration is from.
func (f *flags) source() string {
	if f.configFile != "" {
		return f.configFile
	}
	if len(f.targets) == 0 {
		return "this machine alone"
	}
	return strings.Join(f.targets, " ")
}
