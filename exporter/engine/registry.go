package engine

import (
	"cmp"
	"slices"
)

// registered is an engine's place among the others.
type registered struct {
	engine   *Engine
	priority int
}

var registry []registered

// The priorities: an engine whose signs another one shows too comes before that one.
const (
	priorityRouter  = 10 // its answers may be a worker's, so its own signs count first
	priorityFork    = 20 // speaks the names of the program it was forked from
	priorityVariant = 30 // another front end or mode of the same program
	priorityEngine  = 40
	priorityGeneric = 90 // recognised by what many programs have
)

// register adds an engine to the registry from the file that defines it.
func register(priority int, e *Engine) *Engine {
	registry = append(registry, registered{e, priority})
	slices.SortStableFunc(registry, func(a, b registered) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.engine.Name, b.engine.Name))
	})
	return e
}

// BuiltIn returns the engines that llmfleet knows, in the order in which they are tried.
func BuiltIn() []*Engine {
	engines := make([]*Engine, len(registry))
	for i, r := range registry {
		engines[i] = r.engine
	}
	return engines
}

// Find returns the engine of a name, nil if there is none. Of a program with variants it
// is the usual one, which stands last: a session finds out which variant answers.
func Find(engines []*Engine, name string) *Engine {
	for _, e := range slices.Backward(engines) {
		if e.Name == name {
			return e
		}
	}
	return nil
}
