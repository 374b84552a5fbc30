package config

import (
	"reflect"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// Own mappings are the same values as the built-in engines, written in YAML.

// mapping is an element of engines: an engine and what only the file knows of.
type mapping struct {
	engine.Engine
	like     string            // the engine that it extends
	rename   map[string]string // beginnings of its metric names, old to new
	drop     []*catalog.Series // what the fork does not have, or means otherwise
	replicas *replicas         // the short form of a router
}

// maxEngines bounds what mappings that extend each other can add up to.
const maxEngines = 100

// engines is the kind of the list of own mappings. Each may extend one above it.
var engines = kind[[]*engine.Engine]{
	word: "list of keys", below: []sectionDoc{mappings.doc()},
	read: func(d *decoder, n *yaml.Node, at path) ([]*engine.Engine, bool) {
		if c := d.Open(n, at); c != nil && len(c.Content) > maxEngines && c.Kind == yaml.SequenceNode {
			d.Fail(at, "", "has more than %d elements; a program needs one, not one for each backend", maxEngines)
			return nil, false
		}
		_, ok := list(mappings.kind(), nil).read(d, n, at)
		return d.own, ok
	},
	show: func(all []*engine.Engine) *yaml.Node {
		out := make([]mapping, len(all))
		for i, e := range all {
			out[i] = mapping{Engine: *e}
		}
		return list(mappings.kind(), nil).show(out)
	},
}

var mappings = &section[mapping]{
	title: "engines",
	about: "One element for each program that llmfleet does not know. The built-in engines are written in the same form.",
	wants: "the keys of an engine (name, endpoints, map, …)",
	keys: []key[mapping]{
		field("name", text("name", checkEngineName), func(m *mapping) *string { return &m.Name },
			"Value of the label engine (or router). A backend names it in its key engine.").
			must("give it one, like name: my_engine"),
		field("title", anyText, func(m *mapping) *string { return &m.Title }, "Name for pages.").or("the name"),
		field("like", anyText, func(m *mapping) *string { return &m.like },
			"Engine that this one was forked from: all its keys hold here too. Endpoints of the same path are replaced, mappings of this one come first. Its signs (detect) are not taken over unless rename changes them."),
		field("rename", mapOf("beginnings", anyText, nil), func(m *mapping) *map[string]string { return &m.rename },
			"With like: how metric names begin there and how they begin here, like \"vllm:\": \"ours:\"."),
		field("drop", list(series, nil), func(m *mapping) *[]*catalog.Series { return &m.drop },
			"With like: series that the fork does not have, or by which it means something else."),
		field("replicas", pointer(replicaList.kind()), func(m *mapping) **replicas { return &m.replicas },
			"Short form of a router that tells the state of its replicas as JSON."),
		field("router", flag, func(m *mapping) *bool { return &m.Router },
			"It passes requests on: its name is the label router then.").or("false"),
		field("no_numbers", flag, func(m *mapping) *bool { return &m.NoNumbers },
			"It exports no numbers, and that is no failure.").or("false"),
		field("generic", flag, func(m *mapping) *bool { return &m.Generic },
			"Many programs show its signs: whoever shows no others is taken for it.").or("false"),
		field("detect", list(evidence.kind(), nil), func(m *mapping) *[]engine.Evidence { return &m.Detect },
			"Signs that recognise it; any one is enough. Without, it is used only where a backend names it."),
		field("endpoints", list(endpoint.kind(), nil), func(m *mapping) *[]engine.Endpoint { return &m.Endpoints },
			"The only paths that are asked, in this order."),
		field("map", list(sampleMapping.kind(), nil), func(m *mapping) *[]engine.Mapping { return &m.Map },
			"How samples of its exposition become series. Of several to one series the first whose sample is there wins."),
		field("json", list(jsonMapping.kind(), nil), func(m *mapping) *[]engine.JSONMapping { return &m.JSON },
			"How values of its JSON answers become series."),
		field("derive", list(derivation.kind(), nil), func(m *mapping) *[]engine.Derivation { return &m.Derive },
			"Series computed from series, where they are not there already."),
		field("weigh", list(weighing.kind(), nil), func(m *mapping) *[]engine.Weighing { return &m.Weigh },
			"What is so of each worker, where several signs must be seen together."),
		field("workers", anyText, func(m *mapping) *string { return &m.Workers },
			"Endpoint whose answer lists all workers: where it lists none, there is none."),
		field("prefixes", list(anyText, nil), func(m *mapping) *[]string { return &m.Prefixes },
			"How its own metric names begin: one without a mapping is counted in llm_scrape_unmapped_series."),
		field("ignore", list(anyText, nil), func(m *mapping) *[]string { return &m.Ignore },
			"Own names that are left out on purpose; a * at the end stands for any ending."),
		field("hints", list(hint.kind(), nil), func(m *mapping) *[]engine.Hint { return &m.Hints },
			"Which setting of the program turns a series on."),
		field("loading", anyText, func(m *mapping) *string { return &m.Loading },
			"Text by which a 503 says that the model is still being loaded."),
		field("alone", anyText, func(m *mapping) *string { return &m.Alone },
			"Text by which a 503 says that a proxy has nobody to pass the question on to."),
		field("empty_at_first", flag, func(m *mapping) *bool { return &m.EmptyAtFirst },
			"A page without a line is that of a server that has had no request yet.").or("false"),
	},
	check: finishMapping,
}

var evidence = &section[engine.Evidence]{
	title: "engines[].detect",
	about: "One sign. All that is written must hold.",
	wants: "the keys of a sign (sample, path, field, …)",
	keys: []key[engine.Evidence]{
		field("sample", anyText, func(e *engine.Evidence) *string { return &e.Sample }, "A sample of this name is on the page; a * at the end stands for any ending."),
		field("without", anyText, func(e *engine.Evidence) *string { return &e.Without }, "No sample of this name is."),
		field("path", anyText, func(e *engine.Evidence) *string { return &e.Path }, "The path whose answer the keys below speak of."),
		field("field", jsonPath, func(e *engine.Evidence) *string { return &e.Field }, "The answer has this JSON field."),
		field("equals", anyText, func(e *engine.Evidence) *string { return &e.Equals }, "The field has this value; a * at the end stands for any ending."),
		field("body", anyText, func(e *engine.Evidence) *string { return &e.Body }, "The answer contains this text."),
		field("server", anyText, func(e *engine.Evidence) *string { return &e.Server }, "The header Server begins with this."),
		field("content_type", anyText, func(e *engine.Evidence) *string { return &e.Type }, "The content type begins with this."),
	},
	check: checkEvidence,
}

var endpoint = &section[engine.Endpoint]{
	title: "engines[].endpoints",
	about: "One path that may be asked, always with GET. Paths that are known to load, wake, generate, drain or reset are refused.",
	wants: "the keys of an endpoint (path, format, role, …)",
	keys: []key[engine.Endpoint]{
		field("path", text("path", checkEndpointPath), func(e *engine.Endpoint) *string { return &e.Path },
			"The path, with {model} where each fans out.").must("write path: and the path, like path: /metrics"),
		field("format", formats, func(e *engine.Endpoint) *engine.Format { return &e.Format },
			"How the answer is read: a JSON document, Prometheus text, or only its status.").
			must("write format: json, exposition or status").
			always(func(e *engine.Endpoint) *yaml.Node { return formats.show(e.Format) }),
		field("role", roles, func(e *engine.Endpoint) *engine.Role { return &e.Role },
			"What it is good for: does it answer (health), versions and models (info), or the numbers, be they JSON.").
			or("status: health, json: info, exposition: numbers").
			always(func(e *engine.Endpoint) *yaml.Node { return roles.show(e.Role) }),
		field("port", ports, func(e *engine.Endpoint) *engine.Port { return &e.Port },
			"Which address is asked: url (service) or metrics_url (metrics).").or("service"),
		field("probe", probes, func(e *engine.Endpoint) *engine.Probe { return &e.Probe },
			"Whether the path may be asked of a program that is not recognised yet. Whoever writes always vouches for every program that might listen.").or("never"),
		field("every", duration(0, 24*time.Hour), func(e *engine.Endpoint) *time.Duration { return &e.Every },
			"How old an answer may be before the path is asked again.").or("each scrape"),
		field("fixed", list(jsonPath, nil), func(e *engine.Endpoint) *[]string { return &e.Fixed },
			"Fields of its JSON answer that stay as long as the program runs: another value means that it was started again, and what was read of it earlier is read again."),
		field("unless", list(condition.kind(), nil), func(e *engine.Endpoint) *[]engine.Condition { return &e.Unless },
			"When asking would do harm, by answers already read in this scrape: all conditions hold."),
		field("each", pointer(each.kind()), func(e *engine.Endpoint) **engine.Each { return &e.Each },
			"Asks the path once for each element of a JSON list."),
		field("optional", flag, func(e *engine.Endpoint) *bool { return &e.Optional }, "It may be missing (404).").or("false"),
		field("unfit", list(condition.kind(), nil), func(e *engine.Endpoint) *[]engine.Condition { return &e.Unfit },
			"When a good answer of a health endpoint says all the same that nothing can be served: all conditions hold."),
		field("pattern", text("pattern", checkPattern), func(e *engine.Endpoint) *string { return &e.Pattern },
			"Regular expression for numbers in another form than Prometheus text: each named group becomes a sample of that name."),
	},
	check: checkEndpoint,
}

var (
	formats = words(word[engine.Format]{"json", engine.JSON}, word[engine.Format]{"exposition", engine.Exposition}, word[engine.Format]{"status", engine.Status})
	roles   = words(word[engine.Role]{"numbers", engine.Numbers}, word[engine.Role]{"health", engine.Health}, word[engine.Role]{"info", engine.Info})
	ports   = words(word[engine.Port]{"service", engine.Service}, word[engine.Port]{"metrics", engine.MetricsPort})
	probes  = words(word[engine.Probe]{"never", engine.Never}, word[engine.Probe]{"always", engine.Always}, word[engine.Probe]{"not_for_models", engine.NotForModels},
		word[engine.Probe]{"for_models", engine.ForModels})
	aggs = words(word[engine.Aggregation]{"by_meaning", engine.ByMeaning}, word[engine.Aggregation]{"sum", engine.Sum},
		word[engine.Aggregation]{"max", engine.Max}, word[engine.Aggregation]{"newest", engine.Newest})
	ops = words(word[engine.Op]{"add", engine.Add}, word[engine.Op]{"subtract", engine.Subtract}, word[engine.Op]{"multiply", engine.Multiply},
		word[engine.Op]{"sum_of", engine.SumOf}, word[engine.Op]{"count_of", engine.CountOf})
)

var each = &section[engine.Each]{
	title: "engines[].endpoints[].each",
	about: "Asks a path once for each element of a list, as for the models of a router.",
	wants: "the keys of each (path, array, key, when)",
	keys: []key[engine.Each]{
		field("path", anyText, func(e *engine.Each) *string { return &e.Path }, "Endpoint whose answer holds the list.").
			must("write path: and the endpoint whose answer holds the list"),
		field("array", jsonPath, func(e *engine.Each) *string { return &e.Array }, "JSON path of the list.").or("the document is the list"),
		field("key", jsonPath, func(e *engine.Each) *string { return &e.Key }, "JSON path, in an element, of what stands for {model}.").
			must("write key: and the field that stands for {model}"),
		field("when", list(condition.kind(), nil), func(e *engine.Each) *[]engine.Condition { return &e.When }, "Which elements are asked: all conditions hold."),
	},
}

var condition = &section[engine.Condition]{
	title: "Conditions",
	about: "Compares a JSON field, as text, with words or with a version. Used by when and unless.",
	wants: "the keys of a condition (field, in)",
	keys: []key[engine.Condition]{
		field("path", anyText, func(c *engine.Condition) *string { return &c.Path }, "Endpoint whose answer is looked at; only in unless."),
		field("field", jsonPath, func(c *engine.Condition) *string { return &c.Field }, "JSON path of the field; one that is not there is the empty text.").
			must("write field: and the JSON path"),
		field("in", list(emptyOrText, nil), func(c *engine.Condition) *[]string { return &c.In }, "It holds if the text is one of these."),
		field("below", anyText, func(c *engine.Condition) *string { return &c.Below }, "It holds if the text is a version below this one, or none that can be relied on."),
	},
	check: checkCondition,
}

var sampleMapping = &section[engine.Mapping]{
	title: "engines[].map",
	about: "One sample name and the series that it becomes.",
	wants: "the keys of a mapping (from, to, labels, …)",
	keys: []key[engine.Mapping]{
		field("from", text("sample", checkSampleName), func(m *engine.Mapping) *string { return &m.From },
			"Sample name; for a histogram without _bucket, _sum, _count.").must("write from: and the sample's name"),
		field("to", series, func(m *engine.Mapping) **catalog.Series { return &m.To }, "Series of the catalog (docs/series.md).").
			must("write to: and a series of docs/series.md"),
		field("labels", labelSources, func(m *engine.Mapping) *[]engine.LabelFrom { return &m.Labels },
			"Labels of the series, each with the sample's label that it is taken from: model: model_name."),
		field("where", matches, func(m *engine.Mapping) *[]engine.Match { return &m.Where }, "Keeps samples whose label has one of these values: source: [local]."),
		field("except", matches, func(m *engine.Mapping) *[]engine.Match { return &m.Except }, "Leaves out samples whose label has one of these values."),
		field("scale", number(notZero), func(m *engine.Mapping) *float64 { return &m.Scale }, "The value is multiplied by it: 0.001 for milliseconds.").or("1"),
		field("value", anyText, func(m *engine.Mapping) *string { return &m.Value },
			"Label that holds the number instead of the sample's value; labels joined by * are multiplied."),
		field("names", flag, func(m *engine.Mapping) *bool { return &m.Names }, "Count the names in the comma list of the label value instead.").or("false"),
		field("agg", aggs, func(m *engine.Mapping) *engine.Aggregation { return &m.Agg },
			"How samples become one that differ only in labels not kept. By meaning: counters, histograms and queues add up, levels take the largest.").or("by_meaning"),
		field("plus", flag, func(m *engine.Mapping) *bool { return &m.Plus },
			"Add the value to that of the mapping above, of the same series, instead of standing in for it.").or("false"),
		field("fallback", flag, func(m *engine.Mapping) *bool { return &m.Fallback },
			"Use it only where the mappings above give nothing of the series, whatever its labels.").or("false"),
		field("not_before", anyText, func(m *engine.Mapping) *string { return &m.NotBefore },
			"Version since which the name means this. In older ones, and where the version is not known, it is not read."),
		field("since", anyText, func(m *engine.Mapping) *string { return &m.Since }, "First version that sends the name. It is read in older ones too."),
		field("until", anyText, func(m *engine.Mapping) *string { return &m.Until }, "First version that does not send it any more."),
		field("optional", flag, func(m *engine.Mapping) *bool { return &m.Optional }, "Its absence is no sign of a rename.").or("false"),
		field("with", anyText, func(m *engine.Mapping) *string { return &m.With },
			"Another mapped sample that appears together with this one, at the first request, say: without that one, this one is not missed."),
		field("not_zero", flag, func(m *engine.Mapping) *bool { return &m.NotZero }, "0 stands for \"there is none\": it makes no value.").or("false"),
		field("not_negative", flag, func(m *engine.Mapping) *bool { return &m.NotNegative },
			"A value below 0 stands for \"there is none\", as of a worker that was removed: it makes no value, and is no damage.").or("false"),
	},
	check: checkSampleMapping,
}

var jsonMapping = &section[engine.JSONMapping]{
	title: "engines[].json",
	about: "One value of a JSON answer and the series that it becomes. In JSON paths names and places are joined by dots, like data.0.id; @key is the element's name or place in each, @value the element itself, and a path that begins with $. starts at the document.",
	wants: "the keys of a mapping (path, to, value, labels, …)",
	keys: []key[engine.JSONMapping]{
		field("path", anyText, func(m *engine.JSONMapping) *string { return &m.Path }, "Endpoint whose answer holds the value.").
			must("write path: and the endpoint whose answer holds the value"),
		field("each", jsonPath, func(m *engine.JSONMapping) *string { return &m.Each }, "JSON path of a list (or object) whose elements are mapped one by one; a.*.b is all lists b in the list a.").or("the document"),
		field("when", list(condition.kind(), nil), func(m *engine.JSONMapping) *[]engine.Condition { return &m.When }, "Which elements are mapped: all conditions hold."),
		field("to", series, func(m *engine.JSONMapping) **catalog.Series { return &m.To }, "Series of the catalog (docs/series.md).").
			must("write to: and a series of docs/series.md"),
		field("value", jsonPath, func(m *engine.JSONMapping) *string { return &m.Value }, "JSON path, in the element, of a number, a truth value or a word.").or("the value is 1"),
		field("words", mapOf("words with numbers", number(nil), nil), func(m *engine.JSONMapping) *map[string]float64 { return &m.Words },
			"What words mean as numbers: up: 1. A word that is not here is dropped and counted."),
		field("states", mapOf("words with states", anyText, nil), func(m *engine.JSONMapping) *map[string]string { return &m.States },
			"For a set of states: what words mean as states."),
		field("scale", number(notZero), func(m *engine.JSONMapping) *float64 { return &m.Scale }, "The value is multiplied by it.").or("1"),
		field("labels", labelSources, func(m *engine.JSONMapping) *[]engine.LabelFrom { return &m.Labels },
			"Labels of the series, each with the JSON path, in the element, that it is taken from: target: url."),
		field("agg", aggs, func(m *engine.JSONMapping) *engine.Aggregation { return &m.Agg }, "How elements become one value that differ in no label.").or("by_meaning"),
		field("since", anyText, func(m *engine.JSONMapping) *string { return &m.Since }, "First version that sends the value."),
		field("until", anyText, func(m *engine.JSONMapping) *string { return &m.Until }, "First version that does not send it any more."),
		field("optional", flag, func(m *engine.JSONMapping) *bool { return &m.Optional }, "Its absence is no sign of a rename.").or("false"),
	},
	check: checkJSONMapping,
}

var derivation = &section[engine.Derivation]{
	title: "engines[].derive",
	about: "One series computed from series of the same backend, engine, model and rank.",
	wants: "the keys of a derivation (to, op, from)",
	keys: []key[engine.Derivation]{
		field("to", series, func(v *engine.Derivation) **catalog.Series { return &v.To }, "The series that is computed.").must("write to: and a series of docs/series.md"),
		field("op", ops, func(v *engine.Derivation) *engine.Op { return &v.Op }, "What is done with the operands; sum_of and count_of take the one of a histogram.").
			must("write op: add, subtract, multiply, sum_of or count_of").
			always(func(v *engine.Derivation) *yaml.Node { return ops.show(v.Op) }),
		field("from", list(series, nil), func(v *engine.Derivation) *[]*catalog.Series { return &v.From }, "The operands; all must be there.").must("write from: and the series to compute with"),
		field("rename", mapOf("labels with labels", anyText, nil), func(v *engine.Derivation) *map[string]string { return &v.Rename },
			"Labels of the series that the first operand has under another name: target: model."),
	},
	check: checkDerivation,
}

var hint = &section[engine.Hint]{
	title: "engines[].hints",
	about: "One sentence for a person who misses a series, or takes it for another.",
	wants: "the keys of a hint (series, text, counts)",
	keys: []key[engine.Hint]{
		field("series", series, func(h *engine.Hint) **catalog.Series { return &h.Series }, "The series.").or("all numbers"),
		field("text", anyText, func(h *engine.Hint) *string { return &h.Text }, "What to do: start it with --metrics.").must("write text: and what to do"),
		field("counts", flag, func(h *engine.Hint) *bool { return &h.Counts }, "The text says what the series counts where it is there.").or("false"),
	},
}

// labelSource is what stands behind a label of a series.
var labelSource = &section[engine.LabelFrom]{
	title: "Labels of a mapping",
	about: "Behind each label of the series stands where it is taken from, or these keys.",
	wants: "the keys of a label (from, const, words) or the name of a label or field",
	keys: []key[engine.LabelFrom]{
		field("from", text("text", checkSource), func(l *engine.LabelFrom) *string { return &l.From }, "Label of the sample, or JSON path in the element."),
		field("const", anyText, func(l *engine.LabelFrom) *string { return &l.Const }, "This text instead."),
		field("words", mapOf("words with words", wordOrNone, nil), func(l *engine.LabelFrom) *map[string]string { return &l.Words },
			"Values translated; \"\" stands for every other value, and a translation to \"\" takes the label away."),
		field("else", anyText, func(l *engine.LabelFrom) *string { return &l.Else }, "Another label or field, where that of from is empty or not there."),
		field("and", anyText, func(l *engine.LabelFrom) *string { return &l.And }, "A second one, whose value is put behind that of from."),
		field("joint", anyText, func(l *engine.LabelFrom) *string { return &l.Joint }, "What stands between the two.").or("/"),
		field("cut", anyText, func(l *engine.LabelFrom) *string { return &l.Cut }, "Only what stands before this text is kept: an address without its path, say."),
	},
	check: func(d *decoder, at path, l *engine.LabelFrom) {
		if (l.From == "") == (l.Const == "") && d.Clean(at) {
			d.Fail(at, "", "wants from: or const:, and only one of them")
		}
	},
}

// labelSources is the kind of the labels of a mapping, in the order of the file.
var labelSources = kind[[]engine.LabelFrom]{
	word: "labels", below: []sectionDoc{labelSource.doc()},
	read: func(d *decoder, n *yaml.Node, at path) ([]engine.LabelFrom, bool) {
		n = d.Open(n, at)
		if n == nil {
			return nil, false
		}
		var out []engine.LabelFrom
		for _, e := range d.Entries(n, at, "labels of the series") {
			place := at.Key(document.Shortened(e.Name))
			var l engine.LabelFrom
			if v := d.Open(e.Value, place); v != nil && v.Kind == yaml.ScalarNode {
				l.From, _ = text("text", checkSource).read(d, v, place)
			} else {
				l, _ = labelSource.read(d, e.Value, place)
			}
			l.To = e.Name
			out = append(out, l)
		}
		return out, n.Kind == yaml.MappingNode
	},
	show: func(all []engine.LabelFrom) *yaml.Node {
		out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, l := range all {
			v := labelSource.show(l)
			if plain := (engine.LabelFrom{To: l.To, From: l.From, Words: l.Words}); len(l.Words) == 0 && reflect.DeepEqual(l, plain) {
				v = textNode(l.From)
			}
			out.Content = append(out.Content, textNode(l.To), v)
		}
		return out
	},
}

// matches is the kind of where: labels with the values to keep.
var matches = kind[[]engine.Match]{
	word: "labels with values",
	read: func(d *decoder, n *yaml.Node, at path) ([]engine.Match, bool) {
		m, ok := mapOf("labels with values", list(emptyOrText, nil), nil).read(d, n, at)
		var out []engine.Match
		for _, label := range sortedKeys(m) {
			out = append(out, engine.Match{Label: label, In: m[label]})
		}
		return out, ok
	},
	show: func(all []engine.Match) *yaml.Node {
		m := make(map[string][]string)
		for _, w := range all {
			m[w.Label] = w.In
		}
		return mapOf("", list(emptyOrText, nil), nil).show(m)
	},
}

// emptyOrText is the kind of a text to compare with, which may be the empty one.
var emptyOrText = parsed("text", func(s string) (string, string) {
	if len(s) > document.MostText {
		return "", "is longer than a word to compare with can be"
	}
	return s, ""
}, textNode)
