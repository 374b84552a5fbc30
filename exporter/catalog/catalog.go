// Package catalog is the vocabulary: one value for every series that llmfleet may emit.
//
// The exporter can emit nothing that is not here, rules and dashboards can name nothing
// that is not here, and docs/series.md is printed from it. Adding a series is adding one
// value to the file of its concern.
package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kind is the Prometheus type of a series.
type Kind uint8

// The kinds. Info and StateSet are gauges to Prometheus; what they promise differs.
const (
	Gauge     Kind = iota // a level
	Counter               // only grows, until the server restarts
	Histogram             // classic buckets, bounds as the engine sent them
	Info                  // always 1; the labels are the message
	StateSet              // one series per state, 1 for the one that holds, 0 for the others
)

// String names the kind as docs print it.
func (k Kind) String() string {
	return [...]string{"gauge", "counter", "histogram", "info", "stateset"}[k]
}

// Unit is what a value counts. It decides the suffix of the name, the unit of a panel,
// and which values may be added or compared.
type Unit string

// The units. Base units only: seconds, bytes, ratios from 0 to 1.
const (
	None      Unit = ""
	Seconds   Unit = "seconds"
	Timestamp Unit = "timestamp_seconds" // Unix time
	Bytes     Unit = "bytes"
	Ratio     Unit = "ratio" // 0 to 1
	Tokens    Unit = "tokens"
	Requests  Unit = "requests"
	Boolean   Unit = "boolean" // 1 or 0
	Count     Unit = "count"   // things of the kind that the name says

	BytesPerSecond     Unit = "bytes/s" // as the rate of bytes
	TransfersPerSecond Unit = "transfers/s"
	Lanes              Unit = "lanes"
	Celsius            Unit = "celsius"
	Watts              Unit = "watts"
	Joules             Unit = "joules"
	Hertz              Unit = "hertz"
)

// Origin says where a value comes from when it is not a number that the server exports.
type Origin uint8

// The origins. An engine may differ from its series' usual origin; its mapping says so.
const (
	Native     Origin = iota // a sample of the server's exposition, unmodified
	Computed                 // arithmetic on native numbers
	JSON                     // read from a JSON endpoint
	Configured               // from the exporter's configuration file
	Observed                 // what the exporter saw while it asked
	Host                     // read from the machine: sysfs, procfs, a vendor's tool
)

// String names the origin as docs print it.
func (o Origin) String() string {
	return [...]string{"native", "computed", "json", "configured", "observed", "host"}[o]
}

// Label names. They are the only ones that the exporter writes.
const (
	LabelBackend    = "backend"   // name of the target in the configuration
	LabelEngine     = "engine"    // kind of model server: vllm, llamacpp, …
	LabelModel      = "model"     // served name of the model
	LabelRank       = "rank"      // data-parallel rank; only where an engine has several
	LabelRouter     = "router"    // kind of router: vllm_router, llamacpp_router, …
	LabelTarget     = "target"    // the worker as the router names it: URL without credentials, or id
	LabelWorker     = "worker"    // the backend of this configuration that a router's target is
	LabelReason     = "reason"    // member of a closed set
	LabelState      = "state"     // member of a closed set
	LabelPosition   = "position"  // place of a drafted token, from 0
	LabelOutcome    = "outcome"   // success, failure
	LabelFallback   = "fallback"  // model that was asked in place of the one that was wanted
	LabelVersion    = "version"   // as the server writes it
	LabelSeries     = "series"    // name of a series of this catalog
	LabelURL        = "url"       // address without credentials and query
	LabelObjective  = "objective" // member of Objectives
	LabelBound      = "bound"     // seconds, as people write them: 7.5
	LabelLE         = "le"        // upper bound of a bucket
	LabelQuantized  = "quantization"
	LabelConfigHash = "config_hash"

	LabelGPU          = "gpu"         // PCI address of a GPU, as the kernel writes it: 0000:0b:00.0
	LabelName         = "name"        // what people call it: from the configuration, the tool, or its ids
	LabelVendor       = "vendor"      // amd, nvidia, intel
	LabelDeviceID     = "device_id"   // vendor and device id: 1002:7551
	LabelDriver       = "driver"      // kernel driver that is bound
	LabelCard         = "card"        // card0, … of the kernel's graphics drivers
	LabelRenderNode   = "render_node" // renderD128, …
	LabelUUID         = "uuid"
	LabelArchitecture = "architecture" // gfx1201, …
	LabelDevice       = "device"       // PCI address of any device of a GPU's chain
	LabelHop          = "hop"          // place in the chain: 0 is the GPU
	LabelRole         = "role"         // member of a closed set
	LabelPlace        = "place"        // member of a closed set
	LabelDownstream   = "downstream"   // PCI address of the lower end of a link
	LabelSeverity     = "aer_severity" // correctable, nonfatal, fatal; severity is the alerts' own
	LabelError        = "error"        // as the kernel names it
	LabelBits         = "bits"         // 32, 64, 128
	LabelSource       = "source"       // member of a closed set
	LabelPeer         = "peer"         // PCI address of another GPU
	LabelPool         = "pool"         // vram, gtt, host
	LabelProcess      = "process"      // name of a program, never its command line
	LabelSensor       = "sensor"       // edge, junction, mem, …
	LabelClock        = "clock"        // graphics, memory
	LabelXID          = "xid"          // number of an error of NVIDIA's driver
	LabelKind         = "kind"         // member of a closed set
	LabelPID          = "pid"          // of a process, as the exporter's host counts them
)

// Label sets shared by many series.
var (
	Health = []string{LabelBackend}                                     // does not change when a server dies
	Data   = []string{LabelBackend, LabelEngine, LabelModel, LabelRank} // numbers of a model
	Worker = []string{LabelBackend, LabelRouter, LabelTarget}           // a router's view of one worker
	Router = []string{LabelBackend, LabelRouter}                        // a router as a whole
	GPU    = []string{LabelGPU}                                         // a card; does not change when it is lost
	Device = []string{LabelDevice}                                      // a hop: chains of several GPUs may share it
)

// Series is one uniform series.
type Series struct {
	Name     string
	Kind     Kind
	Unit     Unit
	Labels   []string // without le; rank, model and version are left out of a sample when unknown
	Help     string   // one sentence: meaning and what absence means
	Origin   Origin   // the usual one
	Headline bool     // a panel stands on it: llm_series_supported says whether the engine has it
	Setting  string   // key of a backend in the configuration without which there is none: expect.models
}

// AbsentWhen is what the help says of absence that is no failure: "absent while it is empty".
// "" where it says nothing of the kind.
func (s *Series) AbsentWhen() string { return absences[s] }

// absences are worked out once: a check asks for each backend.
var absences = map[*Series]string{}

// absence is a clause of a help.
var absence = regexp.MustCompile(`\b[Aa]bsent ((?:as|for|if|in|on|until|when|where|while|without)\b[^.;]*)`)

func absentWhen(help string) string {
	m := absence.FindStringSubmatch(help)
	if m == nil {
		return ""
	}
	return "absent " + m[1]
}

// With returns the labels of a set and some more.
func With(set []string, more ...string) []string {
	return append(slices.Clone(set), more...)
}

var all []*Series

// declare adds a series to the catalog. It panics on a malformed value: that is a mistake
// in this package, found by the first test that loads it.
func declare(s Series) *Series {
	if err := s.check(); err != nil {
		panic(err)
	}
	if ByName(s.Name) != nil {
		panic(fmt.Errorf("catalog: %s is declared twice", s.Name))
	}
	absences[&s] = absentWhen(s.Help)
	all = append(all, &s)
	return &s
}

// All returns the series that the exporter may emit, in the order of declaration.
func All() []*Series { return slices.Clone(all) }

// ByName finds a series; nil if the catalog has none of that name.
func ByName(name string) *Series {
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// check enforces the conventions of the vocabulary.
func (s Series) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("catalog: %s: "+format, append([]any{s.Name}, args...)...)
	}
	own := strings.HasPrefix(s.Name, "llm_") || strings.HasPrefix(s.Name, "llmfleet_exporter_")
	switch {
	case !own:
		return bad("name must begin with llm_ (or llmfleet_exporter_ for the exporter itself)")
	case (s.Kind == Counter) != strings.HasSuffix(s.Name, "_total"):
		return bad("a counter, and only a counter, ends in _total")
	case (s.Kind == Info) != strings.HasSuffix(s.Name, "_info"):
		return bad("an info, and only an info, ends in _info")
	case s.Unit == Ratio && !strings.HasSuffix(s.Name, "_ratio"):
		return bad("unit ratio wants the suffix _ratio")
	case s.Help == "" || !strings.HasSuffix(s.Help, "."):
		return bad("help must be a sentence")
	}
	stem := strings.TrimSuffix(s.Name, "_total")
	for _, u := range []Unit{Seconds, Bytes, Timestamp} {
		if s.Unit == u && !strings.HasSuffix(stem, "_"+string(u)) {
			return bad("unit %s wants the suffix _%s", u, u)
		}
	}
	for _, l := range s.Labels {
		switch l {
		case "instance", "job", "pod", "namespace", "container", "cluster":
			return bad("label %s belongs to Prometheus", l)
		}
	}
	return nil
}
