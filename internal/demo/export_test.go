package demo

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/llmfleet/llmfleet/internal/replay"
)

func TestTheStorageIsLeftInAFolderThatAServerOpens(t *testing.T) {
	var out bytes.Buffer
	o := options(t, &out, "../hosts/b")
	o.Once, o.Export = true, filepath.Join(t.TempDir(), "new", "storage")
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"llm_gpu_info", "ALERTS", "gpu:llm_gpu_memory_free:bytes"} { // scraped, alerted, recorded
		if last := lastSample(t, o.Export, name); last == 0 {
			t.Errorf("no series %s is in the folder", name)
		}
	}
	if want := "prometheus --storage.tsdb.path=" + o.Export; !strings.Contains(out.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, out.String())
	}
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "name a new folder") {
		t.Errorf("a second export into the folder: %v, want a refusal", err)
	}
}

// lastSample is the time of the last sample of a name in an exported folder, 0 without any.
func lastSample(t *testing.T, dir, name string) (last time.Duration) {
	t.Helper()
	db, err := tsdb.Open(dir, nil, nil, tsdb.DefaultOptions(), tsdb.NewDBStats())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	q, err := db.Querier(math.MinInt64, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	found := q.Select(t.Context(), false, nil, labels.MustNewMatcher(labels.MatchEqual, "__name__", name))
	for found.Next() {
		samples := found.At().Iterator(nil)
		for samples.Next() != chunkenc.ValNone {
			last = max(last, time.UnixMilli(samples.AtT()).Sub(replay.Epoch))
		}
	}
	return last
}

// until ends the play once it has written of something.
type until struct {
	bytes.Buffer
	news string
	stop func()
}

func (u *until) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(u.news)) {
		u.stop()
	}
	return u.Buffer.Write(text)
}

// medium-b fails at 480. What was asked for last was answered, all of it.
func TestAStoppedPlayIsExportedAsFarAsItCame(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out := &until{news: "LlmBackendDown", stop: stop}
	o := options(t, out, "fleet-incidents")
	o.Speed, o.Export = 1e6, filepath.Join(t.TempDir(), "storage")
	if err := Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"up", "llm_up", "ALERTS"} {
		if last := lastSample(t, o.Export, name); last != 480*time.Second {
			t.Errorf("the last sample of %s is at %s, want 8m:\n%s", name, last, &out.Buffer)
		}
	}
	if !strings.Contains(out.String(), "Exported (stopped, after 8m0s of ") {
		t.Errorf("it does not say how much was exported:\n%s", out)
	}
}

func TestAPlayThatNeverBeganExportsNothingAndSaysSo(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	o := options(t, &out, "../hosts/b")
	o.Once, o.Export = true, t.TempDir()
	if err := Run(ctx, o); err != nil || !strings.Contains(out.String(), "Nothing was played") {
		t.Errorf("%v:\n%s", err, &out)
	}
}

func TestAFolderThatCannotTakeTheExportIsRefusedBeforeThePlay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ dir, want string }{
		"a file":                 {file, "not a directory"},
		"below a file":           {filepath.Join(file, "storage"), "not a directory"},
		"where none can be made": {"/proc/llmfleet", "/proc/llmfleet"},
		"with something in it":   {filepath.Dir(file), `there is "file" in it already`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o := options(t, &out, "../hosts/b")
			o.Once, o.Export = true, tt.dir
			if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), tt.want) || out.Len() > 0 {
				t.Errorf("%v, want it to say %q, and nothing else:\n%s", err, tt.want, &out)
			}
		})
	}
}
