package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// question is one path of one of a target's addresses.
type question struct {
	port Port
	path string
}

// reply is what came of a question: an answer or an error, never both.
type reply struct {
	question
	answer *Answer
	err    *FetchError
	at     time.Time
	doc    any    // the JSON document, nil if the body is none
	text   []byte // the body as an exposition would be read, nil if it is a document
	names  names  // of the text's samples, once somebody asked
	reused bool   // from an earlier round
}

// questionOf is what a reply replies to.
func questionOf(re *reply) question {
	if re == nil {
		return question{}
	}
	return re.question
}

// ok says that the server answered with a status that means yes.
func (r *reply) ok() bool { return r != nil && r.answer != nil && r.answer.Status/100 == 2 }

// status is 0 without an answer.
func (r *reply) status() int {
	if r == nil || r.answer == nil {
		return 0
	}
	return r.answer.Status
}

// page returns the body of a good answer as an exposition, nil if it is none.
func (r *reply) page() []byte {
	if !r.ok() {
		return nil
	}
	return r.text
}

// sampleNames are the names in the text, read once for all who ask.
func (r *reply) sampleNames() names {
	if r.names == nil && r.text != nil {
		r.names = namesOf(r.text)
	}
	return r.names
}

// take looks at the body once, for all who will want to know what it is.
func (r *reply) take(answer *Answer) {
	if tooManyValues(answer.Body) {
		r.err = &FetchError{Reason: catalog.ReasonTooLarge, Err: fmt.Errorf("%s answered a JSON document of more than %d values", r.path, mostValues)}
		return
	}
	r.answer = answer
	if r.doc = document(answer.Body); r.doc == nil {
		r.text = exposition.Unwrap(answer.Body)
	}
}

// mostValues bounds the values of a JSON document. A decoded value takes up to a hundred
// times the bytes that it has in the body, so the limit of the body is none for the memory.
// The list of a router with a thousand models has a tenth of it.
const mostValues = 200_000

// tooManyValues says whether a body is a JSON document that may have more than mostValues. It
// counts what stands between values; commas within texts count as well.
func tooManyValues(body []byte) bool {
	if len(body) < mostValues || !beginsDocument(body) {
		return false
	}
	values := 0
	for _, between := range []string{",", "[", "{", ":"} {
		values += bytes.Count(body, []byte(between))
	}
	return values > mostValues
}

// beginsDocument says whether a body could be a JSON object or array. A JSON string is none:
// that may be llama.cpp's exposition of late 2025.
func beginsDocument(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// document decodes a JSON object or array.
func document(body []byte) any {
	if !beginsDocument(body) {
		return nil
	}
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return nil
	}
	return doc
}

// isExposition says whether a page declares families or holds samples.
func isExposition(page []byte) bool {
	if len(page) == 0 {
		return false
	}
	return exposition.Read(page, func(*exposition.Sample) {}).IsMetrics()
}
