package replay

import (
	"slices"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// Edit changes a recording in one small, named way, to show what nobody could record: a name
// that a future version drops, a cache that stops hitting, an exporter that is gone.
type Edit struct {
	Name  string // cases name it
	About string
	// Recording changes what the servers answered. It gets a copy.
	Recording func(*recording.Recording)
	// Host is lines that the machine's tree ends with: see testdata/hosts.
	Host string
	// Scrape changes what Prometheus gets from a target of a job.
	Scrape scrapeEdit
	// Beside is the instances of further exporters that read the same servers.
	Beside []string
}

// allEdits lists every edit, by what it changes.
func allEdits() []Edit {
	return slices.Concat(addressEdits, expectEdits, servingEdits, engineEdits, countEdits, routerEdits, watchEdits, hostEdits)
}

// findEdit finds an edit by name, nil if there is none.
func findEdit(name string) *Edit {
	all := allEdits()
	if i := slices.IndexFunc(all, func(e Edit) bool { return e.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// editNames lists the edits.
func editNames() []string {
	var out []string
	for _, e := range allEdits() {
		out = append(out, e.Name)
	}
	return out
}
