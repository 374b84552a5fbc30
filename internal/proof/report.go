package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/rules"
)

// Report is what a proof found.
type Report struct {
	Expressions, Evaluated int
	Alerts, Fire, Quiet    int
	Mutants, Killed        int
	Survivors              int      // mutants that nothing shows, each named with a reason
	Evidence, Within       int      // statistics that are computed again, and those that keep their margin
	Links, Followed        int      // of alerts that fired, and those that open a panel with a number
	Computed, Elsewhere    int      // thresholds with such a statistic, and those measured or reasoned elsewhere
	Failures               []string // one line each: where, what was wanted, what came

	// What follows is empty with default numbers.
	Numbers []string // of the settings, that differ from the defaults
	Own     []string // alerts by which such a number decides, so that their cases could not be compared
	Unshown []string // expressions of panels of which the same is true
	Remarks []string // incidents on which such an alert no longer fires
}

// OK says whether everything holds.
func (r *Report) OK() bool {
	return len(r.Failures) == 0 && r.Evaluated == r.Expressions && r.Fire == r.Alerts && r.Quiet == r.Alerts &&
		r.Killed == r.Mutants && r.Within == r.Evidence && r.Followed == r.Links
}

// Summary is the whole report in one line.
func (r *Report) Summary() string {
	survivors := ""
	if r.Survivors > 0 {
		survivors = fmt.Sprintf(" (and %d survive with a reason)", r.Survivors)
	}
	return fmt.Sprintf("expressions %d/%d evaluated, alerts %d/%d fire, %d/%d quiet elsewhere, mutants %d/%d killed%s, evidence %d/%d within margin (%d thresholds computed, %d measured elsewhere), links %d/%d open a number",
		r.Evaluated, r.Expressions, r.Fire, r.Alerts, r.Quiet, r.Alerts, r.Killed, r.Mutants, survivors, r.Within, r.Evidence, r.Computed, r.Elsewhere, r.Followed, r.Links)
}

// String is what was not compared, every remark, every failure and, last, the summary.
func (r *Report) String() string {
	lines := slices.Concat(r.notCompared(), slices.Sorted(slices.Values(r.Remarks)), slices.Sorted(slices.Values(r.Failures)))
	return strings.Join(append(lines, r.Summary()), "\n") + "\n"
}

// notCompared says loudly what a proof with other numbers than the defaults leaves out.
func (r *Report) notCompared() []string {
	var out []string
	if len(r.Numbers) > 0 {
		out = append(out, "NUMBERS OF YOUR OWN: "+strings.Join(r.Numbers, ", "))
	}
	if len(r.Own) > 0 {
		out = append(out, fmt.Sprintf("NOT COMPARED, because they are of the default numbers: seconds, texts and mutants of %d alerts (%s). It is checked that each fires on an incident and is quiet on every other recording.",
			len(r.Own), strings.Join(r.Own, ", ")))
	}
	if len(r.Unshown) > 0 {
		out = append(out, "NOT COMPARED, for the same reason: the numbers that are shown by "+strings.Join(r.Unshown, ", "))
	}
	return out
}

func (r *Report) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

func (r *Report) count(to *int, ok bool) {
	if ok {
		*to++
	}
}

// threshold counts on what a threshold rests; on nothing is a failure.
func (r *Report) threshold(t *rules.Threshold) {
	if err := t.CheckEvidence(); err != nil {
		r.fail("threshold %s: %v", t.Key, err)
		return
	}
	if t.Computed() {
		r.Computed++
	} else {
		r.Elsewhere++
	}
}

// mutant counts one mutant of a rule. A survivor that the rule names with a reason does not count; one
// that is named and dies has a reason that is no longer true.
func (r *Report) mutant(rule string, survivors map[string]string, name string, killed bool) {
	reason, named := survivors[name]
	switch {
	case named && killed:
		r.fail("%s: rules/survivors.go lists %q, but a replay notices it; take the entry out", rule, name)
	case named && strings.TrimSpace(reason) == "":
		r.fail("%s: rules/survivors.go lists %q without a reason", rule, name)
	case named:
		r.Survivors++
		return
	}
	r.Mutants++
	r.count(&r.Killed, killed)
	if !killed {
		r.fail("%s: no replay notices the mutant %q; add a case, or list it in rules/survivors.go under its reason", rule, name)
	}
}
