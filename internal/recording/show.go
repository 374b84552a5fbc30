package recording

import (
	"fmt"
	"strings"
	"time"
)

// Show is what a server answered to a path at a time, for a person who reviews a recording: a
// line that says when, how and how fast, then the body.
func Show(r *Recording, server, path string, t time.Duration) (string, error) {
	s := r.Server(server)
	if s == nil {
		return "", fmt.Errorf("recording %s: no server %q; it has %s", r.Name, server, strings.Join(r.serverNames(), ", "))
	}
	a, ok := s.At(t, path)
	if !ok {
		return "", fmt.Errorf("recording %s: %s was never asked for %q by second %s; it was asked for %s", r.Name, server, path, seconds(t), strings.Join(s.Paths(), ", "))
	}
	head := fmt.Sprintf("second %s: %s %s %s", seconds(a.At), a.Path, outcome(a), latency(a.Latency))
	if a.ContentType != "" {
		head += " " + a.ContentType
	}
	return head + "\n" + string(a.Body), nil
}

func (r *Recording) serverNames() []string {
	var names []string
	for _, s := range r.Servers {
		names = append(names, s.Name)
	}
	return names
}

// Paths are the paths that were asked, in the order of their first answer.
func (s *Server) Paths() []string {
	var paths []string
	seen := map[string]bool{}
	for _, a := range s.Answers {
		if !seen[a.Path] {
			seen[a.Path] = true
			paths = append(paths, a.Path)
		}
	}
	return paths
}
