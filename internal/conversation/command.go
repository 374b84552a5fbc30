package conversation

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// Target says whom to talk to: an address, or a backend of a configuration file.
type Target struct {
	URL             string
	MetricsURL      string
	BearerTokenFile string
	ConfigFile      string // its own mappings are used; its backends, where there is no URL
	Backend         string // name of one in ConfigFile
	Timeout         time.Duration
}

// Config makes a configuration of a target, and says which of its backends is meant.
func (t Target) Config() (c *config.Config, backend string, err error) {
	var mappings []*engine.Engine
	if t.ConfigFile != "" {
		if c, err = config.Load(t.ConfigFile); err != nil {
			return nil, "", err
		}
		mappings = c.Engines
	}
	switch {
	case t.URL != "" && t.Backend != "":
		return nil, "", errors.New("pass an address or --backend, not both")
	case t.URL != "":
		if c, err = t.ofAddress(); err != nil {
			return nil, "", err
		}
		c.Engines = mappings
		backend = c.Backends[0].Name
	case c == nil:
		return nil, "", errors.New("pass the address of a server, like http://127.0.0.1:8080, or --config.file=FILE and --backend=NAME")
	case t.MetricsURL != "" || t.BearerTokenFile != "":
		return nil, "", errors.New("--metrics-url and --bearer-token-file go with an address; a backend of a file has them in the file")
	case t.Backend == "" && len(c.Backends) == 1:
		backend = c.Backends[0].Name
	case t.Backend == "":
		return nil, "", fmt.Errorf("pass --backend=NAME; %s has %s", t.ConfigFile, names(c))
	default:
		backend = t.Backend
	}
	if b, ok := c.Find(backend); ok && t.Timeout > 0 {
		b.Limits.Timeout = t.Timeout
	}
	return c, backend, nil
}

// ofAddress makes a configuration of the flags, through the parser of the file: what is wrong
// there is wrong here, in the same words.
func (t Target) ofAddress() (*config.Config, error) {
	backend := map[string]any{"name": "server", "url": t.URL}
	if t.MetricsURL != "" {
		backend["metrics_url"] = t.MetricsURL
	}
	if t.BearerTokenFile != "" {
		file, err := filepath.Abs(t.BearerTokenFile)
		if err != nil {
			return nil, fmt.Errorf("--bearer-token-file: %w", err)
		}
		backend["authorization"] = map[string]any{"credentials_file": file}
	}
	text, err := yaml.Marshal(map[string]any{"backends": []any{backend}})
	if err != nil {
		return nil, err
	}
	c, err := config.Parse("", text)
	if err != nil {
		return nil, asFlags(err)
	}
	if named, err := config.FromTargets([]string{t.URL}); err == nil {
		c.Backends[0].Name = named.Backends[0].Name
	}
	return c, nil
}

// asFlags says the mistakes of a configuration in the words of the command line.
func asFlags(err error) error {
	var wrong document.Mistakes
	if !errors.As(err, &wrong) {
		return err
	}
	out := make(document.Mistakes, len(wrong))
	for i, m := range wrong {
		m.File, m.Line = "", 0
		m.Key = strings.NewReplacer(
			"backends[0].url", "URL", "backends[0].metrics_url", "--metrics-url",
			"backends[0].authorization.credentials_file", "--bearer-token-file", "backends[0]", "the address",
		).Replace(m.Key)
		out[i] = m
	}
	return out
}
