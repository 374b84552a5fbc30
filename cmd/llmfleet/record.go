package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/recorder"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// recordFlags are what record was told to do.
type recordFlags struct {
	what                   []string // an address, or with --check the folders
	to, from, show         string
	check                  bool
	target                 *conversation.Target
	interval, length       time.Duration
	imported               recording.Options
	shownServer, shownPath string
	shownAt                time.Duration
}

func recordCommand(app *kingpin.Application) command {
	cmd := app.Command("record", "Record a live server without what is private; check, import or show a recording.")
	f := &recordFlags{target: targetFlags(cmd)}
	cmd.Arg("url", "Address of a live server to record; with --check the folders to check.").StringsVar(&f.what)
	cmd.Flag("output", "Folder of the recording to write.").Short('o').PlaceHolder("DIR").StringVar(&f.to)
	cmd.Flag("interval", "Time between two rounds of questions.").Default("15s").DurationVar(&f.interval)
	cmd.Flag("length", "How long to record.").Default("10m").DurationVar(&f.length)
	cmd.Flag("check", "Refuse recordings that hold something private: keys, prompts, paths, people, addresses.").BoolVar(&f.check)
	cmd.Flag("import", "Folder of raw answers with an index.tsv.").PlaceHolder("DIR").ExistingDirVar(&f.from)
	cmd.Flag("program", "With --import: program, when the folder's name does not say it.").StringVar(&f.imported.Program)
	cmd.Flag("program.version", "With --import: its version, likewise.").StringVar(&f.imported.Version)
	cmd.Flag("story", "What happens, in a sentence.").StringVar(&f.imported.Story)
	cmd.Flag("show", "Recording of which to show an answer.").PlaceHolder("DIR").ExistingDirVar(&f.show)
	cmd.Flag("server", "With --show: the server.").Default("service").StringVar(&f.shownServer)
	cmd.Flag("path", "With --show: the path.").Default("/metrics").StringVar(&f.shownPath)
	cmd.Flag("at", "With --show: the time since the recording's start.").Default("0s").DurationVar(&f.shownAt)
	return command{"record", f.run}
}

func (f *recordFlags) run(ctx context.Context, out io.Writer) error {
	live := len(f.what) > 0 || f.target.Backend != "" || f.target.ConfigFile != ""
	switch {
	case f.check:
		return f.checked(out)
	case f.show != "":
		return f.shown(out)
	case f.from != "" && f.to != "":
		report, err := recording.Import(f.from, f.to, f.imported)
		if report != nil {
			fmt.Fprint(out, report)
		}
		return err
	case f.from != "" || !live:
		return fmt.Errorf("record: pass the address of a live server and -o DIR, or --import=DIR and -o DIR, or --show=DIR, or --check DIR")
	}
	return f.live(ctx, out)
}

// live records a server.
func (f *recordFlags) live(ctx context.Context, out io.Writer) error {
	if len(f.what) > 1 {
		return fmt.Errorf("record: one server at a time, not %d; record the others into folders of their own", len(f.what))
	}
	if len(f.what) == 1 {
		f.target.URL = f.what[0]
	}
	c, backend, err := f.target.Config()
	if err != nil {
		return err
	}
	return recorder.Record(ctx, c, backend, recorder.Options{
		Interval: f.interval, Length: f.length, Dir: f.to, Story: f.imported.Story, Out: out,
	})
}

// checked looks for what is private in recordings.
func (f *recordFlags) checked(out io.Writer) error {
	if len(f.what) == 0 {
		return fmt.Errorf("record --check: pass the folders of the recordings")
	}
	n := 0
	for _, dir := range f.what {
		found, err := recording.CheckPrivate(dir)
		if err != nil {
			return err
		}
		for _, one := range found {
			fmt.Fprintln(out, one)
		}
		n += len(found)
	}
	if n > 0 {
		return fmt.Errorf("record --check: %d places hold something private; remove it there, or record again", n)
	}
	fmt.Fprintf(out, "%d recordings hold nothing that looks private.\n", len(f.what))
	return nil
}

// shown prints one answer of a recording.
func (f *recordFlags) shown(out io.Writer) error {
	r, err := recording.Load(f.show)
	if err != nil {
		return err
	}
	text, err := recording.Show(r, f.shownServer, f.shownPath, f.shownAt)
	fmt.Fprint(out, text)
	return err
}
