package rules

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// thresholdsAt is the key that thresholds stand below.
const thresholdsAt document.Path = "thresholds"

func (p *settingsParser) thresholds(n *yaml.Node, at document.Path) {
	p.settings.Thresholds = map[string]float64{}
	keys := map[string]reading{}
	for _, t := range AllThresholds(p.groups) {
		keys[t.Key] = func(n *yaml.Node, at document.Path) { p.threshold(t, n, at) }
	}
	p.section(n, at, keys)
}

func (p *settingsParser) threshold(t *Threshold, n *yaml.Node, at document.Path) {
	s, ok := p.Scalar(n, at)
	if !ok {
		return
	}
	v, err := t.parse(s)
	if err != nil {
		p.Fail(at, s, "is no value of unit %s; the default is %s", cmp.Or(t.Unit, "number"), t.Text(t.Default))
		return
	}
	if b := t.bounds(); !b.hold(v) {
		p.Fail(at, s, "is out of range; allowed is %s, the default is %s", b.text(t), t.Text(t.Default))
		return
	}
	p.settings.Thresholds[t.Key] = v
}

// checkBudgets refuses targets that an alert cannot judge, at the number that the file sets.
func (p *settingsParser) checkBudgets() {
	for _, b := range unreachable(p.groups, p.settings) {
		target, burn := thresholdsAt.Key(b.target), thresholdsAt.Key(b.burn)
		if p.Said(target) || !p.Said(burn) {
			p.Fail(target, fmt.Sprint(b.value), "%s", b.wrong)
		} else {
			p.Fail(burn, fmt.Sprint(p.settings.Thresholds[b.burn]), "is out of reach: %s %g %s", b.target, b.value, b.wrong)
		}
	}
}

func (t *Threshold) parse(text string) (float64, error) {
	if t.Unit == DurationUnit {
		d, err := model.ParseDuration(text)
		return time.Duration(d).Seconds(), err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("not finite")
	}
	return v, err
}
