package engine

import (
	"net/url"
	"slices"
	"strings"

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
	label string
	limit int // distinct values; 0: no bound
	ids   map[string]uint32
	texts []string
	used  []bool // in this round, by id
	fixed int    // so many texts are the catalog's or a mapping's own, and stay
}

// table returns the table of a label.
func (m *mapper) table(label string) *valueTable {
	t, ok := m.values[label]
	if !ok {
		t = &valueTable{label: label, limit: m.opts.MaxLabelValues, ids: map[string]uint32{}, texts: []string{""}, used: []bool{false}, fixed: 1}
		m.values[label] = t
	}
	return t
}

// begin starts a round: a table that is full drops the values that the last one did not see.
func (t *valueTable) begin() {
	most := t.limit
	if most <= 0 {
		most = tableRenewal
	}
	if len(t.ids) >= most {
		t.renew()
	}
	clear(t.used)
}

func (t *valueTable) renew() {
	texts, used := t.texts, t.used
	clear(t.ids)
	t.texts, t.used = slices.Clone(texts[:t.fixed]), make([]bool, t.fixed)
	for id := 1; id < t.fixed; id++ {
		t.ids[t.texts[id]] = uint32(id)
	}
	for id := t.fixed; id < len(texts); id++ {
		if used[id] {
			t.add(texts[id])
		}
	}
}

// constant adds a value that no limit touches.
func (t *valueTable) constant(text string) uint32 {
	if id, ok := t.ids[text]; ok && int(id) < t.fixed {
		return id
	}
	// ids of the round stay valid: constants are added when an engine is compiled, before it
	t.texts = slices.Insert(t.texts, t.fixed, text)
	t.used = slices.Insert(t.used, t.fixed, false)
	t.fixed++
	clear(t.ids)
	for id := 1; id < len(t.texts); id++ {
		t.ids[t.texts[id]] = uint32(id)
	}
	return t.ids[text]
}

func (t *valueTable) add(text string) uint32 {
	id := uint32(len(t.texts))
	t.ids[text] = id
	t.texts = append(t.texts, text)
	t.used = append(t.used, false)
	return id
}

// id returns the number of a value as a page has it; folded says that the limit made it other.
func (t *valueTable) id(value []byte) (id uint32, folded bool) {
	if len(value) == 0 {
		return 0, false
	}
	id, ok := t.ids[string(value)]
	if !ok {
		return t.learn(string(value[:min(len(value), longestValue+1)]))
	}
	t.used[id] = true
	return id, false
}

func (t *valueTable) idOf(text string) (id uint32, folded bool) {
	if text == "" {
		return 0, false
	}
	id, ok := t.ids[text]
	if !ok {
		return t.learn(text)
	}
	t.used[id] = true
	return id, false
}

// learn adds a value that is new. What has to be cleaned is looked up again as what it
// becomes, so that two spellings do not make two series.
func (t *valueTable) learn(value string) (id uint32, folded bool) {
	value = t.clean(value)
	id, ok := t.ids[value]
	if !ok && t.limit > 0 && len(t.ids)-t.fixed+1 >= t.limit {
		folded = true
		value = other
		id, ok = t.ids[other]
	}
	if !ok {
		id = t.add(value)
	}
	t.used[id] = true
	return id, folded
}

// clean makes a value fit for a label: valid UTF-8, not endless, an address without
// credentials and query.
func (t *valueTable) clean(value string) string {
	if t.label == catalog.LabelTarget || t.label == catalog.LabelURL {
		value = withoutCredentials(value)
	}
	value = strings.ToValidUTF8(value, "\ufffd")
	if len(value) > longestValue {
		value = strings.ToValidUTF8(value[:longestValue], "")
	}
	return value
}

func withoutCredentials(address string) string {
	if !strings.Contains(address, "://") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		// not an address after all; what stands before an @ may be a password
		return address[strings.LastIndex(address, "@")+1:]
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// seen returns the values of the round, nil if there were none.
func (t *valueTable) seen() (values []string) {
	for id, used := range t.used {
		if used {
			values = append(values, t.texts[id])
		}
	}
	return values
}

// several says whether the round had more than one value.
func (t *valueTable) several() bool {
	n := 0
	for _, used := range t.used {
		if used {
			n++
		}
	}
	return n > 1
}
