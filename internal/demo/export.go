package demo

import (
	"context"
	"fmt"
	"os"

	"github.com/llmfleet/llmfleet/internal/replay"
)

// prepareExport makes the folder of an export. It is tried before the play, which takes minutes,
// and must be empty: a server would read what lies there as well, and two plays are about the same
// simulated time.
func prepareExport(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("demo: export: %w", err)
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("demo: export: %w", err)
	}
	if len(found) > 0 {
		return fmt.Errorf("demo: export to %q: there is %q in it already; name a new folder", dir, found[0].Name())
	}
	probe, err := os.CreateTemp(dir, "")
	if err != nil {
		return fmt.Errorf("demo: export: %w", err)
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return fmt.Errorf("demo: export: %w", err)
	}
	return nil
}

// export writes what was stored, and says how much of the play that is.
func export(ctx context.Context, o Options, s *stage, prom *replay.Prometheus) error {
	if prom.Head().NumSeries() == 0 {
		fmt.Fprintf(o.Out, "\nNothing was played, so %s stays empty.\n", o.Export)
		return nil
	}
	if err := prom.Snapshot(o.Export, true); err != nil {
		return fmt.Errorf("demo: export to %q: %w", o.Export, err)
	}
	played := "all"
	if ctx.Err() != nil {
		played = "stopped, after " + s.now().String()
	}
	fmt.Fprintf(o.Out, "\nExported (%s of %s): prometheus --storage.tsdb.path=%s opens it.\n", played, s.length, o.Export)
	return nil
}
