package config

import (
	"net/netip"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// address is the kind of a backend's address. It is stored without a trailing slash.
var address = kind[string]{
	word: "URL", show: textNode,
	read: func(d *decoder, n *yaml.Node, at path) (string, bool) {
		return readAddress(d, n, at, "write the URL without them, and basic_auth: with username and password_file below the backend")
	},
}

// readAddress reads an address of which no credential may ever be printed: they hide in
// front of the host and in the query.
func readAddress(d *decoder, n *yaml.Node, at path, instead string) (string, bool) {
	s, ok := d.Scalar(n, at)
	if !ok {
		return "", false
	}
	clean, got, wrong := checkedAddress(s, instead)
	if wrong != "" {
		d.Fail(at, got, "%s", wrong)
	}
	return clean, wrong == ""
}

// checkedAddress is an address that is no page's, with the part of it that may be printed.
func checkedAddress(s, instead string) (clean, got, wrong string) {
	clean, got, wrong = document.Address(s, instead)
	if wrong == "" {
		wrong = ownPage(clean)
	}
	if wrong != "" {
		clean = ""
	}
	return clean, got, wrong
}

// ownPage refuses the address of a page, which a user often pastes; the sentence says what to keep
// of it. The address is a clean one.
func ownPage(clean string) (wrong string) {
	scheme, rest, _ := strings.Cut(clean, "://")
	host, path, _ := strings.Cut(rest, "/")
	base := scheme + "://" + host
	if strings.Contains("/"+path+"/", "/upstream/") {
		return "goes through llama-swap's /upstream, which starts models and keeps them; write " + base
	}
	for _, page := range []string{"/metrics", "/v1", "/v1/models", "/v1/chat/completions", "/v1/completions", "/health", "/props", "/slots"} {
		if kept, ends := strings.CutSuffix("/"+path, page); ends {
			return "ends in " + page + ", which is added where it is needed; write " + base + kept
		}
	}
	return ""
}

// sameAddress is a form in which two spellings of one address are equal.
func sameAddress(clean string) string {
	u, err := url.Parse(clean)
	if err != nil {
		return clean
	}
	port := u.Port()
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return u.Scheme + "://" + sameHost(u.Hostname()) + u.EscapedPath()
	}
	return u.Scheme + "://" + sameHost(u.Hostname()) + ":" + port + u.EscapedPath()
}

// sameHost is the same for the names of this machine by which one server is usually reached; the
// other addresses of 127.0.0.0/8 may each have a server of its own at a port.
func sameHost(name string) string {
	name = strings.TrimSuffix(name, ".")
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return name
	}
	ip = ip.Unmap()
	if ip.IsUnspecified() || ip == netip.IPv6Loopback() || ip == netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		return "localhost"
	}
	return ip.String()
}
