package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/engine"
)

// maxFileBytes is far above any fleet that one exporter can watch.
const maxFileBytes = 8 << 20

// file is the top of the configuration file. Backends are read last, for they rest on the
// defaults and on the own mappings.
var file = &section[Config]{
	title: "The file",
	about: "All keys are optional: an empty file is the defaults and watches nothing.",
	wants: "the keys defaults, objectives, backends, host and engines",
	start: func(*decoder) Config { return *Default() },
	keys: []key[Config]{
		field("defaults", defaults.kind(), func(c *Config) *Limits { return &c.Defaults },
			"Limits of every backend that does not say its own."),
		field("objectives", objectives.kind(), func(c *Config) *Objectives { return &c.Objectives },
			"Longest times that requests should take, for every backend that does not say its own."),
		field("backends", list(backend.kind(), checkBackends), func(c *Config) *[]Backend { return &c.Backends },
			"The model servers and routers to watch.").after(),
		field("host", hostSection.kind(), func(c *Config) *Host { return &c.Host },
			"The machine that the exporter runs on: its GPUs are found without a word here."),
		field("engines", engines, func(c *Config) *[]*engine.Engine { return &c.Engines },
			"Own mappings: a fork, an in-house engine, a router that tells its state as JSON."),
	},
}

func parse(known []*engine.Engine, name string, data []byte) (*Config, error) {
	d := &decoder{file: name, known: known, lines: map[path]int{}, defaults: Default().Defaults, objectives: Default().Objectives}
	n := d.document(data)
	if n == nil {
		c := *Default()
		c.Empty = true
		return d.result(c)
	}
	c, _ := file.read(d, n, "")
	return d.result(c)
}

func (d *decoder) result(c Config) (*Config, error) {
	if err := d.mistakes.err(); err != nil {
		return nil, err
	}
	c.File = d.file
	return &c, nil
}

// document returns the one document of the file, nil if it is empty or not YAML.
func (d *decoder) document(data []byte) *yaml.Node {
	if len(data) > maxFileBytes {
		d.fail("", "", "has more than %d bytes; split the fleet over several exporters", maxFileBytes)
		return nil
	}
	reader := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := reader.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) { // nothing but comments
			d.notYAML(err, data)
		}
		return nil
	}
	switch err := reader.Decode(&second); {
	case err == nil:
		d.lines[""] = second.Line
		d.fail("", "", "a second document begins here; a configuration is one document, remove the line ---")
		return nil
	case !errors.Is(err, io.EOF):
		d.notYAML(err, data)
		return nil
	}
	if len(doc.Content) != 1 || isNull(doc.Content[0]) { // a line --- alone
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// notYAML turns the library's message into one with a line. Its texts quote nothing of the
// file but the name of an anchor, which may be a password that begins with a star.
func (d *decoder) notYAML(err error, data []byte) {
	text, line := err.Error(), 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
			if strings.HasPrefix(text, "did not find expected") {
				line++ // the library counts from 0 in these
			}
		}
	}
	switch {
	case strings.Contains(text, "anchor"):
		text = "an alias (*name) without its anchor (&name); put a text that begins with * or & in quotes"
	case strings.Contains(text, "tab") || strings.Contains(text, "cannot start any token"):
		text += "; indent with spaces, not tabs, and put special text in quotes"
		line = tabLine(data, line)
	case text == "did not find expected '-' indicator", text == "did not find expected key":
		line = firstLineWith(data, err, line)
		text += "; is it indented as what it stands beside?"
	}
	d.lines[""] = line
	d.fail("", "", "this is not YAML: %s", text)
}

// tabLine is the first line that is indented with a tab. The library names the line in
// which the text before it begins.
func tabLine(data []byte, otherwise int) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.ContainsRune(indent, '\t') {
			return i + 1
		}
	}
	return otherwise
}

// firstLineWith is the line that makes an error of indentation. The library names the one in which
// the list or the keys around it begin; what ends before the mistake does not have it.
func firstLineWith(data []byte, mistake error, otherwise int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	wrong := sort.Search(len(lines), func(i int) bool {
		var n yaml.Node
		err := yaml.Unmarshal(bytes.Join(lines[:i+1], nil), &n)
		return err != nil && err.Error() == mistake.Error()
	})
	if wrong == len(lines) {
		return otherwise // in a second document
	}
	return wrong + 1
}
