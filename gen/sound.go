package gen

import (
	"errors"
	"fmt"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
)

// sound refuses settings with which a rule or a panel has a mistake that needs no recording to be
// seen, such as a window of one scrape: what is not written can blind nobody.
func sound(s rules.Settings) error {
	groups := rules.Groups()
	vocabulary := rules.NewVocabulary(groups, s)
	problems, err := rules.Lint(vocabulary, groups, s)
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	expressions, err := dashboards.Expressions(groups, s)
	if err != nil {
		return err
	}
	for _, e := range expressions {
		text, err := dashboards.Substitute(e.Text, nil, s)
		if err != nil {
			return err
		}
		_, found := vocabulary.Check(e.Key, text, s.ScrapeInterval)
		problems = append(problems, found...)
	}
	return joined(problems)
}

func joined(problems []lint.Problem) error {
	var out []error
	for _, p := range problems {
		out = append(out, errors.New(p.String()))
	}
	return errors.Join(out...)
}
