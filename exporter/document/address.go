package document

import (
	"net"
	"net/url"
	"strings"
)

// Address reads an address, of which no credential may ever be printed: got is the part that may
// be. instead says where credentials are written; wrong is "" if all is well. The clean address
// has no trailing slash.
func Address(s, instead string) (clean, got, wrong string) {
	if HasCredentials(s) {
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
	if strings.Contains(path, "//") || HasDots(path) {
		return "", "has a path with // or .. in it; write the plain path"
	}
	return u.Scheme + "://" + u.Host + path, ""
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
		return "has port " + Shortened(port) + "; ports go from 1 to 65535"
	}
	return ""
}

func validPort(s string) bool {
	n, err := net.LookupPort("tcp", s)
	return err == nil && n > 0
}

// HasDots tells whether a path has a part that is . or .., in whatever spelling.
func HasDots(path string) bool {
	for _, part := range strings.Split(strings.ToLower(path), "/") {
		switch strings.ReplaceAll(part, "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// HasCredentials tells whether an address carries a user or a password. It does not rely
// on the address being a good one: what looks like a password must not be printed.
func HasCredentials(s string) bool {
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
