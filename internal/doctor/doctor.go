// Package doctor says of one server, to a person at a terminal, what llmfleet makes of it: what
// it is and by which sign, which series it gives, which it does not and why, and, for a program
// that nobody knows, a mapping to start from.
package doctor

import (
	"context"
	"slices"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/internal/conversation"
)

// Examination is what one round of questions showed. It never changes once made.
type Examination struct {
	backend config.Backend
	own     []*engine.Engine // mappings of the configuration
	file    string           // the configuration file, "" when the backend is from flags
	round   *conversation.Round
}

// Examine asks a backend once, what the exporter would ask and nothing else.
func Examine(ctx context.Context, c *config.Config, backend string, o conversation.Options) (*Examination, error) {
	talk, err := conversation.Open(c, backend, o)
	if err != nil {
		return nil, err
	}
	defer talk.Close()
	round, err := talk.Ask(ctx)
	if err != nil {
		return nil, err
	}
	b, _ := c.Find(backend) // Open has found it
	return &Examination{backend: *b, own: c.Engines, file: c.File, round: round}, nil
}

// NumbersArrive says whether a dashboard would have numbers of this server.
func (x *Examination) NumbersArrive() bool {
	e := x.engine()
	if x.round.State.Up != engine.Yes || e == nil {
		return false
	}
	return !x.isOwn() || slices.ContainsFunc(x.points(), func(p catalog.Point) bool { return p.Series.Kind != catalog.Info })
}

// engine is what answers, nil if it was not recognised.
func (x *Examination) engine() *engine.Engine { return x.round.Reading.Engine }

// isOwn says whether a mapping of the configuration is used.
func (x *Examination) isOwn() bool { return slices.Contains(x.own, x.engine()) }

// points are what the server's own answers gave, without what the exporter says of itself
// and what the configuration says.
func (x *Examination) points() []catalog.Point {
	var out []catalog.Point
	for _, p := range x.round.State.Points {
		if o := p.Series.Origin; o != catalog.Observed && o != catalog.Configured {
			out = append(out, p)
		}
	}
	return out
}
