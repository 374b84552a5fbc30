package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/rules"
)

// knowledge is what a Prometheus answered.
type knowledge struct {
	present, told []promapi.Sample
	rules         promapi.Rules
	targets       *promapi.Targets       // nil: it does not say
	alertmanagers *promapi.Alertmanagers // nil: it does not say
	runtime       *promapi.RuntimeInfo   // nil: it does not say
	dropped       bool                   // notifications were dropped of late
	now           time.Time              // by the clock of Prometheus
	version       string
}

// dropped are the notifications that no Alertmanager took, as Prometheus counts them itself.
const dropped = `sum(increase(prometheus_notifications_dropped_total[10m])) > 0`

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
	for _, expr := range append(facts(), dropped) {
		samples, err := c.Query(ctx, expr)
		if err != nil {
			return nil, err
		}
		if expr == dropped {
			k.dropped = len(samples) > 0
			continue
		}
		k.told = append(k.told, samples...)
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
	if k.runtime != nil && !k.runtime.ReloadConfigSuccess {
		r.add(Cause{What: "Prometheus refused its last configuration and works with the one before", Do: "run promtool check config on its file, correct it and reload"})
	}
	const mend = "start the Alertmanager of the bundle (alertmanager/alertmanager.yml) and name it under alerting in prometheus.yml"
	switch {
	case k.alertmanagers == nil:
	case len(k.alertmanagers.Active) == 0:
		r.add(Cause{What: "Prometheus knows no Alertmanager: alerts are shown, and nobody is told", Do: mend})
	case k.dropped:
		r.add(Cause{What: fmt.Sprintf("Alertmanager (%s) did not take alerts within the last 10 minutes: nobody was told", k.alertmanagers.Active[0].URL),
			Do: "see whether it runs and is reached at that address from Prometheus"})
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
