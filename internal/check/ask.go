package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/rules"
)

// knowledge is what a Prometheus answered.
type knowledge struct {
	present, told []promapi.Sample
	left          []promapi.Sample // backends that the last answer of their exporter did not have
	ages          []promapi.Sample // seconds since the last answer of an exporter
	rules         promapi.Rules
	targets       *promapi.Targets       // nil: it does not say
	alertmanagers *promapi.Alertmanagers // nil: it does not say
	runtime       *promapi.RuntimeInfo   // nil: it does not say
	failed        []promapi.Sample       // Alertmanagers that alerts could not be sent to of late
	now           time.Time              // by the clock of Prometheus
	version       string
}

// notSent are the tries to send alerts that failed, as Prometheus counts them itself, by address. It
// sends the watchdog again about every minute, so that three show whether an Alertmanager takes them.
const notSent = `sum by (alertmanager) (increase(prometheus_notifications_errors_total[` + notSentWindow + `])) > 0`

const notSentWindow = "3m"

// ask puts a dozen questions. What others than Prometheus do not offer is noted and left out.
func ask(ctx context.Context, c *promapi.Client, names []string, r *Report) (*knowledge, error) {
	k := &knowledge{}
	clock, err := c.Query(ctx, `vector(time())`) // first, since it costs nothing and tells whether this is a Prometheus
	if err != nil {
		return nil, err
	}
	for _, s := range clock {
		k.now = time.UnixMilli(int64(s.Value * 1000))
	}
	if k.present, err = c.Query(ctx, `group by (__name__, `+placeLabels+`) ({__name__=~"`+strings.Join(names, "|")+`"})`); err != nil {
		return nil, err
	}
	for _, expr := range facts() {
		samples, err := c.Query(ctx, expr)
		if err != nil {
			return nil, err
		}
		k.told = append(k.told, samples...)
	}
	for expr, into := range map[string]*[]promapi.Sample{notSent: &k.failed, leftBackends: &k.left, ages: &k.ages} {
		if *into, err = c.Query(ctx, expr); err != nil {
			return nil, err
		}
	}
	if err := c.Get(ctx, "rules", &k.rules); err != nil {
		return nil, err
	}
	return k, k.askFurther(ctx, c, r)
}

func (k *knowledge) askFurther(ctx context.Context, c *promapi.Client, r *Report) error {
	var (
		targets       promapi.Targets
		alertmanagers promapi.Alertmanagers
		runtime       promapi.RuntimeInfo
		build         promapi.BuildInfo
	)
	for _, q := range []struct {
		path string
		data any
		keep func()
	}{
		{"targets", &targets, func() { k.targets = &targets }},
		{"alertmanagers", &alertmanagers, func() { k.alertmanagers = &alertmanagers }},
		{"status/runtimeinfo", &runtime, func() { k.runtime = &runtime }},
		{"status/buildinfo", &build, func() { k.version = versionOf(build) }},
	} {
		err := c.Get(ctx, q.path, q.data)
		if refusal, ok := errors.AsType[*promapi.Refusal](err); ok && refusal.NotOffered() {
			r.Notes = append(r.Notes, fmt.Sprintf("what /api/v1/%s would show; it is not offered here", q.path))
			continue
		}
		if err != nil {
			return err
		}
		q.keep()
	}
	return nil
}

// versionOf is that of a Prometheus, "" for others: Mimir and Thanos have numbers of their own, and
// VictoriaMetrics says that of a Prometheus that it resembles, and no more.
func versionOf(b promapi.BuildInfo) string {
	if b.Application != "" || b.GoVersion == "" || strings.HasPrefix(b.Version, "0.") {
		return ""
	}
	return b.Version
}

// sinceLoad is how long ago the rules in force were loaded at least; long ago where nobody says.
func (k *knowledge) sinceLoad() time.Duration {
	if k.runtime == nil {
		return math.MaxInt64
	}
	return k.now.Sub(k.runtime.LastConfigTime)
}

// report adds what is wrong with the Prometheus itself.
func (k *knowledge) report(r *Report) {
	r.Prometheus = k.version
	if isOlder(k.version, rules.OldestPrometheus) {
		r.add(Cause{What: fmt.Sprintf("Prometheus %s is older than %s and cannot load the rules", k.version, rules.OldestPrometheus), Do: "upgrade Prometheus"})
	}
	if k.runtime != nil && k.runtime.ReloadConfigSuccess != nil && !*k.runtime.ReloadConfigSuccess {
		r.add(Cause{What: "Prometheus refused its last configuration and works with the one before", Do: "run promtool check config on its file, correct it and reload"})
	}
	switch {
	case k.alertmanagers == nil:
	case len(k.alertmanagers.Active) == 0 && k.sinceLoad() < untilFound:
		r.Notes = append(r.Notes, "whether Prometheus knows an Alertmanager: it loaded its configuration a moment ago, and finds them in its first seconds")
	default:
		k.reportTold(r)
	}
}

// reportTold adds that nobody is told, or not everybody who should be. Only the Alertmanagers of now
// count: what failed with one that was taken out meanwhile does not matter any more.
func (k *knowledge) reportTold(r *Report) {
	if len(k.alertmanagers.Active) == 0 {
		r.add(Cause{What: "Prometheus knows no Alertmanager: alerts are shown, and nobody is told",
			Do: "start the Alertmanager of the bundle (alertmanager/alertmanager.yml) and name it under alerting in prometheus.yml"})
	}
	var failed []string
	for _, a := range k.alertmanagers.Active {
		if slices.ContainsFunc(k.failed, func(s promapi.Sample) bool { return s.Labels.Get("alertmanager") == a.URL }) {
			failed = append(failed, a.URL)
		}
	}
	for _, url := range failed {
		told := "nobody was told"
		if len(failed) < len(k.alertmanagers.Active) {
			told = "only the others were told"
		}
		r.add(Cause{What: fmt.Sprintf("sending alerts to the Alertmanager %s failed within the last %s: %s", url, notSentWindow, told),
			Do: "see whether it runs and is reached at that address from Prometheus; if it is again, check once more in " + notSentWindow})
	}
}

// isOlder compares the first two numbers of versions; one that is not known is not older.
func isOlder(version, than string) bool {
	a, okA := twoNumbers(version)
	b, okB := twoNumbers(than)
	return okA && okB && (a[0] < b[0] || a[0] == b[0] && a[1] < b[1])
}

func twoNumbers(version string) (out [2]int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return out, false
	}
	for i := range out {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return out, false
		}
		out[i] = n
	}
	return out, true
}
