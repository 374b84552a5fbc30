// Package engine turns the answers of model servers and routers into series of the catalog.
//
// Each program is one file with one Engine value: how it is recognised, which paths may be
// asked, how its numbers map. A mapping in the configuration file is the same value written
// in YAML. What a server did not send stays absent, never zero; what would wake, load or
// otherwise change a server is never asked.
package engine

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Engine describes one program (or one variant of it): a model server or a router.
type Engine struct {
	// Name is the value of the label engine (or router): lower case, stable for ever.
	Name string
	// Title is the name as its makers write it, for pages and docs.
	Title string
	// Router says that the program passes requests on: Name then fills the label router.
	Router bool
	// NoNumbers says that the program exports no numbers at all: llm_up is absent then.
	NoNumbers bool
	// Generic says that many programs show its signs: what is known of it holds for all of them.
	Generic bool
	// Detect is the evidence that recognises the program; any one is enough. Engines are
	// tried in the order of the registry, the more special before the more general.
	Detect []Evidence
	// Endpoints are the only paths that are ever asked, in this order.
	Endpoints []Endpoint
	// Map is how samples of the exposition become series. Of several mappings that give the
	// same series with the same labels the first wins, so renamed names count once. A name
	// with colons is also found where a proxy has turned them into underscores.
	Map []Mapping
	// JSON is how values of JSON answers become series; the exposition wins over it.
	JSON []JSONMapping
	// Derive computes series from series, in order, where the target is not there already.
	Derive []Derivation
	// Weigh says what is so of each worker where several signs must be seen together.
	Weigh []Weighing
	// Workers is an endpoint whose answer lists all workers: where it lists none, there is none.
	Workers string
	// Prefixes are the beginnings of the program's own metric names: a family with such a
	// prefix that no mapping knows is counted as unmapped, unless Ignore lists it.
	Prefixes []string
	// Ignore lists own names that are left out on purpose (gauges that reset when read,
	// constants, names kept for old dashboards).
	Ignore []string
	// Hints says which flag or setting of the program turns a series on.
	Hints []Hint
	// Loading is a text by which a 503 says that the model is still being loaded.
	Loading string
	// Alone is a text by which a 503 says that a proxy has nobody to pass the question on to: no
	// model server answered.
	Alone string
	// EmptyAtFirst says that a page without a line is that of a server that has had no request
	// yet, and no failure.
	EmptyAtFirst bool
}

// Evidence is a sign by which a program is recognised. The fields that are set must all hold.
type Evidence struct {
	Sample  string // a sample whose name is, or with a trailing * begins with, this
	Without string // and no sample of that name
	Path    string // the answer of this path …
	Field   string // … has this JSON field …
	Equals  string // … with this value (empty: any; a trailing * matches a beginning)
	Body    string // … or its body contains this text
	Server  string // the header Server begins with this
	Type    string // the content type begins with this
}

// Format says how an answer is read.
type Format uint8

// The formats.
const (
	Status     Format = iota // only the status code (and Evidence.Body) matters
	JSON                     // a JSON document
	Exposition               // Prometheus or OpenMetrics text
)

// Role says what an endpoint is good for.
type Role uint8

// The roles.
const (
	Info    Role = iota // version, models, settings
	Health              // does it answer, can it serve
	Numbers             // the exposition, or the JSON that stands for one
)

// Port says which of a target's two addresses is asked.
type Port uint8

// The ports. Some routers have their metrics on another port than their service.
const (
	Service Port = iota
	MetricsPort
)

// Probe says whether a path may be asked of a program that is not recognised yet.
type Probe uint8

// The probes. Whoever lists a path here vouches for every program that might listen.
const (
	Never        Probe = iota // the path generates, drains or is passed on elsewhere
	Always                    // harmless to everything: at worst a 404
	NotForModels              // harmless to programs without a list of models: only model servers have a /metrics that does harm
	ForModels                 // harmless to every program with a list of models; asked when the list does not tell whose it is
)

// Endpoint is one path that may be asked.
type Endpoint struct {
	Path   string // with {model} where Each fans out
	Format Format
	Role   Role
	Port   Port
	Probe  Probe
	// Every is how old an answer may be before the path is asked again. 0: every scrape.
	Every time.Duration
	// Fixed are fields of the JSON answer that stay as long as the process runs: another value
	// means that it was started again, with another model say.
	Fixed []string
	// Unless says when asking would do harm, on answers already read in this scrape: the
	// model sleeps, say. Harm is when all conditions hold.
	Unless []Condition
	// Each asks the path once for every element of a JSON array that meets its conditions.
	Each *Each
	// Optional endpoints may be missing (404) without being an error.
	Optional bool
	// Unfit says when a good answer tells all the same that the program cannot serve: all hold.
	Unfit []Condition
	// Pattern reads numbers that are in another form than an exposition: each named group of the
	// regular expression becomes a sample.
	Pattern string
}

// Each fans an endpoint out over the models of a router.
type Each struct {
	Path  string      // whose answer holds the array
	Array string      // JSON path of the array
	Key   string      // JSON path, within an element, of what replaces {model}
	When  []Condition // all must hold for the element to be asked
}

// Condition compares a JSON field, as text, with a set of values or with a version.
type Condition struct {
	Path  string   // endpoint whose answer is looked at; empty inside Each and JSONMapping: the element
	Field string   // one that is not there is the empty text
	In    []string // holds if the text is one of these
	Below string   // holds if the text is a version below this one, or no version that can be relied on
}

// Aggregation says how samples that differ only in labels we do not keep become one value.
type Aggregation uint8

// The aggregations. Default is by meaning: counters, histograms and queues add up, ratios
// and other levels of one thing take the maximum.
const (
	ByMeaning Aggregation = iota
	Sum
	Max
	Newest // the sample with the largest value wins and its labels are read (vLLM's lora_requests_info)
)

// Mapping turns samples of one name into a series.
type Mapping struct {
	From  string // sample name; for a histogram the name without _bucket, _sum, _count
	To    *catalog.Series
	Scale float64 // the value is multiplied by it; 0 means 1
	// Where keeps only samples whose label has one of the values.
	Where []Match
	// Except leaves out samples whose label has one of the values.
	Except []Match
	// Labels fills labels of To from labels of the sample. model, rank and target need to
	// be listed like any other.
	Labels []LabelFrom
	// Value reads the number from this label instead of the sample's value (vLLM's
	// cache_config_info). Several labels joined by * are multiplied; one that is not a
	// number makes no value.
	Value string
	// Names makes the value the count of the names in the comma list of the label Value.
	Names bool
	Agg   Aggregation
	// Since and Until bound the versions that are known to send the name; both are
	// versions of the program, Until is the first that does not. Empty: no bound known.
	Since, Until string
	// NotBefore is the version since which the name means this: in older ones, and where the
	// version is not known, it is not read. Since never keeps a name from being read.
	NotBefore string
	// Plus adds the value to that of the mapping above, of the same series, instead of
	// standing in for it where that has none. What Agg brings together is brought together
	// before it is added.
	Plus bool
	// Fallback is for a name that says the same with other labels: it is used only where the
	// mappings above give nothing of the series at all.
	Fallback bool
	// Optional names depend on a flag, a feature or a first use: their absence is no sign of a rename.
	Optional bool
	// With names a sample that appears together with this one, at the first request, say: where
	// that one is not there, this one is not missed.
	With string
	// NotZero says that 0 stands for "there is none": it makes no value.
	NotZero bool
	// NotNegative says that a value below 0 stands for "there is none", as routers write for a
	// worker that was removed: it makes no value, and is no damage.
	NotNegative bool
}

// Match keeps samples by a label's value. A label that is not there is the empty text.
type Match struct {
	Label string
	In    []string
}

// LabelFrom fills one label of a series.
type LabelFrom struct {
	To    string            // label of the series
	From  string            // label of the sample, or JSON path within the element
	Const string            // or this text
	Words map[string]string // values translated; "" as a key stands for every other value
	Else  string            // another label of the sample (or JSON path), where From is empty or not there
	And   string            // a second one whose value is put behind that of From, with Joint between
	Joint string            // "/" if empty
	Cut   string            // only what stands before this text: an address without its path, say
}

// JSONMapping turns values of a JSON answer into a series.
//
// Within an element, @key is its name or place in the array (or object) of Each, @value the
// element itself, and a path that begins with $. starts at the whole document.
type JSONMapping struct {
	Path   string // of the endpoint
	Each   string // JSON path of an array (or object) whose elements are mapped one by one; empty: the document; "a.*.b": those of all arrays b in a
	When   []Condition
	To     *catalog.Series
	Value  string             // JSON path within the element: number, boolean, or a word of Words; empty: 1
	Words  map[string]float64 // text to number; a text that is not here is dropped and counted
	Scale  float64
	Labels []LabelFrom
	// States makes a state set: the value's text, translated, is the state that holds.
	States       map[string]string
	Agg          Aggregation
	Since, Until string
	Optional     bool
}

// Op is what a derivation does with its operands.
type Op uint8

// The operations. Operands are matched on backend, engine, model and rank.
const (
	Add Op = iota // all operands must be there
	Subtract
	Multiply
	SumOf   // the _sum of a histogram, as a counter
	CountOf // the _count of a histogram, as a counter
)

// Derivation computes a series that the engine does not export, where it is not there.
type Derivation struct {
	To   *catalog.Series
	Op   Op
	From []*catalog.Series
	// Rename fills labels of To, its keys, from labels of the first operand that have another name.
	Rename map[string]string
}

// Hint says how a series of this program is turned on, or what it counts.
type Hint struct {
	Series *catalog.Series // nil: all numbers
	Text   string          // for a person: "start it with --metrics"
	Counts bool            // the text says what the series counts where it is, not why it is not
}

// Weighing says what is so of each worker of a router where no sign alone does: a router may
// call a dead worker healthy while its circuit breaker is open, or cease to mention it.
//
// A worker is 0 if any witness says that it is out, 1 if any calls it healthy and none out. One
// of which only traces are left is 0. A value below 0 stands for a worker that was removed.
type Weighing struct {
	To        *catalog.Series // a boolean with the label target
	Witnesses []Witness
	// Forget is how long a worker stands that no witness with Listed names any more. Then it
	// counts as removed. 0: for as long as anything is said of it.
	Forget time.Duration
}

// Witness is a sign of a worker's state: a sample, or a value in the elements of a JSON answer.
type Witness struct {
	Sample            string  // name of the sample …
	With              string  // … that is missed where this other name, mapped or weighed, is on the page; "": never
	Where             []Match // … of which only those with these labels count
	Path, Each, Value string  // or of the answer: its path, the array of workers, the value in each
	Worker            LabelFrom
	Says              Says
	Listed            bool   // only workers that the router has are named by it
	Deployment, Name  string // labels of Outage: what may be out by itself, and under which name it is booked
}

// Says is what a witness's value means.
type Says uint8

// The meanings.
const (
	HealthyOrOut   Says = iota // 1: healthy, 0: out
	HealthyIfAbove             // above 0: healthy, 0: nothing
	OutIfAbove                 // above 0: out, 0: nothing
	Trace                      // that there was such a worker
	// Outage is 0 for all well, 1 for some failures, 2 for an outage. Of one name the worst
	// counts, and a name of which all is well acquits its deployment of what others say.
	Outage
)
