package dashboards

import (
	"fmt"
	"regexp"
	"time"
)

// fleetIncidents is the recording most cases are read on: at 480 medium-b, one of two replicas
// behind a router, is killed; at 643 small comes back without its drafter.
const fleetIncidents = "fleet-incidents"

// at is what the first query shows at a second of a recording. Numbers are worked out from the
// bodies that the servers sent, not read off a panel: a rate over a window of n scrapes is the
// difference of its first and last sample by the time between them, as long as the counter
// was well above 0 before.
func at(recording string, second int, want ...string) Case {
	return Case{Recording: recording, At: time.Duration(second) * time.Second, Want: want}
}

// of names another query than the first.
func (c Case) of(query string) Case {
	c.Query = query
	return c
}

// because says how the numbers were worked out.
func (c Case) because(why string) Case {
	c.Why = why
	return c
}

// chosen sets the variable backend.
func (c Case) chosen(backends ...string) Case {
	c.Values = Values{"backend": backends}
	return c
}

// onCard sets the variable gpu.
func (c Case) onCard(gpus ...string) Case {
	c.Values = Values{"gpu": gpus}
	return c
}

// choosing adds to the wanted results the choices that links make by their labels.
func (c Case) choosing(labels []string) Case {
	for _, label := range labels {
		value := regexp.MustCompile(`([{ ])` + label + `="([^"]+)"`)
		choice := fmt.Sprintf(`$0, %s="var-%s=$2"`, choiceOf(label), filledBy(label))
		want := make([]string, len(c.Want))
		for i, line := range c.Want {
			want[i] = value.ReplaceAllString(line, choice)
		}
		c.Want = want
	}
	return c
}
