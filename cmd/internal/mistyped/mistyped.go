// Package mistyped says which flag or command was meant by one that there is not.
package mistyped

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/exporter/nearest"
)

// The two mistakes, as kingpin says them.
var (
	unknownFlag    = regexp.MustCompile(`^unknown long flag '--(?:no-)?([^']+)'$`)
	unknownCommand = regexp.MustCompile(`^expected command but got "(.*)"$`)
)

// Explain adds to an error of app.Parse what was meant, if that can be guessed.
func Explain(app *kingpin.Application, args []string, err error) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		if near := nearest.Word(m[1], flags(app.Model(), args)); near != "" {
			return fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	if m := unknownCommand.FindStringSubmatch(text); m != nil {
		if near := nearest.Word(m[1], commands(app.Model())); near != "" {
			return fmt.Errorf("%w; did you mean %s?", err, near)
		}
	}
	return err
}

// flags are those that may stand beside the arguments: of the command among them, or of any where
// there is none.
func flags(app *kingpin.ApplicationModel, args []string) []string {
	out := names(app.Flags)
	known := slices.ContainsFunc(app.Commands, func(c *kingpin.CmdModel) bool { return slices.Contains(args, c.Name) })
	for _, c := range app.Commands {
		if !known || slices.Contains(args, c.Name) {
			out = append(out, names(c.Flags)...)
		}
	}
	return out
}

func names(all []*kingpin.FlagModel) (out []string) {
	for _, f := range all {
		if !f.Hidden {
			out = append(out, f.Name)
		}
	}
	return out
}

func commands(app *kingpin.ApplicationModel) (out []string) {
	for _, c := range app.Commands {
		out = append(out, c.Name)
	}
	return out
}
