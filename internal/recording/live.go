package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Live collects the answers of a live server into a recording. What is private is taken out
// before an answer is kept.
type Live struct {
	rec   Recording
	clean *remover
	gone  map[string]map[string]map[string]bool // what was removed: path, kind, value
	path  string                                // whose answer is being cleaned
	left  map[string]int                        // answers that were not kept, by why
	size  int64                                 // of all bodies
}

// NewLive begins an empty recording.
func NewLive() *Live {
	l := &Live{gone: map[string]map[string]map[string]bool{}, left: map[string]int{}}
	l.clean = newRemover(true, func(_ int, what, value string) {
		kinds := l.gone[l.path]
		if kinds == nil {
			kinds = map[string]map[string]bool{}
			l.gone[l.path] = kinds
		}
		if kinds[what] == nil {
			kinds[what] = map[string]bool{}
		}
		kinds[what][value] = true
	})
	return l
}

// ErrFull ends a recording that grows beyond what is read back.
var ErrFull = errors.New("the recording has as much as fits one")

// MostBody is the longest answer that a recording can hold.
const MostBody = maxBody

// Add keeps an answer of a server. One that the form cannot hold is left out and counted. The
// error is ErrFull when no more fits: what was added before stays.
func (l *Live) Add(server string, a Answer) error {
	if l.size += int64(len(a.Body)); l.size > maxFile/2 {
		return ErrFull
	}
	if len(a.Body) > maxBody || bytes.Count(a.Body, []byte("\n")) >= maxLines {
		l.Leave("answers that are longer than a recording can hold")
		return nil
	}
	l.path, _, _ = strings.Cut(a.Path, "?")
	a.Path = l.clean.path(a.Path)
	if a.Failure == Answered {
		a.Body = l.clean.body(a.Body)
		for name, value := range a.Header {
			a.Header[name] = l.clean.text("", value)
		}
	}
	a.Latency = a.Latency.Round(100 * time.Microsecond)
	s := l.rec.Server(server)
	if s == nil {
		s = &Server{Name: server}
		l.rec.Servers = append(l.rec.Servers, s)
	}
	if before := s.newest(a.Path); before != nil && bytes.Equal(before.Body, a.Body) {
		a.Body = before.Body // most pages of settings never change
	}
	s.Answers = append(s.Answers, a)
	return nil
}

// Leave counts answers that cannot be kept.
func (l *Live) Leave(why string) { l.left[why]++ }

// newest is the newest answer to a path, nil if there is none.
func (s *Server) newest(path string) *Answer {
	for i := len(s.Answers) - 1; i >= 0; i-- {
		if s.Answers[i].Path == path {
			return &s.Answers[i]
		}
	}
	return nil
}

// Recording completes the recording. What meta says of pace and length is worked out from the
// answers; exporter is its exporter.yml, nil for one that follows from the servers.
func (l *Live) Recording(meta Meta, exporter []byte) (*Recording, error) {
	if len(l.rec.Servers) == 0 {
		return nil, errors.New("nothing was recorded")
	}
	r := &l.rec
	slices.SortFunc(r.Servers, func(a, b *Server) int { return cmp.Compare(a.Name, b.Name) })
	r.Meta = meta
	r.Meta.Interval, r.Meta.Length = pace(r.Servers)
	if r.Meta.Interval == 0 {
		r.Meta.Interval = meta.Interval
	}
	r.Meta.Headers = commonHeaders(r.Servers)
	r.Exporter = exporter
	if exporter == nil {
		r.Exporter = exporterFor(r)
	}
	return r, nil
}

// commonHeaders takes headers that all answers of a server have out of the answers.
func commonHeaders(servers []*Server) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, s := range servers {
		var common map[string]string
		for _, a := range s.Answers {
			switch {
			case a.Failure != Answered:
			case common == nil:
				common = maps.Clone(a.Header)
				if common == nil {
					common = map[string]string{}
				}
			default:
				maps.DeleteFunc(common, func(name, value string) bool { return a.Header[name] != value })
			}
		}
		if len(common) == 0 {
			continue
		}
		out[s.Name] = common
		for i := range s.Answers {
			h := maps.Clone(s.Answers[i].Header)
			maps.DeleteFunc(h, func(name, _ string) bool { return common[name] != "" })
			s.Answers[i].Header = h
			if len(h) == 0 {
				s.Answers[i].Header = nil
			}
		}
	}
	return out
}

// Answers is the number of answers so far.
func (l *Live) Answers() (n int) {
	for _, s := range l.rec.Servers {
		n += len(s.Answers)
	}
	return n
}

// Removed says what was taken out, and what was left out, for a person: one line per path.
func (l *Live) Removed() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(l.gone)) {
		var kinds []string
		for _, what := range slices.Sorted(maps.Keys(l.gone[path])) {
			kinds = append(kinds, fmt.Sprintf("%s (%d different)", what, len(l.gone[path][what])))
		}
		fmt.Fprintf(&b, "removed from %s: %s\n", path, strings.Join(kinds, ", "))
	}
	for _, why := range slices.Sorted(maps.Keys(l.left)) {
		fmt.Fprintf(&b, "left out: %d %s\n", l.left[why], why)
	}
	return b.String()
}
