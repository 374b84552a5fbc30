package engine

import (
	"net/url"
	"strings"
)

// withoutCredentials takes user, password and query off the address of a worker. What is no
// address, such as a worker's id, stays as it is.
func withoutCredentials(address string) string {
	if base, rank := CutRank(address); rank != "" {
		return withoutCredentials(base) + rank
	}
	if !strings.Contains(address, "://") {
		return withoutUser(address)
	}
	u, err := url.Parse(address)
	if err != nil {
		// not an address after all; what stands before an @ may be a password
		return address[strings.LastIndex(address, "@")+1:]
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// CutRank cuts off the rank that routers write behind the address of a data-parallel worker,
// as in http://host:8000@1. Read as a URL that is a user called host, and all workers of a
// rank would be one.
func CutRank(address string) (base, rank string) {
	i := strings.LastIndexByte(address, '@')
	if i < 0 || i+1 == len(address) || len(address)-i > 6 || strings.Trim(address[i+1:], "0123456789") != "" {
		return address, ""
	}
	full := address[:i]
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	if u, err := url.Parse(full); err != nil || u.Hostname() == "" { // a password is no port
		return address, ""
	}
	return address[:i], address[i:]
}

// withoutUser takes user:password@ off an address without a scheme.
func withoutUser(address string) string {
	if user, host, found := strings.Cut(address, "@"); found && strings.Contains(user, ":") {
		return host[strings.LastIndexByte(host, '@')+1:]
	}
	return address
}
