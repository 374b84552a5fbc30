package engine

import (
	"strings"
	"sync"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// other is the value into which label values beyond the limit are folded.
const other = "other"

// longestValue is where a label value is cut: no name of a model, worker or reason is longer.
const longestValue = 256

// tableRenewal is the size at which a table without a limit forgets values that are gone.
const tableRenewal = 4096

// valueTable gives the values of one label small numbers, so that cells can be found without
// making a string of each label of each sample. 0 is the absent value.
//
// It outlives a round: the values that were there first stay when a limit is reached, and
// make room when they have not been seen for a round.
type valueTable struct {
	label   string
	limit   int // distinct values of pages and answers; 0: no bound
	learned int // so many there are
	ids     map[string]uint32
	values  []labelValue // by id
}

type labelValue struct {
	text string
	used bool // in this round
	own  bool // of the catalog or a mapping: stays, and no limit touches it
}

// columns are the labels of the catalog; a label's place is the same in every mapper.
var columns = sync.OnceValue(func() map[string]int {
	places := map[string]int{}
	for _, s := range catalog.All() {
		if s.Origin == catalog.Host {
			continue // no engine writes it
		}
		for _, label := range s.Labels {
			if _, ok := places[label]; !ok {
				places[label] = len(places)
			}
		}
	}
	return places
})

// newTables makes an empty table for each label.
func newTables(limit int) []valueTable {
	tables := make([]valueTable, len(columns()))
	for label, column := range columns() {
		tables[column] = valueTable{label: label, limit: limit}
	}
	return tables
}

// table returns the table of a label of the catalog.
func (m *mapper) table(label string) *valueTable { return &m.values[columns()[label]] }

// begin starts a round: a table that is full drops the values that the last one did not see.
func (t *valueTable) begin() {
	most := t.limit
	if most <= 0 {
		most = tableRenewal
	}
	if t.learned >= most {
		t.renew()
	}
	for id := range t.values {
		t.values[id].used = false
	}
}

// renew keeps the order, so that own values, which come first, keep their numbers.
func (t *valueTable) renew() {
	old := t.values
	clear(t.ids)
	t.values, t.learned = nil, 0
	for _, v := range old {
		if v.text != "" && (v.own || v.used) {
			t.add(v)
		}
	}
}

func (t *valueTable) add(v labelValue) uint32 {
	if t.ids == nil {
		t.ids = map[string]uint32{}
	}
	if t.values == nil {
		t.values = make([]labelValue, 1, 4) // 0 is the absent value
	}
	id := uint32(len(t.values))
	t.ids[v.text] = id
	t.values = append(t.values, v)
	if !v.own {
		t.learned++
	}
	return id
}

// text is the value of a number.
func (t *valueTable) text(id uint32) string { return t.values[id].text }

// constant returns the number of a value that no limit touches.
func (t *valueTable) constant(text string) uint32 {
	id, ok := t.ids[text]
	switch {
	case !ok:
		id = t.add(labelValue{text: text, own: true})
	case !t.values[id].own:
		t.values[id].own = true
		t.learned--
	}
	t.values[id].used = true
	return id
}

// id returns the number of a value as a page has it; folded says that the limit made it other.
func (t *valueTable) id(value []byte) (id uint32, folded bool) {
	if len(value) == 0 {
		return 0, false
	}
	id, ok := t.ids[string(value)]
	if !ok {
		if !t.addresses() { // of those all must be seen: the end of a password may be far
			value = value[:min(len(value), longestValue+1)]
		}
		return t.learn(string(value))
	}
	t.values[id].used = true
	return id, false
}

// idOf is id for a value that is text already.
func (t *valueTable) idOf(text string) (id uint32, folded bool) {
	if text == "" {
		return 0, false
	}
	id, ok := t.ids[text]
	if !ok {
		return t.learn(text)
	}
	t.values[id].used = true
	return id, false
}

// learn adds a value that is new. What has to be cleaned is looked up again as what it
// becomes, so that two spellings do not make two series.
func (t *valueTable) learn(value string) (id uint32, folded bool) {
	value = t.clean(value)
	id, ok := t.ids[value]
	if !ok && t.limit > 0 && t.learned >= t.limit {
		return t.constant(other), true
	}
	if !ok {
		id = t.add(labelValue{text: value})
	}
	t.values[id].used = true
	return id, folded
}

// addresses says whether the values are addresses of servers.
func (t *valueTable) addresses() bool {
	return t.label == catalog.LabelTarget || t.label == catalog.LabelURL
}

// clean makes a value fit for a label: valid UTF-8, not endless, an address without
// credentials and query.
func (t *valueTable) clean(value string) string {
	if t.addresses() {
		value = withoutCredentials(value)
	}
	value = strings.ToValidUTF8(value, "\ufffd")
	if len(value) > longestValue {
		value = strings.ToValidUTF8(value[:longestValue], "")
	}
	return value
}

// seen returns the values of the round, nil if there were none.
func (t *valueTable) seen() (values []string) {
	for _, v := range t.values {
		if v.used {
			values = append(values, v.text)
		}
	}
	return values
}

// several says whether the round had more than one value.
func (t *valueTable) several() bool {
	n := 0
	for _, v := range t.values {
		if v.used {
			n++
		}
	}
	return n > 1
}
