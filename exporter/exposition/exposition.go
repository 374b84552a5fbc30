// Package exposition reads Prometheus text and OpenMetrics text as real servers send it.
//
// Reading is tolerant: a malformed line loses that line and is counted, the rest of the page
// survives. Nothing is invented: a value that is not a finite number is dropped and counted.
// Sample names and labels are slices of the page; nothing is copied until it is asked for.
package exposition

// Sample is one line of a page. Its slices are valid until the page's buffer is reused.
type Sample struct {
	Name   []byte  // with _total, _bucket, _sum, _count as written
	Labels Labels  // unparsed until asked
	Value  float64 // finite
	Type   Type    // of the family, Untyped if the page did not say
}

// Type is a family's type as its # TYPE line says.
type Type uint8

// The types. Anything else that a page may say is read as Untyped.
const (
	Untyped Type = iota
	Gauge
	Counter
	Histogram
	Summary
	Info
	StateSet
)

// Labels is the text between a sample's braces.
type Labels []byte
