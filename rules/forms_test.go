package rules

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/rules/lint"
)

// resource is what the operator's definition of a PrometheusRule allows at its top.
type resource struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name   string            `yaml:"name"`
		Labels map[string]string `yaml:"labels"`
	} `yaml:"metadata"`
	Spec yaml.Node `yaml:"spec"` // the operator hands it to Prometheus as it is
}

// plain are the groups of the files that Prometheus loads, by name.
func plain(t *testing.T, s Settings) map[string]rulefmt.RuleGroup {
	t.Helper()
	files, err := Files(Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]rulefmt.RuleGroup{}
	for _, f := range files {
		for _, g := range strictly(t, f.Name, f.Data) {
			out[g.Name] = g
		}
	}
	return out
}

// strictly reads groups as Prometheus does, and refuses what it would refuse.
func strictly(t *testing.T, name string, data []byte) []rulefmt.RuleGroup {
	t.Helper()
	groups, errs := rulefmt.Parse(data, false, model.LegacyValidation, lint.Parser, promslog.NewNopLogger())
	for _, err := range errs {
		t.Errorf("%s: %v", name, err)
	}
	if groups == nil {
		return nil
	}
	return groups.Groups
}

// same compares rule by rule.
func same(t *testing.T, name string, got []rulefmt.RuleGroup, want map[string]rulefmt.RuleGroup) {
	t.Helper()
	for _, g := range got {
		w, ok := want[g.Name]
		if !ok {
			t.Errorf("%s: group %s is in no plain file", name, g.Name)
			continue
		}
		if g.Interval != w.Interval || len(g.Rules) != len(w.Rules) {
			t.Errorf("%s: group %s has %d rules each %s, the plain file %d each %s", name, g.Name, len(g.Rules), g.Interval, len(w.Rules), w.Interval)
			continue
		}
		for i := range g.Rules {
			if diff := cmp.Diff(w.Rules[i], g.Rules[i]); diff != "" {
				t.Errorf("%s: rule %d of group %s differs from the plain file:\n%s", name, i, g.Name, diff)
			}
		}
		delete(want, g.Name)
	}
}

var resourceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func TestPrometheusRulesHoldThePlainRules(t *testing.T) {
	s := DefaultSettings()
	s.ResourceLabels = map[string]string{"release": "monitoring"}
	files, err := PrometheusRules(Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	want := plain(t, s)
	for _, f := range files {
		var r resource
		dec := yaml.NewDecoder(bytes.NewReader(f.Data))
		dec.KnownFields(true)
		if err := dec.Decode(&r); err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if r.APIVersion != "monitoring.coreos.com/v1" || r.Kind != "PrometheusRule" || !resourceName.MatchString(r.Metadata.Name) {
			t.Errorf("%s is a %s %s named %q", f.Name, r.APIVersion, r.Kind, r.Metadata.Name)
		}
		if diff := cmp.Diff(map[string]string{"app.kubernetes.io/part-of": "llmfleet", "release": "monitoring"}, r.Metadata.Labels); diff != "" {
			t.Errorf("%s: labels: %s", f.Name, diff)
		}
		spec, err := yaml.Marshal(&r.Spec)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f.Name, strictly(t, f.Name, spec), want)
	}
	for name := range want {
		t.Errorf("group %s is in no resource", name)
	}
}

func TestTheMimirNamespaceHoldsThePlainRules(t *testing.T) {
	s := DefaultSettings()
	f, err := MimirRules(Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Namespace string    `yaml:"namespace"`
		Groups    yaml.Node `yaml:"groups"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(f.Data))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Namespace != "llmfleet" || f.Name != "llmfleet.yml" {
		t.Errorf("file %s holds the namespace %q", f.Name, doc.Namespace)
	}
	groups, err := yaml.Marshal(map[string]*yaml.Node{"groups": &doc.Groups})
	if err != nil {
		t.Fatal(err)
	}
	want := plain(t, s)
	same(t, f.Name, strictly(t, f.Name, groups), want)
	for name := range want {
		t.Errorf("group %s is not in the namespace", name)
	}
}
