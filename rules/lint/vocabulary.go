package lint

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

// WithScrapeLabels adds what is on every series that Prometheus scraped to the labels of a
// series, and returns them in order.
func WithScrapeLabels(labels []string) []string {
	return slices.Sorted(slices.Values(append(slices.Clone(labels), scrapeLabels...)))
}

var scrapeLabels = []string{"instance", "job"}

// New is an empty vocabulary, for expressions on series of another exporter: Add what it exports.
func New() *Vocabulary {
	return &Vocabulary{names: map[string]named{}, LastBucket: map[string]float64{}}
}

// NewVocabulary knows llmfleet's catalog and the foreign series that its rules use.
func NewVocabulary() *Vocabulary {
	v := New()
	for _, c := range catalog.All() {
		v.Add(c)
	}
	for _, f := range catalog.ForeignSeries() {
		v.addForeign(f)
	}
	return v
}

// Names lists every name, sorted.
func (v *Vocabulary) Names() []string { return slices.Sorted(maps.Keys(v.names)) }

// Add adds a series of an exporter; of a histogram its buckets, count and sum.
func (v *Vocabulary) Add(c *catalog.Series) {
	labels := newLabelSet(WithScrapeLabels(c.Labels)...)
	if c.Kind != catalog.Histogram {
		v.names[c.Name] = named{kind: c.Kind, unit: c.Unit, labels: labels}
		return
	}
	v.names[c.Name+"_bucket"] = named{kind: catalog.Counter, unit: catalog.Count, labels: labels.with("le"), histogram: c.Name}
	v.names[c.Name+"_count"] = named{kind: catalog.Counter, unit: catalog.Count, labels: labels}
	v.names[c.Name+"_sum"] = named{kind: catalog.Counter, unit: c.Unit, labels: labels}
}

// addForeign adds a series of which not all labels need be known.
func (v *Vocabulary) addForeign(f catalog.Foreign) {
	n := named{kind: f.Kind, unit: f.Unit, labels: labelSet{open: true}}
	if f.Name == "up" || f.Name == "scrape_duration_seconds" {
		n.labels = newLabelSet(scrapeLabels...)
	}
	v.names[f.Name] = n
}

// Record adds a recorded name as its definition declares it; that the expression agrees is
// checked with the record itself.
func (v *Vocabulary) Record(name string, unit catalog.Unit, labels []string, expr string) {
	n := named{kind: catalog.Gauge, unit: unit, labels: newLabelSet(WithScrapeLabels(labels)...)}
	if parsed, err := Parser.ParseExpr(expr); err == nil {
		n.quantiles = (&checker{vocabulary: v}).facts(parsed, asValue).quantiles
	}
	v.names[name] = n
}
