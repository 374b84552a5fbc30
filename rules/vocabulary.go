package rules

import (
	"maps"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Vocabulary is every name that an expression may use, and what is known of each.
type Vocabulary struct {
	names map[string]named
	// LastBucket is the last finite bound that recordings hold for a histogram (by its name
	// without _bucket), the smallest of all engines: a quantile never exceeds it.
	LastBucket map[string]float64
}

// named is what the lint knows of one name.
type named struct {
	kind      catalog.Kind
	unit      catalog.Unit
	labels    labelSet
	histogram string          // name of the histogram that a _bucket belongs to
	quantiles map[string]bool // histograms whose quantile a recorded name holds
}

// prometheusLabels are on every series that Prometheus scraped.
var prometheusLabels = []string{"instance", "job"}

// NewVocabulary knows the catalog, the foreign series and the recorded names of the groups.
func NewVocabulary(groups []Group, s Settings) *Vocabulary {
	v := &Vocabulary{names: map[string]named{}, LastBucket: map[string]float64{}}
	for _, c := range catalog.All() {
		v.addSeries(c)
	}
	for _, f := range catalog.ForeignSeries() {
		n := named{kind: f.Kind, unit: f.Unit, labels: labelSet{open: true}}
		if f.Name == "up" || f.Name == "scrape_duration_seconds" {
			n.labels = newLabelSet(prometheusLabels...)
		}
		v.names[f.Name] = n
	}
	for _, g := range groups {
		for _, rec := range g.Records {
			v.addRecord(rec, groups, s)
		}
	}
	return v
}

// Names lists every name, sorted.
func (v *Vocabulary) Names() []string { return slices.Sorted(maps.Keys(v.names)) }

func (v *Vocabulary) addSeries(c *catalog.Series) {
	labels := newLabelSet(append(slices.Clone(c.Labels), prometheusLabels...)...)
	if c.Kind != catalog.Histogram {
		v.names[c.Name] = named{kind: c.Kind, unit: c.Unit, labels: labels}
		return
	}
	v.names[c.Name+"_bucket"] = named{kind: catalog.Counter, unit: catalog.Count, labels: labels.with("le"), histogram: c.Name}
	v.names[c.Name+"_count"] = named{kind: catalog.Counter, unit: catalog.Count, labels: labels}
	v.names[c.Name+"_sum"] = named{kind: catalog.Counter, unit: c.Unit, labels: labels}
}

// addRecord takes a recorded name as its definition declares it; that the expression agrees
// is checked with the record itself.
func (v *Vocabulary) addRecord(rec Record, groups []Group, s Settings) {
	n := named{kind: catalog.Gauge, unit: catalog.Unit(rec.Unit), labels: newLabelSet(append(slices.Clone(rec.Labels), prometheusLabels...)...)}
	if text, err := Expand(rec.Expr, groups, s); err == nil {
		if expr, err := parsePromQL(text); err == nil {
			n.quantiles = (&checker{vocabulary: v}).facts(expr, asValue).quantiles
		}
	}
	v.names[rec.Name] = n
}
