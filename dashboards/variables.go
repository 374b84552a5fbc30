package dashboards

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
)

// Values are chosen values by the name of the variable. A variable that is not there is All.
type Values map[string][]string

// all matches every value, and a series that lacks the label: .+ would lose those.
const all = ".*"

// Choices are the variables that an expression may use, besides $__rate_interval, with the label
// whose values each chooses among. $__interval is not among them: a rate over it is empty on
// short ranges.
func Choices() map[string]string {
	out := map[string]string{}
	for _, d := range All() {
		for _, v := range d.Variables {
			if v.Query != "" {
				out[v.Name] = v.Label
			}
		}
	}
	return out
}

// Substitute puts values in the place of Grafana's variables, as Grafana does for a Prometheus
// data source. An unknown variable is an error: Grafana would leave its name standing and the
// query would quietly give nothing.
func Substitute(text string, chosen Values, s rules.Settings) (string, error) {
	// Four scrapes, which is what Grafana makes of the interval in the data source's file.
	vars := map[string]string{"__rate_interval": model.Duration(4 * s.ScrapeInterval).String()}
	for name := range Choices() {
		vars[name] = oneOf(chosen[name])
	}
	for name := range chosen {
		if _, ok := vars[name]; !ok {
			return "", fmt.Errorf("expression %q: no variable %q", text, name)
		}
	}
	return rules.Substitute(text, vars)
}

// oneOf writes a choice as the regular expression that Grafana writes: every value may be
// chosen with others, so each is escaped, once for the expression and once for the string.
func oneOf(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strings.ReplaceAll(regexp.QuoteMeta(v), `\`, `\\`)
	}
	switch len(quoted) {
	case 0:
		return all
	case 1:
		return quoted[0]
	}
	return "(" + strings.Join(quoted, "|") + ")"
}
