package scrape

import (
	"strings"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

// paths are the endpoints, by what they are good for, of every program that a target may
// turn out to be.
type paths struct {
	health, expositions []string
}

func pathsOf(engines ...*engine.Engine) (p paths) {
	for _, e := range engines {
		if e == nil {
			continue
		}
		for _, at := range e.Endpoints {
			if at.Role == engine.Health {
				p.health = append(p.health, at.Path)
			}
			if at.Format == engine.Exposition {
				p.expositions = append(p.expositions, at.Path)
			}
		}
	}
	return p
}

// among says whether a path is one of the endpoints; {model} stands for any text.
func among(endpoints []string, path string) bool {
	for _, e := range endpoints {
		before, after, fans := strings.Cut(e, "{model}")
		if path == e || fans && strings.HasPrefix(path, before) && strings.HasSuffix(path, after) {
			return true
		}
	}
	return false
}
