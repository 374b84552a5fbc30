package doctor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// family is a metric family of an unknown page, as far as a guess needs it.
type family struct {
	name    string // as a mapping's from: for a histogram the name without _bucket
	kind    catalog.Kind
	summary bool // of which no series can be made
	labels  []string
	values  map[string][]string // of each label, a few
	highest float64
}

// mostFamilies and mostValues bound what a page can make of us, and mostName what a proposal can
// name: a sign is a name's beginning with a star.
const (
	mostFamilies = 2000
	mostValues   = 8
	mostName     = document.MostText - len("*")
)

// sampleName is what a mapping can name.
var sampleName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)

// familiesOf collects the families of a page in their order, without those of client libraries.
func familiesOf(page []byte) []*family {
	var all []*family
	byName := map[string]*family{}
	exposition.Read(page, func(s *exposition.Sample) {
		name, kind, summary := nameOf(s)
		if !sampleName.MatchString(name) || len(name) > mostName || ofLibrary(name) {
			return
		}
		f := byName[name]
		if f == nil {
			if len(all) == mostFamilies {
				return
			}
			f = &family{name: name, kind: kind, summary: summary, values: map[string][]string{}}
			byName[name] = f
			all = append(all, f)
		}
		f.highest = max(f.highest, s.Value)
		f.take(s.Labels)
	})
	return all
}

func (f *family) take(labels exposition.Labels) {
	for name, value, rest, ok := labels.Next(); ok; name, value, rest, ok = rest.Next() {
		n, v := string(name), string(value)
		if n == catalog.LabelLE || n == "quantile" || len(n) > mostName {
			continue
		}
		if !slices.Contains(f.labels, n) {
			f.labels = append(f.labels, n)
		}
		if seen := f.values[n]; len(seen) < mostValues && !slices.Contains(seen, v) {
			f.values[n] = append(seen, v)
		}
	}
}

// nameOf is the name that a mapping would use, "" for a sample that is of no use to one.
func nameOf(s *exposition.Sample) (name string, kind catalog.Kind, summary bool) {
	name = string(s.Name)
	switch {
	case strings.HasSuffix(name, "_created"), s.Type == exposition.Info, strings.HasSuffix(name, "_info"):
		return "", 0, false
	case s.Type == exposition.Histogram:
		return string(s.Family), catalog.Histogram, false
	case s.Type == exposition.Summary:
		return string(s.Family), catalog.Histogram, true
	case s.Type == exposition.Counter, s.Type == exposition.Untyped && strings.HasSuffix(name, "_total"):
		return name, catalog.Counter, false
	}
	return name, catalog.Gauge, false
}

// ofLibrary says whether a family is one that client libraries add by themselves.
func ofLibrary(name string) bool {
	for _, p := range []string{"python_", "process_", "http_", "go_", "promhttp_", "nodejs_", "jvm_", "dotnet_", "scrape_", "target_", "otel_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// words are the parts of a name.
func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ':' || r == '.' })
}

// beginning is what most of the families begin with, up to its first _ or :, "" if that is not
// the program's own.
func beginning(all []*family) string {
	count := map[string]int{}
	best := ""
	for _, f := range all {
		i := strings.IndexAny(f.name, "_:")
		if i <= 0 {
			continue
		}
		p := f.name[:i+1]
		if count[p]++; count[p] > count[best] {
			best = p
		}
	}
	if 2*count[best] < len(all) || len(best) < len("xx_") {
		return ""
	}
	return best
}
