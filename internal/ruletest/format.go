package ruletest

// ruleTest is one test of promtool's format.
type ruleTest struct {
	Name     string        `yaml:"name"`
	Interval string        `yaml:"interval"`
	Input    []inputSeries `yaml:"input_series"`
	Alerts   []alertCheck  `yaml:"alert_rule_test,omitempty"`
	Firing   []queryCheck  `yaml:"promql_expr_test,omitempty"` // in the place of Alerts, without texts
}

type inputSeries struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type alertCheck struct {
	EvalTime string          `yaml:"eval_time"`
	Name     string          `yaml:"alertname"`
	Want     []expectedAlert `yaml:"exp_alerts"`
}

type expectedAlert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

type queryCheck struct {
	Expr     string           `yaml:"expr"`
	EvalTime string           `yaml:"eval_time"`
	Want     []expectedSample `yaml:"exp_samples"`
}

type expectedSample struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}
