package check

import "testing"

func TestTry(t *testing.T) {
	t.Log("\n" + healthy().check(t).Page(true))
	t.Log("\n" + healthy().and(func(s *stage) { s.second = 690; s.recordings = []string{"fleet-incidents", "hosts/a1", "llamacpp-0.7.0-b11669/states#no-metrics-no-slots"} }).check(t).Page(false))
}
