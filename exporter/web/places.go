package web

import "sync"

// places bounds the scrapes that are served at the same time. Those beyond it are told so at
// once; waiting would only make them late.
//
// Each target has its own places, and so has the page of all: forty probes of servers that
// hang must not turn away the probe of one that answers.
type places struct {
	most int // of one page; 0: no bound

	mu    sync.Mutex     // guards taken
	taken map[string]int // by target, "" for all; a page that nobody reads is not in it
}

func (p *places) take(page string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 && p.taken[page] >= p.most {
		return false
	}
	if p.taken == nil {
		p.taken = make(map[string]int)
	}
	p.taken[page]++
	return true
}

func (p *places) leave(page string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[page]--; p.taken[page] == 0 {
		delete(p.taken, page)
	}
}
