package gen

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// sighting is what the exporter made of a program's answers, in one folder of recordings or
// of written pages: the golden pages say it, and a test holds those to the recordings.
type sighting struct {
	folder string // "vllm-0.32.0", "written/tgi-3.3.6"
	how    string // recorded, collector, written
	series map[string]bool
}

// The ways in which answers came about.
const (
	recorded  = "recorded"
	collector = "collector code"
	written   = "written"
)

// sightings reads the golden pages: what was seen of each program, by its name. Outside of a
// checkout there are none, and nothing is said of them.
func sightings() (map[string][]sighting, error) {
	root, err := recording.Root()
	if err != nil {
		return nil, nil
	}
	testdata := os.DirFS(filepath.Dir(root))
	seen := map[string][]sighting{}
	err = fs.WalkDir(testdata, "golden", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".txt" {
			return err
		}
		page, err := fs.ReadFile(testdata, name)
		if err != nil {
			return err
		}
		rec := strings.TrimSuffix(strings.TrimPrefix(name, "golden/"), ".txt")
		how, err := howMade(testdata, rec)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		note(seen, folderOf(rec), how, page)
		return nil
	})
	return seen, err
}

// howMade says how the answers of a recording came about.
func howMade(testdata fs.FS, rec string) (string, error) {
	if strings.HasPrefix(rec, "written/") {
		return written, nil
	}
	sub, err := fs.Sub(testdata, path.Join("recordings", rec))
	if err != nil {
		return "", err
	}
	meta, err := recording.ReadMeta(sub)
	if err != nil {
		return "", err
	}
	if meta.Collector {
		return collector, nil
	}
	return recorded, nil
}

// folderOf is the program's folder of a recording: its scenarios are told together.
func folderOf(rec string) string {
	parts := strings.Split(rec, "/")
	if parts[0] == "written" {
		return path.Join(parts[0], parts[1])
	}
	return parts[0]
}

var ofProgram = regexp.MustCompile(`^(llm_\w+)\{.*?\b(?:engine|router)="([^"]+)"`)

// note adds the series of a golden page to what was seen.
func note(seen map[string][]sighting, folder, how string, page []byte) {
	for line := range strings.Lines(string(page)) {
		m := ofProgram.FindStringSubmatch(line)
		if m == nil || m[1] == catalog.SeriesSupported.Name || m[1] == catalog.BackendInfo.Name {
			continue
		}
		name := m[1]
		for _, suffix := range []string{"_sum", "_count"} {
			if stem := strings.TrimSuffix(name, suffix); catalog.ByName(stem) != nil {
				name = stem
			}
		}
		all := seen[m[2]]
		i := slices.IndexFunc(all, func(s sighting) bool { return s.folder == folder })
		if i < 0 {
			i, all = len(all), append(all, sighting{folder, how, map[string]bool{}})
		}
		all[i].series[name] = true
		seen[m[2]] = all
	}
}

// standsOn says in a few words what the mapping of a program was tested on.
func standsOn(all []sighting) string {
	var ways []string
	for _, s := range all {
		if !slices.Contains(ways, s.how) {
			ways = append(ways, s.how)
		}
	}
	if len(ways) == 0 {
		return "source only"
	}
	slices.Sort(ways)
	return strings.Join(ways, ", ")
}

// seenTable says which series each folder of answers really gave.
func seenTable(p *page, e *engine.Engine, all []sighting) {
	if len(all) == 0 {
		p.line("No recording: the mapping stands on the program's source alone.\n")
		return
	}
	p.line("What was seen (`testdata`):\n")
	heads, how := []string{"series"}, []string{"*how*"}
	for _, s := range all {
		heads, how = append(heads, "`"+s.folder+"`"), append(how, s.how)
	}
	p.heads(heads...)
	p.row(how...)
	for _, s := range catalog.All() {
		cells, any := []string{"`" + s.Name + "`"}, source(e, s) != ""
		for _, sight := range all {
			cell := "–"
			if sight.series[s.Name] {
				cell, any = "yes", true
			}
			cells = append(cells, cell)
		}
		if any {
			p.row(cells...)
		}
	}
	p.line("")
}
