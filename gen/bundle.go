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
// Settings that make a rule or a panel blind are an error.
func Bundle(s rules.Settings) (map[string][]byte, error) {
	if err := sound(s); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	if err := ruleForms(out, s); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	pages, err := dashboards.Files(rules.Groups(), s)
	if err != nil {
		return nil, err
	}
	for _, f := range pages {
		out[path.Join("grafana/dashboards", f.Path)] = f.Data
	}
	return out, fillAll(out, s)
}

// ruleForms adds the rules in each form that a ruler reads.
func ruleForms(out map[string][]byte, s rules.Settings) error {
	plain, err := rules.Files(rules.Groups(), s)
	if err != nil {
		return err
	}
	resources, err := rules.PrometheusRules(rules.Groups(), s)
	if err != nil {
		return err
	}
	namespace, err := rules.MimirRules(rules.Groups(), s)
	if err != nil {
		return err
	}
	for folder, files := range map[string][]rules.File{"prometheus/rules": plain, "kubernetes": resources, "mimir": {namespace}} {
		for _, f := range files {
			out[path.Join(folder, f.Name)] = f.Data
		}
	}
	return nil
}

// fillAll adds the files that are mostly text.
func fillAll(out map[string][]byte, s rules.Settings) error {
	inhibitions, err := rules.Inhibitions(rules.Groups(), s)
	if err != nil {
		return err
	}
	data := map[string]any{
		"Mark": mark, "Job": s.Job, "Interval": model.Duration(s.ScrapeInterval).String(),
		"UID": rules.DashboardUID, "Watchdog": "LlmWatchdog", "Namespace": rules.MimirNamespace,
		"Dashboard":       strings.TrimSuffix(s.DashboardBaseURL, "/") + "/d/" + rules.DashboardUID,
		"PrometheusImage": prometheusImage, "AlertmanagerImage": alertmanagerImage, "GrafanaImage": grafanaImage, "HomePath": homePath,
		"Inhibitions": inhibitRules(inhibitions), "Pages": dashboards.All(),
	}
	for name, source := range templates {
		if out[name], err = fill(source, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// fill executes a template. A name that the data does not have is an error.
func fill(source string, data map[string]any) ([]byte, error) {
	text, err := templateFiles.ReadFile("templates/" + source)
	if err != nil {
		return nil, err
	}
	functions := template.FuncMap{"matchers": matcherList, "join": strings.Join}
	t, err := template.New(source).Delims("<<", ">>").Option("missingkey=error").Funcs(functions).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}
