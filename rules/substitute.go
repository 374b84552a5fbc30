package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/nearest"
)

// Grafana writes a variable as $name, ${name}, ${name:format} or [[name]].
// $1 is no variable: label_replace uses it.
var grafanaVariable = regexp.MustCompile(`\$\{([A-Za-z_]\w*)(?::\w+)?\}|\$([A-Za-z_]\w*)|\[\[([A-Za-z_]\w*)(?::\w+)?\]\]`)

// Substitute replaces Grafana's variables, so that what Grafana would send can be parsed and
// evaluated. A variable that vars does not have is an error: it would silently match nothing.
func Substitute(expr string, vars map[string]string) (string, error) {
	var unknown []string
	out := grafanaVariable.ReplaceAllStringFunc(expr, func(ref string) string {
		m := grafanaVariable.FindStringSubmatch(ref)
		name := m[1] + m[2] + m[3]
		v, ok := vars[name]
		if !ok {
			unknown = append(unknown, fmt.Sprintf("%s%s", ref, nearest.Hint(name, slices.Sorted(maps.Keys(vars)))))
		}
		return v
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("expression %q: unknown variable %s", expr, strings.Join(unknown, ", "))
	}
	return out, nil
}
