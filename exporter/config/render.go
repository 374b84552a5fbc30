package config

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// Redacted returns the configuration in force, in the form of the file: defaults filled
// in, own mappings written out, secrets as <secret>. Secrets come from files whose names
// it shows; a secret that is in the value itself is not shown.
func (c Config) Redacted() []byte {
	n := file.show(c)
	if n == nil {
		return []byte("{}\n")
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return []byte("# cannot be shown: " + err.Error() + "\n") // no node of ours makes the encoder fail
	}
	return out.Bytes()
}

// String returns Redacted, so that a configuration that is printed by chance shows no secret.
func (c Config) String() string { return string(c.Redacted()) }

// GoString returns Redacted too: %#v would print the fields.
func (c Config) GoString() string { return c.String() }

// String returns the backend as the file would have it, without secrets.
func (b Backend) String() string {
	n := backend.show(b)
	if n == nil {
		return "{}"
	}
	out, err := yaml.Marshal(n)
	if err != nil {
		return "# cannot be shown: " + err.Error()
	}
	return string(out)
}

// GoString returns String: %#v would print the fields.
func (b Backend) GoString() string { return b.String() }
