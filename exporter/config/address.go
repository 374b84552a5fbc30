package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"
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
	s, ok := scalar(d, n, at)
	if !ok {
		return "", false
	}
	clean, got, wrong := checkedAddress(s, instead)
	if wrong != "" {
		d.fail(at, got, "%s", wrong)
	}
	return clean, wrong == ""
}

// checkedAddress is cleanAddress with the part of the address that may be printed.
func checkedAddress(s, instead string) (clean, got, wrong string) {
	if hasCredentials(s) {
		return "", "", "carries a user or a password; " + instead
	}
	got = s
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		return "", s[:i], "has a query or a fragment; write it without what follows the " + s[i:i+1]
	}
	clean, wrong = cleanAddress(s)
	return clean, got, wrong
}

// cleanAddress checks an address and brings it into the form that paths are added to.
// A user often pastes the address of a page; the sentence says what to keep of it.
func cleanAddress(s string) (clean, wrong string) {
	if s == "" {
		return "", "is empty; write the address, like http://127.0.0.1:8000"
	}
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		if scheme, rest, slash := strings.Cut(s, ":/"); slash && (scheme == "http" || scheme == "https") {
			return "", "has one slash behind " + scheme + ":; write " + scheme + "://" + rest
		}
		return "", "has no scheme; write http://" + s
	}
	if scheme := strings.ToLower(scheme); scheme != "http" && scheme != "https" {
		return "", "has the scheme " + scheme + "; write http://" + rest
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", "is no URL that can be read; write it like http://127.0.0.1:8000"
	}
	if wrong := badHost(u); wrong != "" {
		return "", wrong
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	path := strings.TrimRight(u.EscapedPath(), "/")
	base := u.Scheme + "://" + u.Host
	switch {
	case strings.Contains(path, "//") || hasDots(path):
		return "", "has a path with // or .. in it; write the plain path"
	case strings.Contains(path+"/", "/upstream/"):
		return "", "goes through llama-swap's /upstream, which starts models and keeps them; write " + base
	}
	for _, page := range []string{"/metrics", "/v1", "/v1/models", "/v1/chat/completions", "/v1/completions", "/health", "/props", "/slots"} {
		if kept, ends := strings.CutSuffix(path, page); ends {
			return "", "ends in " + page + ", which is added where it is needed; write " + base + kept
		}
	}
	return base + path, ""
}

// badHost checks the part between scheme and path.
func badHost(u *url.URL) string {
	switch port := u.Port(); {
	case u.Hostname() == "":
		return "names no host; write it like http://127.0.0.1:8000"
	case strings.ContainsAny(u.Hostname(), " \t*?,;\"'<>{}|\\^`"):
		return "has a host name that cannot be; write it like http://127.0.0.1:8000"
	case strings.HasSuffix(u.Host, ":"):
		return "has a colon and no port; write the port or remove the colon"
	case port != "" && !validPort(port):
		return "has port " + shortened(port) + "; ports go from 1 to 65535"
	}
	return ""
}

func validPort(s string) bool {
	n, err := net.LookupPort("tcp", s)
	return err == nil && n > 0
}

func hasDots(path string) bool {
	for _, part := range strings.Split(strings.ToLower(path), "/") {
		switch strings.ReplaceAll(part, "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// hasCredentials tells whether an address carries a user or a password. It does not rely
// on the address being a good one: what looks like a password must not be printed.
func hasCredentials(s string) bool {
	if _, rest, found := strings.Cut(s, "://"); found {
		s = rest
	}
	host, _, _ := strings.Cut(s, "/")
	if strings.Contains(host, "@") {
		return true
	}
	// A password with a slash in it: what follows the colon is then no port.
	colon := strings.LastIndex(host, ":")
	return strings.Contains(s, "@") && colon >= 0 && !validPort(host[colon+1:])
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
