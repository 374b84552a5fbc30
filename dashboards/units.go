package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// grafanaUnit is the name that Grafana has for a unit. Grafana shows an unknown name as plain
// text behind the number, without a word, so a test holds these against its list.
func grafanaUnit(u catalog.Unit, perSecond bool) string {
	if perSecond {
		switch u {
		case catalog.Requests:
			return "reqps"
		case catalog.Tokens:
			return "count:tok/s" // Grafana has no id for it, and a form for what is counted
		case catalog.Bytes:
			return "binBps"
		case catalog.Seconds:
			return "percentunit" // seconds per second
		}
		return "cps"
	}
	switch u {
	case catalog.Seconds:
		return "s"
	case catalog.Timestamp:
		return "dateTimeFromNow"
	case catalog.Bytes:
		return "bytes"
	case catalog.BytesPerSecond:
		return "Bps" // links are counted in powers of ten
	case catalog.TransfersPerSecond:
		return "sishort"
	case catalog.Ratio:
		return "percentunit"
	case catalog.Celsius:
		return "celsius"
	case catalog.Watts:
		return "watt"
	case catalog.Joules:
		return "joule"
	case catalog.Hertz:
		return "hertz"
	case catalog.Tokens, catalog.Requests, catalog.Count, catalog.Boolean:
		return "short"
	}
	return "none"
}
