package ruletest

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// writer has what all files are made of.
type writer struct {
	groups     []rules.Group
	settings   rules.Settings
	rendered   []rules.RuleGroup
	files      []rules.File
	records    map[string]parser.Expr // by recorded name
	vocabulary *lint.Vocabulary
	own        *rules.OwnNumbers
	corpus     *replay.Corpus
}

func newWriter(groups []rules.Group, s rules.Settings, recordings, hosts fs.FS) (*writer, error) {
	w := &writer{groups: groups, settings: s, records: map[string]parser.Expr{}, vocabulary: rules.NewVocabulary(groups, s), own: rules.NewOwnNumbers(groups, s)}
	var err error
	if w.rendered, err = rules.Render(groups, s); err != nil {
		return nil, err
	}
	if w.files, err = rules.Files(groups, s); err != nil {
		return nil, err
	}
	for _, g := range w.rendered {
		for _, rule := range g.Rules.Rules {
			expr, err := lint.Parser.ParseExpr(rule.Expr)
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", rule.Alert+rule.Record, err) // it has one of them
			}
			if rule.Record != "" {
				w.records[rule.Record] = expr
			}
		}
	}
	w.corpus, err = replay.Load(recordings, hosts)
	return w, err
}

// play plays a replay to its end. The caller closes the Prometheus.
func (w *writer) play(ctx context.Context, rep *replay.Replay, files []rules.File, stepped map[string]bool) (*replay.Prometheus, error) {
	p, _, err := rep.Play(ctx, w.settings.Job, w.corpus.Companion(), files, stepped)
	return p, err
}

// alert is an alert as it is defined, and as it is rendered in its group.
type alert struct {
	*rules.Alert
	rule  rulefmt.Rule
	expr  parser.Expr
	group *rules.RuleGroup
}
