package host

import (
	"bytes"
)

// client is one user of a card as /proc/<pid>/fdinfo/<fd> describes it.
type client struct {
	address string // PCI address of the card
	id      uint64
	memory  [len(pools)]float64
}

// Pools that a program's memory is in.
var pools = [...]string{"vram", "gtt"}

// poolOf sorts the drivers' names of memory: vram0, local0 are the card's, gtt and system the
// machine's. -1 for what is neither (stolen) or not mapped to the card (cpu).
func poolOf(region []byte) int {
	switch {
	case bytes.HasPrefix(region, []byte("vram")), bytes.HasPrefix(region, []byte("local")), string(region) == "memory":
		return 0
	case string(region) == "gtt", bytes.HasPrefix(region, []byte("system")):
		return 1
	}
	return -1
}

// The keys for the memory of a region, the best first: what is resident counts, not what was
// asked for.
var memoryKeys = [...]string{"drm-resident-", "drm-memory-", "drm-total-"}

// parseClient reads the file. It is false for a file that is no card's, or of a kernel that
// does not say which card it is.
func parseClient(b []byte) (c client, ok bool) {
	var found [len(memoryKeys)][len(pools)]value
	hasID := false
	eachLine(b, func(line []byte) {
		key, rest, cut := bytes.Cut(line, []byte(":"))
		if !cut {
			return
		}
		rest = trim(rest)
		switch string(key) {
		case "drm-pdev":
			if a, valid := ParseAddress(string(rest)); valid {
				c.address = a
			}
			return
		case "drm-client-id":
			c.id, hasID = parseUint(rest)
			return
		}
		for i, prefix := range memoryKeys {
			region, has := bytes.CutPrefix(key, []byte(prefix))
			if !has {
				continue
			}
			if pool := poolOf(region); pool >= 0 {
				if v, valid := parseAmount(rest); valid {
					found[i][pool] = known(found[i][pool].v + v)
				}
			}
		}
	})
	for pool := range pools {
		for i := range memoryKeys {
			if found[i][pool].known {
				c.memory[pool] = found[i][pool].v
				break
			}
		}
	}
	return c, c.address != "" && hasID
}

// parseAmount reads "25258 KiB", "3 MiB", or bytes without a unit.
func parseAmount(b []byte) (float64, bool) {
	number, rest := field(b)
	n, ok := parseUint(number)
	if !ok {
		return 0, false
	}
	switch string(trim(rest)) {
	case "":
		return float64(n), true
	case "KiB", "kB":
		return float64(n) * (1 << 10), true
	case "MiB":
		return float64(n) * (1 << 20), true
	case "GiB":
		return float64(n) * (1 << 30), true
	}
	return 0, false
}
