package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/internal/proof"
	"github.com/llmfleet/llmfleet/internal/recording"
)

func proveCommand(app *kingpin.Application) command {
	cmd := app.Command("prove", "Evaluate every expression, alert, threshold and mutant on the recordings. "+
		"With other numbers in --settings: whether each alert still fires on its incidents and is quiet elsewhere, and whether the numbers keep their margins.")
	root := cmd.Flag("recordings", "Folder of the recordings; default: testdata/recordings of the checkout.").PlaceHolder("DIR").String()
	hosts := cmd.Flag("hosts", "Folder of the machines; default: testdata/hosts of the checkout, or none with --recordings.").PlaceHolder("DIR").String()
	only := cmd.Flag("only", "Try only alerts, recording rules and panels whose name matches. Says what is wrong with them sooner, and proves nothing.").PlaceHolder("REGEXP").Regexp()
	settings := settingsFlag(cmd)
	return command{"prove", func(ctx context.Context, out io.Writer) (err error) {
		var machines fs.FS
		s, err := settings()
		if err != nil {
			return err
		}
		if *root == "" {
			if *root, err = recording.Root(); err != nil {
				return err
			}
			if *hosts == "" {
				*hosts = filepath.Join(filepath.Dir(*root), "hosts")
			}
		}
		if *hosts != "" {
			machines = os.DirFS(*hosts)
		}
		o, err := proof.Bundle(s, os.DirFS(*root), machines)
		if err != nil {
			return err
		}
		if o.Progress = os.Stderr; *only != nil {
			o.Only = (*only).MatchString
			fmt.Fprintf(out, "only what matches %s: not a proof\n", *only)
		}
		report, err := proof.Run(ctx, o)
		if err != nil {
			return err
		}
		fmt.Fprint(out, report)
		if !report.OK() {
			return fmt.Errorf("prove: %d failures", len(report.Failures))
		}
		return nil
	}}
}
