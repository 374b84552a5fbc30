package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/terminal"
	"github.com/llmfleet/llmfleet/rules"
)

// Active is an alert that is pending or firing. It is no cause: that a rule sees something is what
// it is there for.
type Active struct {
	Alert string   `json:"alert"`
	State string   `json:"state"`           // firing if any of its instances is
	Where []string `json:"where,omitempty"` // backends or exporters
}

// activeAlerts are those of the bundle, firing ones first; without the watchdog, which always fires.
func activeAlerts(all promapi.Rules) (out []Active) {
	for _, g := range all.Groups {
		for _, r := range g.Rules {
			if strings.HasPrefix(g.Name, rules.GroupPrefix) && r.AlertState != nil && len(r.Alerts) > 0 && r.Name != watchdog {
				out = append(out, activeOf(r))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Active) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Alert, b.Alert)) // firing, pending
	})
	return out
}

func activeOf(r promapi.Rule) Active {
	where := map[string]bool{}
	for _, a := range r.Alerts {
		if at := cmp.Or(a.Labels[catalog.LabelBackend], a.Labels["instance"]); at != "" {
			where[at] = true
		}
	}
	return Active{Alert: r.Name, State: r.State, Where: sortedKeys(where)}
}

// active says what the rules see now, beside what they can see.
func (r *Report) active() string {
	if len(r.Alerts) == 0 {
		return ""
	}
	texts := make([]string, len(r.Alerts))
	for i, a := range r.Alerts {
		texts[i] = a.Alert + " (" + strings.TrimSuffix(a.State+" at "+terminal.List(a.Where, 3), " at ") + ")"
	}
	are := " are"
	if len(r.Alerts) == 1 {
		are = " is"
	}
	return "▲ " + counted(len(r.Alerts), "alert") + are + " pending or firing now: " + terminal.List(texts, mostNamed) + "."
}
