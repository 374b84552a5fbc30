package exposition

import (
	"bytes"
	"math"
	"strconv"
)

// Reader walks over a page line by line without allocating. The zero value reads an empty
// page; Reset gives it one. A Reader may be used again for any number of pages.
type Reader struct {
	// Family and Type are of the newest # TYPE line.
	Family []byte
	Type   Type
	// Sample is the newest sample; the next call of Next overwrites it.
	Sample Sample
	// Stats are complete when Next has returned End.
	Stats Stats

	rest []byte
}

// Reset starts reading a page. An HTML page has no lines for it, whatever stands between
// its tags: a page about metrics is not a page of metrics.
func (r *Reader) Reset(page []byte) {
	page = Unwrap(page)
	if isMarkup(page) {
		page = nil
	}
	*r = Reader{rest: page}
}

// Next goes on to the next line that means something.
func (r *Reader) Next() Line {
	for len(r.rest) > 0 {
		line := r.line()
		switch {
		case len(line) == 0:
		case line[0] == '#':
			if r.typeLine(line[1:]) {
				return FamilyLine
			}
		case r.sampleLine(line):
			r.Stats.Samples++
			return SampleLine
		default:
			r.Stats.Dropped++
		}
	}
	return End
}

// line cuts the next line off the page, without its end and the blanks around it.
func (r *Reader) line() []byte {
	line := r.rest
	if i := bytes.IndexByte(r.rest, '\n'); i >= 0 {
		line, r.rest = r.rest[:i], r.rest[i+1:]
	} else {
		r.rest = nil
	}
	for len(line) > 0 && (isBlank(line[len(line)-1]) || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return skipBlanks(line)
}

// typeLine reads what follows the # of a comment; false if it is no TYPE line.
func (r *Reader) typeLine(text []byte) bool {
	word, text := cutWord(skipBlanks(text))
	if string(word) != "TYPE" {
		return false
	}
	name, text, ok := cutName(text)
	if !ok {
		return false
	}
	word, _ = cutWord(skipBlanks(text))
	if !bytes.Equal(name, r.Family) {
		r.Stats.Families++
	}
	r.Family, r.Type = name, typeOf(word)
	return true
}

func typeOf(word []byte) Type {
	switch string(word) {
	case "gauge":
		return Gauge
	case "counter":
		return Counter
	case "histogram":
		return Histogram
	case "summary":
		return Summary
	case "info":
		return Info
	case "stateset":
		return StateSet
	}
	return Untyped
}

// sampleLine reads a sample; false if the line is malformed or its value is not finite.
func (r *Reader) sampleLine(line []byte) bool {
	s := &r.Sample
	*s = Sample{}
	var ok bool
	if line[0] == '{' { // the name is quoted and stands among the labels
		s.Name, line, ok = cutQuotedName(line[1:])
	} else if s.Name, line, ok = cutName(line); ok {
		line = skipBlanks(line)
		if len(line) > 0 && line[0] == '{' {
			line = line[1:]
		} else {
			return r.value(line)
		}
	}
	if !ok {
		return false
	}
	end := labelsEnd(line)
	if end < 0 {
		return false
	}
	s.Labels = Labels(line[:end])
	return r.value(skipBlanks(line[end+1:]))
}

// value reads what follows name and labels: the number, perhaps a timestamp, perhaps an
// exemplar. It completes the sample.
func (r *Reader) value(text []byte) bool {
	number, text := cutWord(text)
	v, ok := parseFloat(number)
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) || !validTail(skipBlanks(text)) {
		return false
	}
	r.Sample.Value = v
	if r.belongs() {
		r.Sample.Family, r.Sample.Type = r.Family, r.Type
	}
	return true
}

// validTail accepts a timestamp, an exemplar, both or neither.
func validTail(text []byte) bool {
	if len(text) == 0 || text[0] == '#' {
		return true
	}
	stamp, text := cutWord(text)
	_, ok := parseFloat(stamp)
	text = skipBlanks(text)
	return ok && (len(text) == 0 || text[0] == '#')
}

// belongs says whether the sample is of the family of the newest TYPE line.
func (r *Reader) belongs() bool {
	suffix, ok := bytes.CutPrefix(r.Sample.Name, r.Family)
	if !ok || r.Family == nil {
		return false
	}
	switch string(suffix) {
	case "":
		return true
	case "_created":
		return r.Type == Counter || r.Type == Histogram || r.Type == Summary
	case "_total":
		return r.Type == Counter
	case "_bucket":
		return r.Type == Histogram
	case "_sum", "_count":
		return r.Type == Histogram || r.Type == Summary
	case "_info":
		return r.Type == Info
	}
	return false
}

// parseFloat reads a number as the text formats allow it: what Go adds for its own source,
// hexadecimal mantissas and underscores, is malformed.
func parseFloat(word []byte) (float64, bool) {
	for _, c := range word {
		if c == '_' || c == 'p' || c == 'P' || c == 'x' || c == 'X' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(word), 64)
	return v, err == nil
}
