package proof

import "sync"

// onceMap makes the value of each key once, when it is first asked for; others who ask wait for it.
type onceMap[K comparable, V any] struct {
	mu   sync.Mutex // guards made
	made map[K]func() V
}

func (m *onceMap[K, V]) of(key K, value func() V) V {
	m.mu.Lock()
	once := m.made[key]
	if once == nil {
		if m.made == nil {
			m.made = map[K]func() V{}
		}
		once = sync.OnceValue(value)
		m.made[key] = once
	}
	m.mu.Unlock()
	return once()
}
