package engine

import "github.com/llmfleet/llmfleet/exporter/catalog"

// targetStates are the states by which a router's workers are counted.
var targetStates = [...]string{"unhealthy", "healthy"}

// countTargets counts a router's workers by what it holds of them, where no mapping does.
// Counts that routers keep themselves stay at the configured number, whoever is dead.
func (m *mapper) countTargets() {
	var counts [len(targetStates)]float64
	known := m.engine.Workers != "" && m.docs[m.engine.Workers] != nil
	for i := range m.out.list {
		switch p := &m.out.list[i]; p.Series {
		case catalog.RouterTargets:
			return
		case catalog.RouterTargetHealthy:
			known = true
			counts[int(p.Value)]++ // a boolean: the mapper lets nothing else through
		}
	}
	if !known {
		return
	}
	place := placesOf(catalog.RouterTargets).state
	for state, count := range counts {
		var ids labelIDs
		ids[place] = m.targetStates[state]
		m.emit(catalog.RouterTargets, ids, computed).Value = count
	}
}
