package proof

import (
	"fmt"
	"slices"
	"strings"
)

// Report is what a proof found.
type Report struct {
	Expressions, Evaluated int
	Alerts, Fire, Quiet    int
	Mutants, Killed        int
	Evidence, Within       int
	Failures               []string // one line each: where, what was wanted, what came
}

// OK says whether everything holds.
func (r *Report) OK() bool {
	return len(r.Failures) == 0 && r.Evaluated == r.Expressions && r.Fire == r.Alerts && r.Quiet == r.Alerts &&
		r.Killed == r.Mutants && r.Within == r.Evidence
}

// Summary is the whole report in one line.
func (r *Report) Summary() string {
	return fmt.Sprintf("expressions %d/%d evaluated, alerts %d/%d fire, %d/%d quiet elsewhere, mutants %d/%d killed, evidence %d/%d within margin",
		r.Evaluated, r.Expressions, r.Fire, r.Alerts, r.Quiet, r.Alerts, r.Killed, r.Mutants, r.Within, r.Evidence)
}

// String is every failure and, last, the summary.
func (r *Report) String() string {
	failures := slices.Sorted(slices.Values(r.Failures))
	return strings.Join(append(failures, r.Summary()), "\n") + "\n"
}

func (r *Report) fail(format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
}

func (r *Report) count(to *int, ok bool) {
	if ok {
		*to++
	}
}

// mutant counts one mutant of a rule. A survivor that the rule names with a reason does not count; one
// that is named and dies has a reason that is no longer true.
func (r *Report) mutant(rule string, survivors map[string]string, name string, killed bool) {
	reason, named := survivors[name]
	switch {
	case named && killed:
		r.fail("%s: Survivors names %q, but a replay notices it; take the entry out", rule, name)
	case named && strings.TrimSpace(reason) == "":
		r.fail("%s: Survivors names %q without a reason", rule, name)
	case named:
		return
	}
	r.Mutants++
	r.count(&r.Killed, killed)
	if !killed {
		r.fail("%s: no replay notices the mutant %q; add a case, or name it in Survivors with a reason", rule, name)
	}
}
