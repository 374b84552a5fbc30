package rules

import (
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"
)

// MimirNamespace is the namespace of Mimir's ruler that holds all groups.
const MimirNamespace = "llmfleet"

// PrometheusRules writes each group as the resource that Prometheus' operator reads
// (monitoring.coreos.com/v1). It has no namespace: whoever applies it chooses one.
func PrometheusRules(groups []Group, s Settings) ([]File, error) {
	rendered, err := Render(groups, s)
	if err != nil {
		return nil, err
	}
	labels := map[string]string{"app.kubernetes.io/part-of": "llmfleet"}
	maps.Copy(labels, s.ResourceLabels)
	var files []File
	for _, g := range rendered {
		data, err := encode(g.Source.About, mapping(
			"apiVersion", scalar("monitoring.coreos.com/v1"),
			"kind", scalar("PrometheusRule"),
			"metadata", mapping("name", scalar(g.Rules.Name), "labels", textMap(labels)),
			"spec", mapping("groups", list(g.node())),
		))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.FileName(), err)
		}
		files = append(files, File{Name: g.FileName(), Data: data})
	}
	return files, nil
}

// MimirRules writes all groups as one namespace of Mimir's ruler, as mimirtool loads it.
func MimirRules(groups []Group, s Settings) (File, error) {
	rendered, err := Render(groups, s)
	if err != nil {
		return File{}, err
	}
	var nodes []*yaml.Node
	for _, g := range rendered {
		nodes = append(nodes, g.node())
	}
	data, err := encode("", mapping("namespace", scalar(MimirNamespace), "groups", list(nodes...)))
	return File{Name: MimirNamespace + ".yml", Data: data}, err
}
