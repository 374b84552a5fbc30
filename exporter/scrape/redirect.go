package scrape

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// mostHops is how many redirects one request may follow.
const mostHops = 3

// isRedirect says whether a status sends the client elsewhere.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// next returns where a redirect leads if following it is safe: the same origin, because the
// credentials go along, and the same path but for a prefix or a slash at the end, with the
// same query, because a path that nobody vetted could load a model or wake it.
func next(from *url.URL, resp *http.Response) (*url.URL, error) {
	to, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("redirect (%d) without a usable address", resp.StatusCode)
	}
	if to.Scheme != from.Scheme || !strings.EqualFold(to.Host, from.Host) {
		return nil, fmt.Errorf("redirect (%d) to another server, %s://%s; credentials do not go there: "+
			"write that address in the configuration if it is the right one", resp.StatusCode, to.Scheme, to.Host)
	}
	wanted, got := strings.TrimSuffix(from.Path, "/"), strings.TrimSuffix(to.Path, "/")
	same := got == wanted || wanted != "" && strings.HasSuffix(got, wanted)
	if !same || to.RawQuery != from.RawQuery {
		return nil, fmt.Errorf("redirect (%d) to another page, %q: is a login or a proxy in front of the server?", resp.StatusCode, to.Path)
	}
	to.User = from.User
	if to.String() == from.String() {
		return nil, errors.New("redirect to itself")
	}
	return to, nil
}
