package recording

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// remover takes what is private out of answers, and says what it took. What stands for a name is
// the same wherever the name stands, so that answers still fit together.
type remover struct {
	strict bool // also what is no fault of a recording
	found  func(line int, what, value string)

	line    int               // of the body that is being read
	numbers map[string]int    // by kind and text
	counts  map[string]int    // by kind
	known   map[string]string // by field and text: what became of it, where nothing was found
}

// mostKnown bounds what a remover remembers.
const mostKnown = 1 << 16

func newRemover(strict bool, found func(line int, what, value string)) *remover {
	return &remover{strict: strict, found: found, numbers: map[string]int{}, counts: map[string]int{}, known: map[string]string{}}
}

// number is the place of a text among those of its kind.
func (r *remover) number(kind, text string) int {
	key := kind + "\x00" + text
	if r.numbers[key] == 0 {
		r.counts[kind]++
		r.numbers[key] = r.counts[kind]
	}
	return r.numbers[key]
}

// body returns an answer's body without what is private.
func (r *remover) body(b []byte) []byte {
	r.line = 1
	return r.document(b)
}

func (r *remover) document(b []byte) []byte {
	if clean, ok := r.json(b); ok {
		return clean
	}
	lines := strings.Split(r.apply(&privateKey, string(b)), "\n")
	for i, l := range lines {
		r.line = i + 1
		if len(lines) > 1 && strings.HasPrefix(strings.TrimLeft(l, " \t"), "{") {
			lines[i] = r.jsonLine(l)
			continue
		}
		lines[i] = r.textLine(l)
	}
	text := []byte(strings.Join(lines, "\n"))
	r.line = 1
	if clean, ok := r.json(text); ok { // what was no JSON is gone
		return clean
	}
	return text
}

// jsonLine reads a line that may be JSON, if not before then without what is private.
func (r *remover) jsonLine(l string) string {
	if clean, ok := r.json([]byte(l)); ok {
		return string(clean)
	}
	l = r.textLine(l)
	if clean, ok := r.json([]byte(l)); ok {
		return string(clean)
	}
	return l
}

// path returns a path whose query has nothing private in it.
func (r *remover) path(p string) string {
	base, query, found := strings.Cut(p, "?")
	if !found {
		return p
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		plain := unquery(value)
		if clean := r.text(unquery(name), plain); clean != plain {
			parts[i] = name + "=" + url.QueryEscape(clean)
		}
	}
	return base + "?" + strings.Join(parts, "&")
}

// unquery is a part of a query as it was meant, or as it stands where nobody can tell.
func unquery(part string) string {
	if plain, err := url.QueryUnescape(part); err == nil {
		return plain
	}
	return part
}

var (
	// hasLabels finds the labels of a sample, whose name may stand among them, or those of its
	// exemplar; a line of broken JSON is read like one.
	hasLabels = regexp.MustCompile(`^[ \t]*[^\s#{"]*[ \t]*\{|[ \t]#[ \t]*\{`)
	// labelPair also finds the last one of a line that is cut.
	labelPair = regexp.MustCompile(`([^\s"=:,{}]+)"?[ \t]*[=:][ \t]*"((?:[^"\\]|\\.)*\\?)(?:"|$)`)
	unescape  = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
	escape    = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
)

// textLine reads the labels of a sample one by one, and any other line as a whole.
func (r *remover) textLine(l string) string {
	series, value, ok := cutValue(l)
	if _, err := strconv.ParseFloat(strings.TrimSuffix(value, "\r"), 64); ok && err == nil { // a number says nothing of anybody
		return r.series(series) + l[len(series):]
	}
	return r.series(l)
}

// series reads a line without its value: from scrape to scrape it is the same.
func (r *remover) series(l string) string {
	key := "\n" + l
	if _, ok := r.known[key]; ok {
		return l
	}
	clean := r.labels(l)
	if clean == l {
		r.remember(key, l)
	}
	return clean
}

func (r *remover) remember(key, text string) {
	if len(r.known) >= mostKnown {
		clear(r.known)
	}
	r.known[key] = text
}

func (r *remover) labels(l string) string {
	if !hasLabels.MatchString(l) {
		return r.text("", l)
	}
	var out strings.Builder
	last := 0
	for _, m := range labelPair.FindAllStringSubmatchIndex(l, -1) {
		out.WriteString(r.text("", l[last:m[4]]))
		raw := l[m[4]:m[5]]
		value := unescape.Replace(raw)
		if clean := r.text(l[m[2]:m[3]], value); clean != value {
			raw = escape.Replace(clean)
		}
		out.WriteString(raw)
		last = m[5]
	}
	return out.String() + r.text("", l[last:])
}

// text returns the value of a field without what is private in it; field is "" for a text that
// has none.
func (r *remover) text(field, s string) string {
	key := field + "\x00" + s
	if clean, ok := r.known[key]; ok {
		return clean
	}
	clean := r.closely(strings.ToLower(field), s)
	if clean == s {
		r.remember(key, clean)
	}
	return clean
}

func (r *remover) closely(field, s string) string {
	if what, name, private := r.ofField(field); private {
		if isNobody(s) || name == "host" && isNoHost(s) {
			return s
		}
		r.found(r.line, what, s)
		switch name {
		case "":
			return removed
		case "host":
			return r.address(s)
		}
		return namedAs(name+"-%d")(r, s)
	}
	for range mostPasses {
		before := s
		for i := range rules {
			if rl := &rules[i]; (r.strict || !rl.strict) && !(rl.what == "an IP address" && strings.Contains(field, "version")) {
				s = r.apply(rl, s)
			}
		}
		if s == before {
			return s
		}
	}
	return removed
}

// mostPasses bounds how often a text is looked at again: what stands for something private may
// make something that looks private of the text around it.
const mostPasses = 4

// ofField says whether the whole value of a field is private.
func (r *remover) ofField(field string) (what, name string, private bool) {
	for i := range fields {
		if f := &fields[i]; (r.strict || !f.strict) && slices.Contains(f.names, field) {
			return f.what, f.name, true
		}
	}
	return "", "", false
}

// apply replaces what a rule finds.
func (r *remover) apply(rl *rule, s string) string {
	lower := strings.ToLower(s)
	if !slices.ContainsFunc(rl.hint, func(h string) bool { return strings.Contains(lower, h) }) {
		return s
	}
	var out strings.Builder
	last := 0
	for _, m := range rl.re.FindAllStringIndex(s, -1) {
		match := s[m[0]:m[1]]
		if rl.isPrivate != nil && !rl.isPrivate(match, s[:m[0]], s[m[1]:]) {
			continue
		}
		r.found(r.line, rl.what, match)
		out.WriteString(s[last:m[0]] + rl.instead(r, match))
		last = m[1]
	}
	return out.String() + s[last:]
}
