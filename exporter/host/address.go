package host

import (
	"fmt"
	"strings"
)

// isAddress tells whether a name is a PCI address as the kernel writes it: 0000:0b:00.0. The
// domain may have more than four digits: controllers that hide a bus of their own use 10000
// and up.
func isAddress(s string) bool {
	domain, rest, ok := strings.Cut(s, ":")
	if !ok || len(domain) < 4 || len(domain) > 8 || !isHex(domain) || len(rest) != len("0b:00.0") {
		return false
	}
	return isHex(rest[0:2]) && rest[2] == ':' && isHex(rest[3:5]) && rest[5] == '.' && rest[6] >= '0' && rest[6] <= '7'
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return len(s) > 0
}

// ParseAddress reads a PCI address in any of the spellings of common tools (lspci leaves the
// domain out, nvidia-smi writes eight digits and capitals) and returns the kernel's.
func ParseAddress(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Count(s, ":") == 1 {
		s = "0000:" + s
	}
	domain, rest, ok := strings.Cut(s, ":")
	if !ok {
		return "", false
	}
	for len(domain) > 4 && domain[0] == '0' {
		domain = domain[1:]
	}
	for len(domain) < 4 {
		domain = "0" + domain
	}
	s = domain + ":" + rest
	return s, isAddress(s)
}

// addressOf writes an address from its numbers, as KFD gives them: bus<<8 | device<<3 | function.
func addressOf(domain, location uint64) string {
	return fmt.Sprintf("%04x:%02x:%02x.%d", domain, location>>8&0xff, location>>3&0x1f, location&7)
}

// chainOf returns the addresses on the way from a device to its root, the device first, from
// the path of its folder in sysfs. The way ends at the innermost host bridge: a controller
// that hides a bus of its own is no part of it.
func chainOf(path string) []string {
	var chain []string
	for path != "" {
		i := strings.LastIndexByte(path, '/')
		name := path[i+1:]
		switch {
		case isAddress(name):
			chain = append(chain, name)
		case strings.HasPrefix(name, "pci") || len(chain) > 0:
			return chain
		}
		if i < 0 {
			break
		}
		path = path[:i]
	}
	return chain
}
