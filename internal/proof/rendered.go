package proof

import (
	"cmp"
	"context"
	"fmt"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// parsedRule is a rendered rule, or a mutant of one, with its expression as it is parsed. Nobody changes the tree.
type parsedRule struct {
	rulefmt.Rule
	expr  parser.Expr
	need  lint.Need // without which it has no result
	names []string  // that it selects
}

func parsed(r rulefmt.Rule) (parsedRule, error) {
	expr, err := lint.Parser.ParseExpr(r.Expr)
	if err != nil {
		return parsedRule{}, fmt.Errorf("rule %q: %w", cmp.Or(r.Alert, r.Record), err)
	}
	return parsedRule{r, expr, lint.NeedOf(expr), lint.Names(expr)}, nil
}

// recordRule is a recording rule as it is defined, and as it is rendered.
type recordRule struct {
	*rules.Record
	rule parsedRule
}

// alertRule is an alert as it is defined, and as it is rendered in its group.
type alertRule struct {
	*rules.Alert
	rule  parsedRule
	group *rules.RuleGroup
}

// render makes the rules as Prometheus reads them, and parses each.
func (r *run) render(context.Context) (err error) {
	if r.rendered, err = rules.Render(r.Groups, r.Settings); err != nil {
		return err
	}
	if r.files, err = rules.Files(r.Groups, r.Settings); err != nil {
		return err
	}
	for i := range r.rendered {
		if err := r.parse(&r.rendered[i]); err != nil {
			return err
		}
	}
	r.vocabulary = rules.NewVocabulary(r.Groups, r.Settings)
	r.own = rules.NewOwnNumbers(r.Groups, r.Settings)
	r.report.Numbers = r.own.All()
	return nil
}

func (r *run) parse(g *rules.RuleGroup) error {
	for i := range g.Source.Records {
		rule, err := parsed(g.Rules.Rules[i])
		if err != nil {
			return err
		}
		r.recordRules = append(r.recordRules, recordRule{&g.Source.Records[i], rule})
	}
	for i := range g.Source.Alerts {
		rule, err := parsed(g.AlertRule(i))
		if err != nil {
			return err
		}
		r.alertRules = append(r.alertRules, alertRule{&g.Source.Alerts[i], rule, g})
	}
	return nil
}

// records calls a function for every recording rule that is to be tried.
func (r *run) records(do func(recordRule)) {
	for _, rec := range r.recordRules {
		if r.wanted(rec.Name) {
			do(rec)
		}
	}
}

// alerts calls a function for every alert that is to be tried.
func (r *run) alerts(do func(alertRule)) {
	for _, a := range r.alertRules {
		if r.wanted(a.Name) {
			do(a)
		}
	}
}
