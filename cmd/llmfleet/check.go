package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/alecthomas/kingpin/v2"
	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/internal/check"
)

// errBlind ends the program with 1 where the page has said already what is wrong.
var errBlind = errors.New("something is to be mended; see above")

// unchecked is a check that could not be made: it ends the program with 2, so that a job can tell
// it from one that found something.
type unchecked struct{ error }

// Unwrap gives the cause.
func (u unchecked) Unwrap() error { return u.error }

const checkName = "check"

func checkCommand(app *kingpin.Application) command {
	cmd := app.Command(checkName, "Say of every rule and panel whether it can see on this fleet, and what would give it sight. "+
		"Ends with 0 when all is well, 1 when something is blind or nobody is told, 2 when it could not be checked.")
	prometheus := cmd.Flag("prometheus", "Address of the Prometheus that scrapes the exporters and has the rules.").PlaceHolder("URL").String()
	exporter := cmd.Flag("exporter", "Address of one exporter, to be looked at without a Prometheus.").PlaceHolder("URL").String()
	either := cmd.Arg("url", "Address of either of them: it is asked which it is.").String()
	httpConfig := cmd.Flag("http.config.file", "File with credentials and TLS for the address, in the form of Prometheus' http_config.").PlaceHolder("FILE").String()
	timeout := cmd.Flag("timeout", "Longest time for all questions together.").Default("30s").Duration()
	output := cmd.Flag("output", "text is for people, json for programs.").Default("text").Enum("text", "json")
	all := cmd.Flag("all", "List every rule and panel too.").Bool()
	settings := settingsFlag(cmd)
	return command{checkName, func(ctx context.Context, out io.Writer) error {
		var look func(context.Context, string, check.Options) (*check.Report, error)
		address, given := "", 0
		for _, way := range []struct {
			address string
			look    func(context.Context, string, check.Options) (*check.Report, error)
		}{{*prometheus, check.Prometheus}, {*exporter, check.Exporter}, {*either, check.Any}} {
			if way.address != "" {
				address, look, given = way.address, way.look, given+1
			}
		}
		if given != 1 {
			return unchecked{errors.New("pass one address: that of the Prometheus, or of one exporter alone; --prometheus=URL, or --exporter=URL, say which it must be")}
		}
		if *timeout <= 0 {
			return unchecked{fmt.Errorf("--timeout=%s: must be above 0; 30s is enough for most", *timeout)}
		}
		o := check.Options{Timeout: *timeout}
		var err error
		if o.Settings, err = settings(); err != nil {
			return unchecked{err}
		}
		if o.Client, err = httpClient(*httpConfig, *timeout); err != nil {
			return unchecked{err}
		}
		report, err := look(ctx, address, o)
		if err != nil {
			return unchecked{fmt.Errorf("check: %w", err)}
		}
		return show(report, *output, *all, out)
	}}
}

func show(r *check.Report, output string, all bool, out io.Writer) error {
	if output == "json" {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r); err != nil {
			return unchecked{err}
		}
	} else {
		fmt.Fprint(out, r.Page(all))
	}
	if !r.OK() {
		return errBlind
	}
	return nil
}

// httpClient is one with the credentials of a file, if there is one.
func httpClient(file string, timeout time.Duration) (*http.Client, error) {
	if file == "" {
		return &http.Client{Timeout: timeout}, nil
	}
	cfg, _, err := promconfig.LoadHTTPConfigFile(file)
	if err != nil {
		return nil, fmt.Errorf("http config %q: %w", file, err)
	}
	return promconfig.NewClientFromConfig(*cfg, "llmfleet")
}
