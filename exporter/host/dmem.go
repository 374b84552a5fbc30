package host

import (
	"strings"
)

// cgroups is the root of the control groups. Since 6.14 they count the memory of cards for
// drivers that take part, whoever holds it: the only size of Intel's cards in plain files.
const cgroups = "sys/fs/cgroup"

// dmem is what control groups say of one card's own memory.
type dmem struct {
	size, used value
}

// readDmem reads sizes and use by PCI address; nil on kernels without. Each group counts the
// groups below it, so those at the top add up to all.
func readDmem(r *reader) map[string]dmem {
	b, err := r.bytes(cgroups+"/dmem.capacity", fileLimit)
	if err != nil {
		return nil
	}
	all := map[string]dmem{}
	eachRegion(b, func(address string, bytes float64) {
		d := all[address]
		d.size = known(d.size.v + bytes)
		all[address] = d
	})
	groups, err := r.dir(cgroups)
	if err != nil {
		return all
	}
	for _, group := range groups {
		b, err := r.bytes(cgroups+"/"+group+"/dmem.current", fileLimit)
		if err != nil {
			continue // a file, or a group that does not count
		}
		eachRegion(b, func(address string, bytes float64) {
			if d, ok := all[address]; ok {
				d.used = known(d.used.v + bytes)
				all[address] = d
			}
		})
	}
	return all
}

// eachRegion takes lines like "drm/0000:03:00.0/vram0 8514437120". Only the card's own memory
// counts: other regions are the machine's.
func eachRegion(b []byte, f func(address string, bytes float64)) {
	eachLine(b, func(line []byte) {
		name, rest := field(line)
		parts := strings.Split(string(name), "/")
		if len(parts) != 3 || parts[0] != "drm" || !isAddress(parts[1]) || !strings.HasPrefix(parts[2], "vram") {
			return
		}
		if n, ok := parseUint(trim(rest)); ok {
			f(parts[1], float64(n))
		}
	})
}
