package gen

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strings"
	"text/template"

	"github.com/llmfleet/llmfleet/dashboards"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/prometheus/common/model"
)

//go:embed templates/*.tmpl
var templateFiles embed.FS

// templates are the files of the bundle that are mostly text, by their place in the bundle.
var templates = map[string]string{
	"prometheus/prometheus.yml":                     "prometheus.yml.tmpl",
	"alertmanager/alertmanager.yml":                 "alertmanager.yml.tmpl",
	"grafana/provisioning/datasources/llmfleet.yml": "datasources.yml.tmpl",
	"grafana/provisioning/dashboards/llmfleet.yml":  "dashboards.yml.tmpl",
	"compose.yml":                             "compose.yml.tmpl",
	"quadlet/llmfleet-prometheus.container":   "llmfleet-prometheus.container.tmpl",
	"quadlet/llmfleet-alertmanager.container": "llmfleet-alertmanager.container.tmpl",
	"quadlet/llmfleet-grafana.container":      "llmfleet-grafana.container.tmpl",
	"README.md":                               "README.md.tmpl",
}

// The images of compose.yml and of the Quadlet units: releases that read these files.
const (
	prometheusImage   = "docker.io/prom/prometheus:v3.5.0"
	alertmanagerImage = "docker.io/prom/alertmanager:v0.28.1"
	grafanaImage      = "docker.io/grafana/grafana:12.1.0"
)

// homePath is the dashboard that Grafana opens with, below the folder of dashboards.
const homePath = "LLM fleet/" + rules.DashboardUID + ".json"

// Bundle returns what a user copies, by path below the bundle's folder; the tests are not in it.
func Bundle(s rules.Settings) (map[string][]byte, error) {
	out := map[string][]byte{}
	ruleFiles, err := rules.Files(rules.Groups(), s)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	for _, f := range ruleFiles {
		out["prometheus/rules/"+f.Name] = f.Data
	}
	pages, err := dashboards.Files(rules.Groups(), s)
	if err != nil {
		return nil, err
	}
	for _, f := range pages {
		out[path.Join("grafana/dashboards", f.Path)] = f.Data
	}
	for name, source := range templates {
		if out[name], err = fill(source, s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// fill executes a template with the settings. A name that it does not have is an error.
func fill(source string, s rules.Settings) ([]byte, error) {
	text, err := templateFiles.ReadFile("templates/" + source)
	if err != nil {
		return nil, err
	}
	t, err := template.New(source).Delims("<<", ">>").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Mark": mark, "Job": s.Job, "Interval": model.Duration(s.ScrapeInterval).String(),
		"UID": rules.DashboardUID, "Watchdog": "LlmWatchdog",
		"PrometheusImage": prometheusImage, "AlertmanagerImage": alertmanagerImage, "GrafanaImage": grafanaImage, "HomePath": homePath,
		"Dashboard": strings.TrimSuffix(s.DashboardBaseURL, "/") + "/d/" + rules.DashboardUID,
	})
	return out.Bytes(), err
}
