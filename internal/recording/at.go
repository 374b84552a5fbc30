package recording

import (
	"net/url"
	"strings"
	"time"
)

// often is the gap between two questions below which a path speaks for itself: after the port
// is back it stays refused until it was asked again. What was asked more seldom (models,
// version, settings) is taken to be what it was before.
const often = 30 * time.Second

// At returns what the server answers to a path at a time: the newest recorded answer of that
// path, unless the newest event on the port is that nobody listens. After the port is back,
// the answer from before stands in for a path that was seldom asked. ok is false when the path
// was never recorded before that time; replay answers 404 then. Paths that nobody asked while
// the series was made are answered as Meta.Alike and Meta.StandIn say.
func (s *Server) At(t time.Duration, path string) (a *Answer, ok bool) {
	path = canonical(path)
	h := s.until(t, path)
	if other, found := s.alike[path]; found && !h.known() {
		h = s.until(t, other)
	}
	down := h.down()
	switch {
	case down == nil && !h.known():
		return s.standsIn(path)
	case down == nil && h.own == nil:
		return nil, false
	case h.own != nil && h.own.Failure != Refused:
		if down != nil && down.At > h.own.At {
			return down, true
		}
		return h.own, true
	case down != nil:
		return down, true
	case h.answered == nil || h.asksAgainSoon():
		return h.own, true
	}
	return h.answered, true
}

// standsIn is the answer of the state that stands in for paths nobody asked.
func (s *Server) standsIn(path string) (a *Answer, ok bool) {
	for i := range s.standIn {
		if canonical(s.standIn[i].Path) == path {
			return &s.standIn[i], true
		}
	}
	return nil, false
}

// Down says that nobody listens on the port at a time.
func (s *Server) Down(t time.Duration) bool {
	h := s.until(t, "")
	return h.down() != nil
}

// history is what is known of a path and its port at one time.
type history struct {
	own      *Answer // newest of the path
	answered *Answer // newest of the path that was not refused
	next     *Answer // of the path, still to come
	refused  *Answer // newest of the port that was refused
	listened time.Duration
}

func (s *Server) until(t time.Duration, path string) history {
	h := history{listened: -1}
	for i := range s.Answers {
		a := &s.Answers[i]
		same := path != "" && canonical(a.Path) == path
		if a.At > t {
			if same {
				h.next = a
			}
			if same || path == "" {
				break
			}
			continue
		}
		if same {
			h.own = a
		}
		if a.Failure == Refused {
			h.refused = a
			continue
		}
		h.listened = a.At
		if same {
			h.answered = a
		}
	}
	return h
}

// down is the refusal that is the newest event on the port, nil when something listens. Of
// events of the same second, one answer is enough to show a listener.
func (h history) down() *Answer {
	if h.refused != nil && h.refused.At > h.listened {
		return h.refused
	}
	return nil
}

// known says that the path was asked at some time.
func (h history) known() bool { return h.own != nil || h.next != nil }

func (h history) asksAgainSoon() bool {
	return h.next != nil && h.next.At-h.own.At <= often
}

// canonical is a path whose query has its keys in order, so that two spellings of one
// question are one.
func canonical(path string) string {
	base, query, found := strings.Cut(path, "?")
	if !found {
		return path
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return path
	}
	return base + "?" + values.Encode()
}
