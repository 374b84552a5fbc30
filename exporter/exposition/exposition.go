// Package exposition reads Prometheus text and OpenMetrics text as real servers send it.
//
// Reading is tolerant: a malformed line loses that line and is counted, the rest of the page
// survives. Nothing is invented: a value that is not a finite number is dropped and counted.
// Sample names and labels are slices of the page; nothing is copied until it is asked for.
//
// The reader is our own because the usual ones reject a whole page for one line: a fresh
// llama.cpp of early 2025 prints -nan, a page pasted together from several servers repeats
// its TYPE lines, and both libraries lose every other number for it.
package exposition

// Sample is one line of a page. Its slices are valid until the page's buffer is reused.
type Sample struct {
	Name   []byte  // with _total, _bucket, _sum, _count as written
	Labels Labels  // unparsed until asked
	Value  float64 // finite
	Type   Type    // of the family, Untyped if the page did not say
	Family []byte  // name on the TYPE line above, nil if the sample does not belong to it
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

// Line is what Reader.Next found.
type Line uint8

// The lines that mean something. Comments, HELP, UNIT and EOF are passed over: an EOF in
// the middle of a pasted page does not end it.
const (
	End        Line = iota // no further line
	FamilyLine             // a # TYPE line: Reader.Family and Reader.Type say which
	SampleLine             // Reader.Sample holds it
)

// Stats counts what a page held.
type Stats struct {
	Samples  int // well-formed, finite
	Dropped  int // malformed lines, NaN and infinities
	Families int // # TYPE lines, repetitions of the one above not counted
}

// IsMetrics says whether the page was an exposition at all: one that declares families and
// has no sample yet is one, a page without either is something else (see Describe).
func (s Stats) IsMetrics() bool { return s.Samples > 0 || s.Families > 0 }

// Read calls fn with every sample of a page; the sample is valid within the call.
func Read(page []byte, fn func(*Sample)) Stats {
	var r Reader
	r.Reset(page)
	for {
		switch r.Next() {
		case SampleLine:
			fn(&r.Sample)
		case End:
			return r.Stats
		}
	}
}
