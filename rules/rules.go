// Package rules defines the recording rules and alerts. PromQL is written as text; numbers that
// decide are thresholds with a unit, a place to be changed, and evidence from recordings.
//
// One file per concern holds its definitions with their runbooks (runbooks/<alert>.md), cases
// and evidence side by side. A ${key} in an expression or a text is the setting or threshold
// of that key, and ${shortest_window} the shortest one that holds enough scrapes; in an alert's texts and on its runbook ${for} and ${keep_firing_for} are its own times.
package rules

import "time"

// Severity decides who is told and how.
type Severity string

// The severities. Each is a label value in the bundle and a route in Alertmanager.
const (
	Critical Severity = "critical" // a client feels it: page
	Warning  Severity = "warning"  // a ticket
	Info     Severity = "info"     // to be seen on the page
	None     Severity = "none"     // the watchdog, which always fires
)

// Group is the rules of one concern: one file llm-<name>.yml.
type Group struct {
	Name       string // "availability"
	About      string
	Interval   time.Duration // of its evaluation, where less often than the scrapes is enough; 0: that of the scrapes
	Thresholds []*Threshold
	Records    []Record
	Alerts     []Alert
}

// Threshold is a number that decides. Rules, panels and evidence use the same one.
type Threshold struct {
	Key      string // "queue_waiting": ${queue_waiting} in expressions, and the key in a settings file
	Default  float64
	Unit     string // as catalog.Unit, or a duration: "duration_seconds" is written as 5m in PromQL
	About    string // what it means and when one would turn it
	Evidence []Evidence
}

// Evidence says why a threshold is where it is; the proof recomputes it.
type Evidence struct {
	// Statistic is PromQL evaluated at the end of each recording (and may use ranges over all of it).
	Statistic string
	Healthy   []string // recordings that must stay on the quiet side …
	Incident  []string // … and on the loud side of the threshold
	Above     bool     // loud is above
	Margin    float64  // least factor between the threshold and either side, > 1
	Source    string   // where else the number comes from (a measurement, a vendor's limit)
}

// Record is a recording rule.
type Record struct {
	Name   string // level:metric:operation
	Expr   string
	Unit   string
	Labels []string // that the result carries, besides instance and job
	About  string
	// Conditional says why no recording gives a result; empty: one must.
	Conditional string
	// Unread says why no alert and no case of a panel reads it, and what holds its numbers instead;
	// empty: one must.
	Unread string
	// Survivors are mutations that no reader shows, with the reason; filled from survivors.go.
	Survivors map[string]string
}

// Alert is an alerting rule.
type Alert struct {
	Name        string // begins with Llm
	Severity    Severity
	Expr        string // whole condition, comparison included
	For         time.Duration
	KeepFiring  time.Duration
	Summary     string        // one line: what is wrong with which backend
	Description string        // what it means, and what to do first; the value, in human units, is in one of the two
	Valueless   string        // why neither of them gives the value: a state that is 0 or 1 says nothing to a person
	Panel       string        // key of the dashboard panel that shows it
	Explains    []Explanation // the alerts that it is the cause of
	Cases       []Case
	// Survivors are mutations that no case can turn red, with the reason; filled from survivors.go.
	Survivors map[string]string
}

// onlyState is the Valueless of alerts on a series that is 0 or 1.
const onlyState = "a state: its value says only that it is so"

// Case says what an alert does on a recording. On every recording that no case names it must
// stay quiet.
type Case struct {
	Recording string
	Stretch   float64 // recorded seconds are played so many times slower; 0: the recording's own pace brought to 15 s
	Edit      string  // name of an edit of the proof, "" for the recording as it is
	Quiet     bool    // must not even go pending … unless
	MayPend   bool    // … with Quiet: pending is fine, firing is not
	Fires     []Firing
	Why       string // what the case shows
}

// Firing is one alert instance: when and with which labels. Times are seconds of the replay.
type Firing struct {
	Labels   string // label="value", … in the order of names, without alertname and severity
	Pending  int
	Firing   int
	Resolved int    // 0: never
	Text     string // the expanded summary
}
