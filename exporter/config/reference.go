package config

import (
	"fmt"
	"strings"
)

// sectionDoc is what the reference prints of a section.
type sectionDoc struct {
	title, about string
	rows         []keyDoc
	below        []sectionDoc
}

// keyDoc is what the reference prints of a key.
type keyDoc struct {
	name, word, fallback, help string
	must, refused              bool
}

func (s *section[T]) doc() sectionDoc {
	out := sectionDoc{title: s.title, about: s.about}
	for _, k := range s.keys {
		out.rows = append(out.rows, keyDoc{k.name, k.word, k.fallback, k.help, k.missing != "", k.refused})
		out.below = append(out.below, k.below...)
	}
	return out
}

const referenceHead = `# The configuration file

` + "`llmfleet_exporter --config.file=llmfleet.yml`" + ` reads one YAML file. Working examples are in [examples](../examples).

- ` + "`--config.check`" + ` reads the file, prints every mistake with its line and what to write instead, and exits.
- A key that is not listed here is a mistake, and so is a key that stands twice.
- Durations are written like 10s or 1m30s, sizes like 32MiB. A list of one single value may be written without the dash.
- Secrets stand in files of their own, never here. Their names are relative to the configuration file, and they must be there when it is read.
- A value can be used again: mark it with &name and write *name. Merging with << is not read.
- SIGHUP or POST /-/reload reads the file again. A file with mistakes changes nothing: the one before it stays in force; neither does an empty one, where there were backends. The answer and the log say how many there were and are.

`

const referenceTail = `## Paths that are never asked

An own mapping may only name paths that are harmless to ask. Refused are, whatever the program:

%s
- every path with /upstream in it (starts models behind llama-swap and keeps them);
- reload=… (makes a llama.cpp router read its models again);
- model=… without autoload=false, without {model}, or without a condition that the model is loaded;
- /slots without a condition that the model is awake;
- probe: always for /health, /metrics and /slots, which do harm on some programs.

Of one kind of program, which a mapping shows by its name or its like:

%s
Only GET is ever sent.
`

// Reference returns docs/configuration.md, made of the tables that decode the file.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(referenceHead)
	seen := make(map[string]bool)
	writeSection(&b, file.doc(), seen)
	var any, some strings.Builder
	for _, h := range harmful {
		fmt.Fprintf(&any, "- /%s (%s);\n", h.word, h.does)
	}
	for _, h := range harmfulOf {
		fmt.Fprintf(&some, "- %s: %s (%s); write %s.\n", h.program, h.path, h.does, h.instead)
	}
	fmt.Fprintf(&b, referenceTail, strings.TrimSuffix(any.String(), "\n"), some.String())
	return []byte(b.String())
}

// writeSection writes a section and then the ones below it, each once.
func writeSection(b *strings.Builder, s sectionDoc, seen map[string]bool) {
	if seen[s.title] {
		return
	}
	seen[s.title] = true
	fmt.Fprintf(b, "## %s\n\n%s\n\n| key | value | if left out | meaning |\n| --- | --- | --- | --- |\n", s.title, s.about)
	var refused []keyDoc
	for _, r := range s.rows {
		if r.refused {
			refused = append(refused, r)
			continue
		}
		fallback := r.fallback
		if r.must {
			fallback = "**must be there**"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", r.name, cell(r.word), cell(fallback), cell(r.help))
	}
	b.WriteString("\n")
	for _, r := range refused {
		_, instead, _ := strings.Cut(r.help, "; ")
		fmt.Fprintf(b, "`%s` is refused: %s.\n\n", r.name, instead)
	}
	for _, sub := range s.below {
		writeSection(b, sub, seen)
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
