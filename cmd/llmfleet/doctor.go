package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/doctor"
)

// errNoNumbers ends the program with 1 where the page has said already what is wrong.
var errNoNumbers = errors.New("no numbers arrive; see above")

func doctorCommand(app *kingpin.Application) command {
	cmd := app.Command("doctor", "Ask one server only what is harmless, and say what llmfleet makes of it.")
	target := targetFlags(cmd)
	cmd.Arg("url", "Address of a model server or router, like http://127.0.0.1:8080.").StringVar(&target.URL)
	cmd.Flag("timeout", "Longest time to wait for its answers.").Default("15s").DurationVar(&target.Timeout)
	return command{"doctor", func(ctx context.Context, out io.Writer) error {
		c, backend, err := target.Config()
		if err != nil {
			return err
		}
		x, err := doctor.Examine(ctx, c, backend, conversation.Options{})
		if err != nil {
			return err
		}
		fmt.Fprint(out, x)
		if !x.NumbersArrive() {
			return errNoNumbers
		}
		return nil
	}}
}

// targetFlags are those by which a command is told whom to ask.
func targetFlags(cmd *kingpin.CmdClause) *conversation.Target {
	t := &conversation.Target{}
	cmd.Flag("metrics-url", "Second address, of a router that has its metrics on another port.").PlaceHolder("URL").StringVar(&t.MetricsURL)
	cmd.Flag("bearer-token-file", "File that holds the token for the header Authorization.").PlaceHolder("FILE").StringVar(&t.BearerTokenFile)
	cmd.Flag("config.file", "Configuration file: its own mappings are used too.").PlaceHolder("FILE").StringVar(&t.ConfigFile)
	cmd.Flag("backend", "Backend of the configuration file, instead of an address.").PlaceHolder("NAME").StringVar(&t.Backend)
	return t
}
