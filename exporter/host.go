package exporter

import (
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/host"
)

// hostConfig is what the configuration says of the machine, and which backends run on it.
func hostConfig(c *config.Config) host.Config {
	out := host.Config{ExpectedGPUs: c.Host.ExpectedGPUs, Ignore: c.Host.Ignore, Names: c.Host.Names, ProcessIDs: c.Host.ProcessIDs}
	local := localAddresses()
	for _, b := range c.Backends {
		known := host.Backend{Name: b.Name, Process: b.Process}
		for _, address := range []string{b.URL, b.MetricsURL} {
			if port, ok := localPort(address, local); ok {
				known.Ports = append(known.Ports, port)
			}
		}
		if known.Process != "" || len(known.Ports) > 0 {
			out.Backends = append(out.Backends, known)
		}
	}
	return out
}

// localPort is the port of an address, if it is one of this machine.
func localPort(address string, local []string) (uint64, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return 0, false
	}
	name, port := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); !slices.Contains(local, name) && (ip == nil || !ip.IsLoopback()) {
		return 0, false
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return n, err == nil
}

// localAddresses are the names and addresses of this machine.
func localAddresses() []string {
	all := []string{"localhost"}
	if name, err := os.Hostname(); err == nil {
		all = append(all, name)
	}
	addresses, _ := net.InterfaceAddrs() // without them loopback is left
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			all = append(all, n.IP.String())
		}
	}
	return all
}
