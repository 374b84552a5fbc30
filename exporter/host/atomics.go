package host

// Why atomic operations do not reach the processor.
const (
	noRouting        = "no_routing"
	egressBlocked    = "egress_blocked"
	rootNotCompleter = "root_not_completer"
)

// atomics is whether a GPU's atomic operations reach the processor, by the rule that the
// kernel follows when a driver asks for them (pci_enable_atomic_ops_to_root), for 32 and 64 bits.
type atomics struct {
	reach   value
	blocker *device // the first that stops them, in the kernel's order: root port, then from the GPU up
	reason  string
}

// atomicsToRoot applies the rule to a chain whose registers were read. A register that could
// not be read makes the answer unknown.
func atomicsToRoot(c chain) atomics {
	gpu := &c[0].config
	if !gpu.express || !gpu.ability {
		return atomics{}
	}
	switch gpu.kind {
	case typeEndpoint, typeLegacy, typeIntegrated:
	default:
		return atomics{}
	}
	if gpu.kind == typeIntegrated {
		return atomics{} // no root port above it: its driver decides
	}
	root := c[len(c)-1]
	if len(c) == 1 || root.config.express && root.config.kind != typeRootPort {
		// A guest sees no root port. Whoever gave it the card has enabled requests, or has not.
		return atomics{reach: truth(gpu.requester)}
	}
	if !root.config.express {
		return atomics{}
	}
	// Routing of the root port itself does not matter: that is for traffic between root ports.
	if !root.config.completes32 || !root.config.completes64 {
		return atomics{known(0), root, rootNotCompleter}
	}
	for _, hop := range c[1 : len(c)-1] {
		if !hop.config.express {
			return atomics{}
		}
		switch hop.config.kind {
		case typeUpstream: // blocking is looked at on these ports alone
			if hop.config.egressBlocked {
				return atomics{known(0), hop, egressBlocked}
			}
			if !hop.config.routing {
				return atomics{known(0), hop, noRouting}
			}
		case typeDownstream:
			if !hop.config.routing {
				return atomics{known(0), hop, noRouting}
			}
		}
	}
	return atomics{reach: known(1)}
}
