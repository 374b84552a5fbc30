package recording

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// hostPort splits an address that ends in a port. A port is a number: what else stands behind a
// colon may be a part of what is private.
func hostPort(address string) (host, port string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || len(port) > len("65535") {
		return "", "", false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return host, port, err == nil
}

// hosted gives the host of a URL or of an address another name.
func hosted(r *remover, match string) string {
	scheme, address := cutScheme(match)
	return scheme + r.address(address)
}

// address gives a host another name and keeps its port.
func (r *remover) address(s string) string {
	host, port, ok := hostPort(s)
	if !ok {
		return r.host(s)
	}
	return r.host(host) + ":" + port
}

// host is what stands for a host, without a port.
func (r *remover) host(name string) string {
	return fmt.Sprintf("host-%d", r.number("host", strings.ToLower(name)))
}

func cutScheme(url string) (scheme, address string) {
	if i := strings.Index(url, "://"); i >= 0 {
		return url[:i+len("://")], url[i+len("://"):]
	}
	return "", url
}

// hostOf is the host of a URL without a path, or of an address.
func hostOf(address string) string {
	_, address = cutScheme(address)
	if host, _, ok := hostPort(address); ok {
		address = host
	}
	return strings.ToLower(address)
}

// isNoHost says whether an address names no machine that others could find.
func isNoHost(address string) bool {
	if isNobody(address) {
		return true
	}
	host, _, ok := hostPort(address)
	if !ok {
		host = address
	}
	_, err := netip.ParseAddr(host)
	return ok && isNobody(host) || err == nil && !isPrivateIP(host)
}

// isHarmlessHost says whether a host is the machine itself, one of documentation, or one that
// everybody knows.
func isHarmlessHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true // the rules of addresses see to it
	}
	for _, public := range []string{"huggingface.co", "hf.co", "github.com", "modelscope.cn", "prometheus.io", "openai.com", "w3.org", "nvidia.com", "python.org"} {
		if host == public || strings.HasSuffix(host, "."+public) {
			return true
		}
	}
	return host == "localhost" || isExample(host) || standIn.MatchString(host)
}

func isExample(host string) bool {
	for _, end := range []string{"example", "example.com", "example.org", "example.net", "invalid", "test", "localhost"} {
		if host == end || strings.HasSuffix(host, "."+end) {
			return true
		}
	}
	return false
}

// examples are the networks that documentation may use.
var examples = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32"),
}

// isPrivateIP says whether a text is an address, and neither the machine's own nor one of
// documentation.
func isPrivateIP(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && !a.IsLoopback() && !a.IsUnspecified() &&
		!slices.ContainsFunc(examples, func(p netip.Prefix) bool { return p.Contains(a) })
}

// continues says that a number goes on behind four parts: then it is a version.
func continues(after string) bool {
	return len(after) > 1 && after[0] == '.' && after[1] >= '0' && after[1] <= '9'
}
