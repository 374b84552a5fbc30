package promapi

import "time"

// answer is what every path of the API answers with: who writes it has the data, who reads it has
// their text first.
type answer[D any] struct {
	Status    string    `json:"status"` // success or error
	Data      D         `json:"data,omitempty"`
	ErrorType errorType `json:"errorType,omitempty"`
	Error     string    `json:"error,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
	Infos     []string  `json:"infos,omitempty"`
}

// Rules is the answer of /api/v1/rules.
type Rules struct {
	Groups []RuleGroup `json:"groups"`
}

// RuleGroup is a group of rules as a Prometheus has loaded it. Times are seconds.
type RuleGroup struct {
	Name           string    `json:"name"`
	File           string    `json:"file"`
	Rules          []Rule    `json:"rules"`
	Interval       float64   `json:"interval"`
	Limit          int       `json:"limit"`
	EvaluationTime float64   `json:"evaluationTime"`
	LastEvaluation time.Time `json:"lastEvaluation"` // zero: never
}

// The types of a rule.
const (
	Alerting  = "alerting"
	Recording = "recording"
)

// Rule is an alerting or a recording rule. What only one of the two has is a pointer, so that
// the other leaves it out.
type Rule struct {
	Type           string            `json:"type"`
	Name           string            `json:"name"`
	Query          string            `json:"query"` // as Prometheus prints what it has parsed
	Labels         map[string]string `json:"labels"`
	Health         string            `json:"health"` // ok, err, or unknown: not evaluated yet
	LastError      string            `json:"lastError,omitempty"`
	EvaluationTime float64           `json:"evaluationTime"`
	LastEvaluation time.Time         `json:"lastEvaluation"`

	*AlertState
}

// AlertState is what an alerting rule has and a recording rule does not.
type AlertState struct {
	State         string            `json:"state"` // inactive, pending, firing
	Duration      float64           `json:"duration"`
	KeepFiringFor float64           `json:"keepFiringFor"` // since Prometheus 2.42
	Annotations   map[string]string `json:"annotations"`
	Alerts        []Alert           `json:"alerts"`
}

// Alerts is the answer of /api/v1/alerts.
type Alerts struct {
	Alerts []Alert `json:"alerts"`
}

// Alert is one instance of an alerting rule that is pending or firing.
type Alert struct {
	Labels          map[string]string `json:"labels"`
	Annotations     map[string]string `json:"annotations"`
	State           string            `json:"state"`
	ActiveAt        *time.Time        `json:"activeAt,omitempty"`
	KeepFiringSince *time.Time        `json:"keepFiringSince,omitempty"`
	Value           string            `json:"value"`
}

// Targets is the answer of /api/v1/targets.
type Targets struct {
	Active  []Target        `json:"activeTargets"`
	Dropped []DroppedTarget `json:"droppedTargets"`
}

// The healths of a target.
const (
	TargetUp      = "up"
	TargetDown    = "down"
	TargetUnknown = "unknown" // not scraped yet
)

// Target is one that a Prometheus scrapes.
type Target struct {
	DiscoveredLabels   map[string]string `json:"discoveredLabels"`
	Labels             map[string]string `json:"labels"`
	ScrapePool         string            `json:"scrapePool"` // name of the entry under scrape_configs
	ScrapeURL          string            `json:"scrapeUrl"`
	GlobalURL          string            `json:"globalUrl"`
	LastError          string            `json:"lastError"`
	LastScrape         time.Time         `json:"lastScrape"`
	LastScrapeDuration float64           `json:"lastScrapeDuration"` // seconds
	Health             string            `json:"health"`
	ScrapeInterval     string            `json:"scrapeInterval"` // 15s
	ScrapeTimeout      string            `json:"scrapeTimeout"`
}

// DroppedTarget is one that relabelling took out.
type DroppedTarget struct {
	DiscoveredLabels map[string]string `json:"discoveredLabels"`
}

// Alertmanagers is the answer of /api/v1/alertmanagers.
type Alertmanagers struct {
	Active  []Alertmanager `json:"activeAlertmanagers"`
	Dropped []Alertmanager `json:"droppedAlertmanagers"`
}

// Alertmanager is one that alerts are sent to.
type Alertmanager struct {
	URL string `json:"url"` // of its API for alerts
}

// BuildInfo is the answer of /api/v1/status/buildinfo.
type BuildInfo struct {
	Application string `json:"application,omitempty"` // of others that speak the API; Prometheus has none
	Version     string `json:"version"`
	Revision    string `json:"revision"`
	Branch      string `json:"branch"`
	BuildUser   string `json:"buildUser"`
	BuildDate   string `json:"buildDate"`
	GoVersion   string `json:"goVersion"`
}

// RuntimeInfo is a part of the answer of /api/v1/status/runtimeinfo.
type RuntimeInfo struct {
	StartTime           time.Time `json:"startTime"`
	ReloadConfigSuccess *bool     `json:"reloadConfigSuccess"` // nil: it does not say
	LastConfigTime      time.Time `json:"lastConfigTime"`
}

// Config is the answer of /api/v1/status/config.
type Config struct {
	YAML string `json:"yaml"`
}

// Metadata is what an exposition says of a metric family.
type Metadata struct {
	Type string `json:"type"` // gauge, counter, histogram, …
	Help string `json:"help"`
	Unit string `json:"unit"`
}
