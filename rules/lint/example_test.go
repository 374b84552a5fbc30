package lint_test

import (
	"fmt"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/rules/lint"
)

// Rules on another exporter are checked by what it exports.
func ExampleNew() {
	v := lint.New()
	v.Add(&catalog.Series{Name: "node_network_receive_bytes_total", Kind: catalog.Counter, Unit: catalog.Bytes, Labels: []string{"device"}})
	v.Add(&catalog.Series{Name: "node_filesystem_avail_bytes", Kind: catalog.Gauge, Unit: catalog.Bytes, Labels: []string{"device", "mountpoint"}})
	for _, expr := range []string{
		`node_network_receive_bytes_total > 1e9`,
		`rate(node_filesystem_avail_bytes[5m]) < 0`,
		`sum by (interface) (rate(node_network_receive_bytes_total[5m])) > 1e9`,
		`sum by (instance) (rate(node_network_receive_bytes_total[5m])) > 1e9`,
	} {
		result, problems := v.Check("rule", expr, 15*time.Second)
		if len(problems) > 0 {
			fmt.Println(problems[0])
			continue
		}
		labels, _ := result.Labels()
		fmt.Println(labels, result.Unit)
	}
	// Output:
	// rule: node_network_receive_bytes_total: a counter without rate or increase says how long the server has run
	// rule: node_filesystem_avail_bytes: rate or increase of a gauge; only counters reset
	// rule: sum (interface): the operand has no label "interface"
	// [instance] bytes/s
}
