package rules

import (
	"errors"
	"regexp"
	"slices"
)

// Stand is a threshold by which an alert decides.
type Stand struct {
	*Threshold
	Record string // name of the recording rule in which it stands; "": the alert's own expression
}

// StandsOn are the thresholds by which an alert decides: those that its expression names, and
// those in the recording rules that it reads, directly or by others, of whatever group. Each comes
// once, the alert's own first, then in the order of the groups.
func StandsOn(groups []Group, a *Alert) []Stand {
	own := Keys(a.Expr)
	by := map[string]string{} // key to recorded name
	for _, rec := range RecordsRead(groups, a.Expr) {
		for _, key := range Keys(rec.Expr) {
			if _, ok := by[key]; !ok {
				by[key] = rec.Name
			}
		}
	}
	var direct, recorded []Stand
	for _, t := range AllThresholds(groups) {
		if slices.Contains(own, t.Key) {
			direct = append(direct, Stand{Threshold: t})
		} else if name, ok := by[t.Key]; ok {
			recorded = append(recorded, Stand{t, name})
		}
	}
	return append(direct, recorded...)
}

// recordedForm is level:metric:operation, the form of recorded names: nothing else in PromQL has two colons.
const recordedForm = `[a-z_]+:[a-z0-9_]+:[a-z0-9_]+`

var recordedReference = regexp.MustCompile(recordedForm)

// RecordsRead are the recording rules that an expression reads, directly or by others, nearest first.
func RecordsRead(groups []Group, expr string) []Record {
	byName := map[string]Record{}
	for _, g := range groups {
		for _, rec := range g.Records {
			byName[rec.Name] = rec
		}
	}
	var out []Record
	seen := map[string]bool{}
	for next := []string{expr}; len(next) > 0; next = next[1:] {
		for _, name := range recordedReference.FindAllString(next[0], -1) {
			rec, ok := byName[name]
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			out, next = append(out, rec), append(next, rec.Expr)
		}
	}
	return out
}

// AllThresholds are the thresholds of all groups, in their order.
func AllThresholds(groups []Group) []*Threshold {
	var out []*Threshold
	for _, g := range groups {
		out = append(out, g.Thresholds...)
	}
	return out
}

// Computed says whether some evidence of the threshold is computed again on recordings; else it
// rests on what was measured or reasoned elsewhere.
func (t *Threshold) Computed() bool {
	return slices.ContainsFunc(t.Evidence, func(e Evidence) bool { return e.Statistic != "" })
}

// CheckEvidence refuses a threshold that nothing speaks for.
func (t *Threshold) CheckEvidence() error {
	if len(t.Evidence) == 0 {
		return errors.New("no evidence; give a statistic with recordings, or the source of the number")
	}
	for _, e := range t.Evidence {
		switch {
		case e.Statistic == "" && e.Source == "":
			return errors.New("evidence with neither a statistic nor a source")
		case e.Statistic == "" && len(e.Healthy)+len(e.Incident) > 0:
			return errors.New("evidence with recordings, and no statistic to be computed on them")
		}
	}
	return nil
}
