package config

import (
	"fmt"
	"strings"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// FromTargets makes a configuration of addresses alone (--target=http://host:8080). A
// backend is named after its host and port, and its path if it has one, so that its name
// does not depend on the order of the flags.
func FromTargets(urls []string) (*Config, error) {
	c := Default()
	var wrong document.Mistakes
	first := make(map[string]string)
	for _, raw := range urls {
		clean, got, hint := checkedAddress(raw, "use --config.file with basic_auth and a password_file")
		if before, twice := first[sameAddress(clean)]; hint == "" && twice {
			hint = fmt.Sprintf("is the target %q already; name each once", before)
		}
		if hint != "" {
			wrong = append(wrong, document.Mistake{Key: "--target", Got: got, Hint: hint})
			continue
		}
		first[sameAddress(clean)] = clean
		_, name, _ := strings.Cut(clean, "://")
		c.Backends = append(c.Backends, Backend{
			Name: name, URL: clean, HTTP: promconfig.DefaultHTTPClientConfig, Limits: c.Defaults,
		})
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	c.distinguish()
	return c, nil
}

// distinguish gives the scheme to the names of two backends that differ in nothing else.
func (c *Config) distinguish() {
	count := make(map[string]int)
	for _, b := range c.Backends {
		count[b.Name]++
	}
	for i := range c.Backends {
		if b := &c.Backends[i]; count[b.Name] > 1 {
			scheme, _, _ := strings.Cut(b.URL, "://")
			b.Name = scheme + ":" + b.Name
		}
	}
}
