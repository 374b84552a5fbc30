package main

import (
	"context"
	"fmt"
	"io"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/internal/recording"
)

func recordCommand(app *kingpin.Application) command {
	cmd := app.Command("record", "Bring a folder of recorded answers into the project's form, or show an answer of a recording.")
	from := cmd.Flag("import", "Folder of raw answers with an index.tsv.").PlaceHolder("DIR").ExistingDir()
	to := cmd.Flag("output", "Folder of the recording to write.").Short('o').PlaceHolder("DIR").String()
	var o recording.Options
	cmd.Flag("program", "Program, when the folder's name does not say it.").StringVar(&o.Program)
	cmd.Flag("program.version", "Its version, likewise.").StringVar(&o.Version)
	cmd.Flag("story", "What happens, in a sentence.").StringVar(&o.Story)
	show := cmd.Flag("show", "Recording of which to show an answer.").PlaceHolder("DIR").ExistingDir()
	server := cmd.Flag("server", "With --show: the server.").Default("service").String()
	path := cmd.Flag("path", "With --show: the path.").Default("/metrics").String()
	at := cmd.Flag("at", "With --show: the time since the recording's start.").Default("0s").Duration()
	return command{"record", func(_ context.Context, out io.Writer) error {
		switch {
		case *show != "":
			r, err := recording.Load(*show)
			if err != nil {
				return err
			}
			text, err := recording.Show(r, *server, *path, *at)
			fmt.Fprint(out, text)
			return err
		case *from == "" || *to == "":
			return fmt.Errorf("record: pass --import=DIR and -o DIR, or --show=DIR")
		}
		report, err := recording.Import(*from, *to, o)
		if report != nil {
			fmt.Fprint(out, report)
		}
		return err
	}}
}
