package main

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/gen"
)

func generateCommand(app *kingpin.Application) command {
	cmd := app.Command("generate", "Write the rules, their tests, the dashboards and the documentation.")
	check := cmd.Flag("check", "Write nothing; fail with a diff when a file is stale.").Bool()
	dir := cmd.Flag("output", "Root of what is written: gen/bundle and docs below it.").Short('o').Default(".").PlaceHolder("DIR").String()
	settings := settingsFlag(cmd)
	return command{"generate", func(_ context.Context, out io.Writer) error {
		s, err := settings()
		if err != nil {
			return err
		}
		if left := gen.LeftOut(); left != "" {
			fmt.Fprintln(out, left)
		}
		if !*check {
			return gen.Write(*dir, s)
		}
		diff, err := gen.Check(*dir, s)
		if err != nil || diff == "" {
			return err
		}
		fmt.Fprint(out, diff)
		return fmt.Errorf("generated files are stale; run llmfleet generate")
	}}
}
