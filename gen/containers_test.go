package gen

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/rules"
	"go.yaml.in/yaml/v3"
)

// container is one program of compose.yml or of a unit, as far as both must agree.
type container struct {
	Image   string
	Command []string
	Volumes []string
}

func TestComposeAndQuadletBringUpTheSame(t *testing.T) {
	bundle := defaultBundle(t)
	compose := composed(t, bundle)
	for name, c := range compose {
		unit, ok := bundle["quadlet/llmfleet-"+name+".container"]
		if !ok {
			t.Errorf("%s is in compose.yml and has no unit", name)
			continue
		}
		q := quadlet(string(unit))
		for i, v := range c.Volumes {
			c.Volumes[i] = strings.NewReplacer("./", "/etc/llmfleet/").Replace(v)
			if !strings.HasPrefix(v, "./") {
				c.Volumes[i] = "llmfleet-" + v
			}
		}
		if q.Image != c.Image || !slices.Equal(q.Command, c.Command) || !slices.Equal(q.Volumes, c.Volumes) {
			t.Errorf("%s: unit %+v, compose %+v", name, q, c)
		}
	}
	if len(compose) != 3 {
		t.Errorf("%d programs, want Prometheus, Alertmanager and Grafana", len(compose))
	}
}

func TestWhatContainersMountIsInTheBundle(t *testing.T) {
	bundle := defaultBundle(t)
	for name, c := range composed(t, bundle) {
		for _, v := range c.Volumes {
			from, ok := strings.CutPrefix(strings.Split(v, ":")[0], "./")
			there := false
			for file := range bundle {
				there = there || file == from || strings.HasPrefix(file, from+"/")
			}
			if ok && !there {
				t.Errorf("%s mounts %s, which is not in the bundle", name, from)
			}
		}
	}
	if _, ok := bundle[path.Join("grafana/dashboards", homePath)]; !ok {
		t.Errorf("Grafana opens with %s, which is not in the bundle", homePath)
	}
}

func TestContainersListenWherePrometheusLooks(t *testing.T) {
	bundle := defaultBundle(t)
	conf := string(bundle["prometheus/prometheus.yml"])
	source := string(bundle["grafana/provisioning/datasources/llmfleet.yml"])
	for name, c := range composed(t, bundle) {
		for _, arg := range c.Command {
			port, ok := strings.CutPrefix(arg, "--web.listen-address=127.0.0.1:")
			if ok && !strings.Contains(conf, "[localhost:"+port+"]") {
				t.Errorf("%s listens on %s, and prometheus.yml does not name it", name, port)
			}
			if ok && name == "prometheus" && !strings.Contains(source, "http://localhost:"+port) {
				t.Errorf("the data source does not name port %s of Prometheus", port)
			}
		}
	}
}

func defaultBundle(t *testing.T) map[string][]byte {
	t.Helper()
	bundle, err := Bundle(rules.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

func composed(t *testing.T, bundle map[string][]byte) map[string]container {
	t.Helper()
	var doc struct{ Services map[string]container }
	if err := yaml.Unmarshal(bundle["compose.yml"], &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Services
}

var unitLine = regexp.MustCompile(`(?m)^(Image|Exec|Volume)=(.*)$`)

func quadlet(unit string) (c container) {
	for _, m := range unitLine.FindAllStringSubmatch(unit, -1) {
		switch m[1] {
		case "Image":
			c.Image = m[2]
		case "Exec":
			c.Command = strings.Fields(m[2])
		case "Volume":
			c.Volumes = append(c.Volumes, m[2])
		}
	}
	return c
}
