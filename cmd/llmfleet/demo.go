package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/internal/demo"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// scene is what the demo plays when nothing else is asked for: a fleet with two incidents, a
// router whose models come and go, an overload, and the machines of the reference fleet.
var scene = []string{
	"recordings/fleet-incidents", "recordings/llamacpp-0.7.0-b11669/router", "recordings/llamacpp-0.7.0-b11669/overload-long",
	"hosts/a1", "hosts/a2", "hosts/b",
}

// cast puts the overloaded vLLM on the card that hangs on one lane, so that one backend is sick for
// a reason that its card shares.
var cast = map[string]map[string]recording.Borrowed{
	"a1": {"127.0.0.1:8001": {Recording: "vllm-0.32.0/overload-long", Server: "service"}},
}

func demoCommand(app *kingpin.Application) command {
	cmd := app.Command("demo", "Play recorded servers and machines, run exporters against them, and show the alerts as they come and go.")
	var o demo.Options
	cmd.Flag("once", "Play through as fast as possible, print what fired when, and end.").BoolVar(&o.Once)
	cmd.Flag("export", "At the end, or when stopped, write what Prometheus stored into this new folder: a Prometheus server opens it as --storage.tsdb.path.").PlaceHolder("DIR").StringVar(&o.Export)
	cmd.Flag("speed", "How many times faster than the clock the recordings are played.").Default("30").Float64Var(&o.Speed)
	cmd.Flag("exporter.listen-address", "Where the exporter listens; a free port if it is taken.").Default("127.0.0.1:10770").StringVar(&o.ExporterAddress)
	cmd.Flag("listen-address", "Where the page with the fleet listens; a free port if it is taken.").Default("127.0.0.1:10771").StringVar(&o.PageAddress)
	cmd.Flag("prometheus.listen-address", "Where the demo answers Prometheus' query API, for Grafana; a free port if it is taken.").Default("127.0.0.1:10772").StringVar(&o.PrometheusAddress)
	folders := cmd.Flag("recording", "Play the recording in this folder instead (repeatable).").PlaceHolder("DIR").ExistingDirs()
	settings := settingsFlag(cmd)
	return command{"demo", func(ctx context.Context, out io.Writer) (err error) {
		if !(o.Speed >= demo.Slowest) {
			return fmt.Errorf("--speed=%g: must be at least %g", o.Speed, demo.Slowest)
		}
		if o.Settings, err = settings(); err != nil {
			return err
		}
		if o.Recordings, err = recordings(*folders); err != nil {
			return err
		}
		o.Out = out
		return demo.Run(ctx, o)
	}}
}

// recordings loads the folders, or the scene when there are none.
func recordings(folders []string) (out []*recording.Recording, err error) {
	var roles map[string]map[string]recording.Borrowed
	if len(folders) == 0 {
		roles = cast
		root, err := recording.Root()
		if err != nil {
			return nil, fmt.Errorf("%w; run it in a checkout, or pass --recording=DIR", err)
		}
		for _, name := range scene {
			folders = append(folders, filepath.Join(filepath.Dir(root), filepath.FromSlash(name)))
		}
	}
	for _, dir := range folders {
		r, err := recording.Load(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w; name the folder of one recording, or make one of raw answers with llmfleet record --import=DIR -o DIR", err)
		case err != nil:
			return nil, err
		case len(r.Servers) == 0:
			return nil, fmt.Errorf("recording %s: holds single answers only, nothing that goes on over time: nothing to play", dir)
		}
		for host, b := range roles[r.Name] {
			if err := r.Recast(host, b); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}
