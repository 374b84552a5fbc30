// Command llmfleet is the operator's tool: it plays recordings, writes the rules and
// dashboards, proves them, says whether they can see on a fleet, and brings in recordings.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/cmd/internal/mistyped"
	"github.com/llmfleet/llmfleet/exporter/release"
)

// command is one subcommand: its flags are declared when it is added, and run does the work.
type command struct {
	name string
	run  func(ctx context.Context, out io.Writer) error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "llmfleet:", err)
		if _, ok := errors.AsType[unchecked](err); ok {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// run is the program without its process, so that tests can start it.
func run(ctx context.Context, args []string, out io.Writer) error {
	app := kingpin.New("llmfleet", "Plays recorded model servers, writes Prometheus rules and Grafana dashboards, and proves them.")
	app.HelpFlag.Short('h')
	app.Version(release.Print("llmfleet"))
	app.UsageWriter(out)
	commands := []command{checkCommand(app), demoCommand(app), doctorCommand(app), generateCommand(app), proveCommand(app), recordCommand(app)}
	chosen, err := app.Parse(args)
	if err != nil {
		err = fmt.Errorf("%w; see llmfleet --help", mistyped.Explain(app, args, err))
		if len(args) > 0 && args[0] == checkName {
			return unchecked{err} // a job must not take a mistyped flag for a fleet that is blind
		}
		return err
	}
	for _, c := range commands {
		if c.name == chosen {
			return c.run(ctx, out)
		}
	}
	return fmt.Errorf("no command %q", chosen) // kingpin has refused it before
}
