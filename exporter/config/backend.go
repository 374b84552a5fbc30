package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	promconfig "github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/nearest"
)

var defaults = &section[Limits]{
	title: "defaults",
	about: "What one backend may cost at most. Beyond a limit only that backend's numbers are missing, and a series says why.",
	wants: "the keys of defaults (timeout, body_limit, …)",
	start: func(d *decoder) Limits { return d.defaults },
	keys:  limitKeys("", func(l *Limits) *Limits { return l }),
	check: func(d *decoder, _ path, l *Limits) { d.defaults = *l },
}

// limitKeys are the limits, for all backends and for one.
func limitKeys[T any](otherwise string, of func(*T) *Limits) []key[T] {
	std := Default().Defaults
	or := func(v string) string {
		if otherwise != "" {
			return otherwise
		}
		return v
	}
	return []key[T]{
		field("timeout", duration(100*time.Millisecond, 10*time.Minute), func(v *T) *time.Duration { return &of(v).Timeout },
			"Longest time that asking a backend may take. The scraper is answered in its own time; what comes later is used by its next scrape.").
			or(or(std.Timeout.String())),
		field("body_limit", size(1<<10, 1<<30), func(v *T) *int64 { return &of(v).BodyBytes },
			"Largest answer that is read.").or(or(sizeString(std.BodyBytes))),
		field("series_limit", whole(1_000_000), func(v *T) *int { return &of(v).Series },
			"Most series that a backend may add.").or(or(fmt.Sprint(std.Series))),
		field("label_value_limit", whole(100_000), func(v *T) *int { return &of(v).LabelValues },
			"Most values that one label of a backend may have; the rest is folded into the value other.").
			or(or(fmt.Sprint(std.LabelValues))),
	}
}

var backend = &section[Backend]{
	title: "backends",
	about: "One element for each model server or router.",
	wants: "the keys of a backend (name, url, …)",
	start: func(d *decoder) Backend {
		return Backend{HTTP: promconfig.DefaultHTTPClientConfig, Limits: d.defaults, Objectives: d.objectives}
	},
	keys: slices.Concat([]key[Backend]{
		field("name", text("name", checkName), func(b *Backend) *string { return &b.Name },
			"Name of the backend: the label backend of its series, and the target of /probe. Renaming it makes new series.").
			must("give it one, like name: medium-a"),
		field("url", address, func(b *Backend) *string { return &b.URL },
			"Address of the service, without /v1 or /metrics. It may have a path prefix. An unscraped backend may do without."),
		field("metrics_url", address, func(b *Backend) *string { return &b.MetricsURL },
			"Second address of a router that has its metrics on another port, without /metrics."),
		field("engine", text("engine", nil), func(b *Backend) *string { return &b.Engine },
			"What answers there: a built-in engine, or the name of an own mapping.").or("recognised from the answers"),
		field("model", anyText, func(b *Backend) *string { return &b.Model },
			"Name of the only model, for a server that does not say it."),
		field("known_as", list(routersName, unique(func(s string) string { return s }, "")), func(b *Backend) *[]string { return &b.KnownAs },
			"Other addresses and names by which routers know it, like http://10.0.0.7:8000, replicas/replica-a or a pod's name. Its url needs no mention."),
		field("labels", mapOf("labels", text("text", nil), checkLabelName), func(b *Backend) *map[string]string { return &b.Labels },
			"More labels for all its series, like host: b. Labels of the vocabulary and of Prometheus cannot be used."),
		field("unscraped", anyText, func(b *Backend) *string { return &b.Unscraped },
			"Why the backend is only named and never asked. It then has a series and a row that say so."),
		field("expect", expect.kind(), func(b *Backend) *Expect { return &b.Expect },
			"What should be so: rules compare it with what is."),
		field("objectives", ownObjectives.kind(), func(b *Backend) *Objectives { return &b.Objectives },
			"Longest times that its requests should take, where they differ from those of all."),
		field("metrics_interval", duration(0, 24*time.Hour), func(b *Backend) *time.Duration { return &b.MetricsInterval },
			"How often its numbers may be asked at most, for a server that a scrape keeps awake (llama.cpp b7493 to b10523 with --sleep-idle-seconds).").
			or("each scrape"),
		field("kv_capacity_tokens", number(aboveZero), func(b *Backend) *float64 { return &b.KVCapacityTokens },
			"Tokens that the KV cache holds, where the engine cannot say it."),
		field("process", text("program", checkProcess), func(b *Backend) *string { return &b.Process },
			"Name of its program on this host, like llama-server: it finds the backend's memory on the cards where its port does not, as in a container.").
			or("found by its port"),
	}, limitKeys("as in defaults", func(b *Backend) *Limits { return &b.Limits }), clientKeys()),
	check: checkBackend,
}

var expect = &section[Expect]{
	title: "expect",
	about: "Expectations of one backend. What is not written is not expected.",
	wants: "the keys of expect (models, loaded, speculation, replicas)",
	keys: []key[Expect]{
		field("models", list(anyText, unique(func(s string) string { return s }, "")), func(e *Expect) *[]string { return &e.Models },
			"Models that it must serve, as /v1/models names them."),
		field("loaded", flag, func(e *Expect) *bool { return &e.Loaded },
			"Whether a model must be in memory all the time, for programs that load on demand or sleep.").or("false"),
		field("speculation", pointer(flag), func(e *Expect) **bool { return &e.Speculation },
			"Whether it must draft tokens. No client can see that a drafter is not loaded."),
		field("replicas", whole(10_000), func(e *Expect) *int { return &e.Replicas },
			"How many replicas the router must have."),
	},
}

func checkBackend(d *decoder, at path, b *Backend) {
	if b.URL == "" && b.Unscraped == "" && d.Clean(at.Key("url")) && d.Clean(at.Key("unscraped")) {
		d.Fail(at, "", "has no url; write url: and its address, or unscraped: and the reason why it is not asked")
	}
	if b.MetricsURL != "" && sameAddress(b.MetricsURL) == sameAddress(b.URL) {
		d.Fail(at.Key("metrics_url"), b.MetricsURL, "is the url of the same backend; remove it, it is for a second port")
	}
	if b.Engine != "" && engine.Find(d.own, b.Engine) == nil && engine.Find(d.known, b.Engine) == nil {
		names := d.engineNames()
		d.Fail(at.Key("engine"), b.Engine, "is not a known engine%s Known are %s", suggestion(b.Engine, names), strings.Join(names, ", "))
	}
	checkReplicas(d, at, b)
	checkClient(d, at, b)
}

// checkReplicas refuses an expectation that nothing would ever compare. What is recognised later
// is compared then.
func checkReplicas(d *decoder, at path, b *Backend) {
	if b.Expect.Replicas == 0 || b.Engine == "" {
		return
	}
	e := engine.Find(d.own, b.Engine)
	if e == nil {
		e = engine.Find(d.known, b.Engine)
	}
	if e != nil && !e.Router {
		d.Fail(at.Key("expect").Key("replicas"), "", "is for routers, and %s is none; write it to the router in front of it", b.Engine)
	}
}

func suggestion(word string, words []string) string {
	if near := nearest.Word(word, words); near != "" {
		return ": did you mean " + near + "?"
	}
	return "; leave the key out to have it recognised, or describe it under engines."
}

// engineNames lists what a backend's engine may be.
func (d *decoder) engineNames() []string {
	var names []string
	for _, e := range slices.Concat(d.own, d.known) {
		if !slices.Contains(names, e.Name) { // variants share a name
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return names
}

// checkBackends compares backends with each other.
func checkBackends(d *decoder, at path, all []Backend) {
	unique(func(b Backend) string { return b.Name }, "name")(d, at, all)
	first, known := make(map[string]path), make(map[string]path)
	for i, b := range all {
		for k, name := range b.KnownAs {
			place := at.Index(i).Key("known_as").Index(k)
			if before, twice := known[name]; twice && before.Parent().Parent() != at.Index(i) {
				d.Fail(place, name, "is %s already; a router's worker is one backend", before)
				continue
			}
			known[name] = place
		}
		for _, u := range []struct{ key, url string }{{"url", b.URL}, {"metrics_url", b.MetricsURL}} {
			place := at.Index(i).Key(u.key)
			if u.url == "" || u.key == "metrics_url" && sameAddress(u.url) == sameAddress(b.URL) { // said already
				continue
			}
			if before, twice := first[sameAddress(u.url)]; twice {
				d.Fail(place, u.url, "is the %s of %s already; one backend for each address, or its numbers count twice",
					string(before[strings.LastIndex(string(before), ".")+1:]), before.Parent())
				continue
			}
			first[sameAddress(u.url)] = place
		}
	}
}

// routersName is the kind of a name by which a router knows a worker. Routers' own credentials
// are taken off before anything is compared, and none may be printed.
var routersName = kind[string]{
	word: "address", show: textNode,
	read: func(d *decoder, n *yaml.Node, at path) (string, bool) {
		s, ok := d.Scalar(n, at)
		wrong := document.CheckText(s)
		switch {
		case !ok:
			return "", false
		case document.HasCredentials(s):
			d.Fail(at, "", "has an @, as a user, a password or a rank would (not shown); write the address alone")
			return "", false
		case wrong != "":
			d.Fail(at, s, "%s", wrong)
			return "", false
		}
		return s, true
	},
}

// nameShape leaves out what needs quoting in a URL, a regular expression or a shell.
var nameShape = regexp.MustCompile(`^[A-Za-z0-9\[]([A-Za-z0-9._:/\[\]-]*[A-Za-z0-9])?$`)

func checkName(s string) string {
	const longest = 100
	switch {
	case len(s) > longest:
		return "is longer than 100 characters; a name stands in every label and alert"
	case !nameShape.MatchString(s):
		better := strings.Trim(strings.Map(func(r rune) rune {
			if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._:/-", r)) {
				return r
			}
			return '-'
		}, s), "-._:/")
		if better == "" {
			better = "medium-a"
		}
		return "is not a name: letters, digits and . _ - : / only, a letter or digit at both ends; write " + better
	}
	return ""
}

// checkLabelName refuses labels that mean something to us or to Prometheus.
func checkLabelName(s string) string {
	switch {
	case !model.LegacyValidation.IsValidLabelName(s):
		return "is not a label name; use letters, digits and _, and no digit first"
	case strings.HasPrefix(s, "__"):
		return "begins with __, which Prometheus keeps for itself; choose another label"
	case slices.Contains([]string{"instance", "job", "pod", "namespace", "container", "cluster"}, s),
		strings.HasPrefix(s, "exported_"):
		return "belongs to Prometheus; set it in the scrape job or choose another label"
	case slices.Contains(ownLabels(), s):
		return "is a label of the vocabulary (docs/series.md); choose another label"
	}
	return ""
}

// ownLabels lists every label that a series of the catalog has.
var ownLabels = sync.OnceValue(func() []string {
	names := []string{catalog.LabelLE, "quantile", catalog.LabelConfigHash}
	for _, s := range catalog.All() {
		if s.Origin != catalog.Host { // those have no labels of a backend
			names = append(names, s.Labels...)
		}
	}
	return names
})
