package scrape

import (
	"net"
	"net/url"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// workers finds the backend that a router's worker is. Addresses are compared as far as they say
// the same wherever they are written: host and port, and the path if there is one. No name is
// resolved: what a router's resolver would answer is not known here.
type workers struct {
	known map[string]string        // what known_as says, in the form of plainName
	at    map[hostPort][]addressed // by url and metrics_url
}

// hostPort is a place where a server listens. Hosts are in lower case, ports always there.
type hostPort struct{ host, port string }

// addressed is a backend at a place, with the path below which it is.
type addressed struct{ path, backend string }

func workersOf(backends []config.Backend) *workers {
	w := &workers{known: map[string]string{}, at: map[hostPort][]addressed{}}
	for _, b := range backends {
		for _, name := range b.KnownAs {
			w.known[plainName(name)] = b.Name
		}
		for _, address := range []string{b.URL, b.MetricsURL} {
			if place, path, ok := placeOf(address, thisMachine); ok {
				w.at[place] = append(w.at[place], addressed{path, b.Name})
			}
		}
	}
	return w
}

// find returns the name of the backend that a router calls target, "" if it is none. To a router
// on another machine a loopback address is one of that machine.
func (w *workers) find(router config.Backend, target string) string {
	if w == nil {
		return ""
	}
	target, _ = engine.CutRank(target)
	name, known := w.known[plainName(target)]
	if !known {
		name = w.addressed(router, target)
	}
	if name == router.Name {
		return ""
	}
	return name
}

// addressed finds the backend below whose path a target is; of several the most exact.
func (w *workers) addressed(router config.Backend, target string) string {
	home := thisMachine
	if place, _, ok := placeOf(router.URL, thisMachine); ok {
		home = place.host
	}
	place, path, ok := placeOf(target, home)
	if !ok {
		return ""
	}
	best := addressed{}
	for _, a := range w.at[place] {
		if below(path, a.path) && (best.backend == "" || len(a.path) > len(best.path)) {
			best = a
		}
	}
	return best.backend
}

// below says whether a path is another one or leads on from it.
func below(path, base string) bool {
	rest, ok := strings.CutPrefix(path, base)
	return ok && (rest == "" || rest[0] == '/')
}

// thisMachine stands for all the loopback addresses of the machine that the exporter runs on.
const thisMachine = "localhost"

// plainName is a target as it is compared with known_as: an address in one form, anything else
// as it stands.
func plainName(target string) string {
	if place, path, ok := placeOf(target, thisMachine); ok {
		return place.host + ":" + place.port + path
	}
	return target
}

// placeOf reads an address, with or without a scheme: http://host/v1, host:8000. home is the host
// that loopback addresses stand for. ok is false for what is no address, such as a model's name.
func placeOf(address, home string) (place hostPort, path string, ok bool) {
	scheme, _, found := strings.Cut(address, "://")
	if !found {
		scheme, address = "", "//"+address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return hostPort{}, "", false
	}
	place = hostPort{strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()}
	if place.port == "" {
		place.port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(scheme)]
	}
	if place.port == "" {
		return hostPort{}, "", false
	}
	if ip := net.ParseIP(place.host); place.host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		place.host = home
	}
	path = strings.TrimSuffix(strings.TrimRight(u.EscapedPath(), "/"), "/v1")
	return place, strings.TrimRight(path, "/"), true
}

// joined says of each worker that a router has an opinion of which backend it is.
func (p *points) joined(w *workers, router config.Backend, said []catalog.Point) {
	for i := range said {
		if said[i].Series != catalog.RouterTargetHealthy {
			continue
		}
		labels := said[i].Labels
		if name := w.find(router, labels[2]); name != "" {
			p.add(catalog.RouterTargetBackend, 1, labels[1], labels[2], name)
		}
	}
}
