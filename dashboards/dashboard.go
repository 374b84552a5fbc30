// Package dashboards defines the Grafana dashboards as Go values.
//
// A panel is a question, the PromQL that answers it as text, the unit from the catalog, and
// the threshold that the alert on the same quantity uses. The package turns them into classic
// dashboard JSON that Grafana 10 to 13 load, and hands every expression to the proof.
package dashboards

import (
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Dashboard is one page.
type Dashboard struct {
	UID       string // frozen: links and bookmarks depend on it
	Title     string
	About     string // its questions in one sentence, then what one must know to read it
	Variables []Variable
	Notes     []Annotation
	Rows      []Row
}

// Link leads to another page and takes the range of time and the choices along.
type Link struct {
	Title string
	About string
	UID   string
}

// Row is a heading and the panels below it, in the order in which a phone stacks them.
type Row struct {
	Key    string
	Title  string
	Folded bool // its panels are there, and ask nothing, once it is opened
	Panels []Panel
}

// Kind is how a panel draws its numbers.
type Kind uint8

// The kinds. Each exists since Grafana 10 and can be drawn by Grafana's own components.
const (
	Graph Kind = iota // lines over time
	Steps             // bars over time, stacked: how many, and which
	Stat              // a big number or word
	Table
	Bars    // one bar for each series, now
	Heatmap // how many fell into each bucket of a histogram, over time
)

// Panel is one question.
type Panel struct {
	Key       string       // frozen; panel ids and links hang on it: "capacity/waiting"
	Repeats   string       // key of the panel of another page that this one repeats; its alerts lead there
	Title     string       // a question or a quantity
	Unit      catalog.Unit // of a heatmap that of the buckets' bounds
	PerSecond bool         // the unit is per second
	About     string
	Kind      Kind
	Width     int // columns of 24
	Height    int // rows of the grid; 0: the kind's own
	Queries   []Query
	Columns   []Column // of a table, in order; what is not listed is hidden
	Sort      string   // columns of a table, separated by commas: labels in their order, the highest value first, with a minus the lowest
	// Across makes a table of two labels: a line for each value of Sort, a column for each of Across.
	Across string
	// Of is the series that the panel stands on: backends whose engine cannot give it are
	// named in the legend, so that an honest blank does not look like a failure.
	Of *catalog.Series
	// Everyone says that every engine known can give Of: nobody has to be named.
	Everyone bool
	// Idle is a rate that is 0 when there was nothing to measure; who is idle is named too.
	Idle string
	// Blank is what the panel says when there is nothing at all.
	Blank string
	// Threshold is the key of the number at which an alert decides; drawn as a line.
	Threshold string
	Max       float64 // fixed upper end of the scale; 0: none
	Words     []Word
	Colors    []Color // of steps one, whose shades they have
	Text      Text
	Least     bool // of too many series keep the lowest; the highest otherwise
	Cases     []Case
}

// Text is what a Stat writes.
type Text uint8

// The texts.
const (
	ValueAndName Text = iota
	ValueOnly
	NameOnly
)

// Query is one expression of a panel, with Grafana's variables in it.
type Query struct {
	Expr   string
	Legend string // {{label}} of the result
	Limit  bool   // not a quantity but what it should not exceed: dashed
	// Lacks are labels whose cells in a table lead to a page, and which some rows do not have:
	// the link of such a row must not carry an empty choice, which would leave that page blank.
	Lacks []string
}

// Column is one column of a table: a label, or the value of a query by its letter.
type Column struct {
	Field   string // "backend", or "A" to "Z"
	Title   string
	Unit    catalog.Unit
	Words   []Word
	Colors  []Color
	Width   int  // pixels; 0: what is left
	Runbook bool // the name of an alert, which opens its runbook
}

// Word replaces a number, so that color is never the only sign.
type Word struct {
	Value float64
	Text  string
	Color string
}

// Color holds from a value upward.
type Color struct {
	From float64
	Name string
}

// Variable is a choice at the top of the page.
type Variable struct {
	Name  string
	Title string
	About string
	Query string // label_values(…); empty: the data source
	Label string // the label whose values it lists
	First bool   // begins with the first value, and All is no choice
	Cases []Case // of its series selector: each must give something
}

// Annotation marks moments on every graph.
type Annotation struct {
	Key    string
	Title  string
	Expr   string
	Tags   string // labels shown as tags, separated by commas
	Format string // {{label}} text of the mark
	Color  string
	Cases  []Case
}

// Case says what an expression gives on a recording, worked out from the raw bodies.
type Case struct {
	Query     string // letter of the query; empty: A
	Recording string
	At        time.Duration // of the replay
	Values    Values        // of the variables; nil: All
	Want      []string      // `{label="value", …} number`, in any order; empty: nothing is there
	Why       string        // the arithmetic
}
