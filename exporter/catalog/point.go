package catalog

// Point is one sample of a series: what an engine's mapping makes and a scrape shows.
type Point struct {
	Series *Series
	// Labels has a value for each of Series.Labels, in that order. An empty string means
	// that the label is left out.
	Labels []string
	Value  float64  // not for histograms
	Hist   *Buckets // only for histograms
}

// Buckets are the cumulative counts of a classic histogram, bounds as the engine sent them.
type Buckets struct {
	Bounds []float64 // ascending upper bounds without +Inf
	Counts []uint64  // cumulative; Counts[i] belongs to Bounds[i]
	Count  uint64
	Sum    float64
}

// Label returns the value of a label, "" when the point has none.
func (p *Point) Label(name string) string {
	for i, l := range p.Series.Labels {
		if l == name && i < len(p.Labels) {
			return p.Labels[i]
		}
	}
	return ""
}
