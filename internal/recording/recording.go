// Package recording keeps what real servers sent, over time, as text that a person can
// review and git keeps small, and plays it back byte for byte: over real HTTP on loopback or
// in process, at any speed.
//
// A recording is a folder:
//
//	recording.yml   program, version, what happens, the pace, the events
//	exporter.yml    the exporter's configuration for it; hosts are names of servers
//	<server>.txt    what that server (one port) answered, in order
//	states.txt      answers without a time, by the name of the state; optional
//	tree.txt        the machine that the servers run on, as internal/hosttree reads it; optional
//
// A folder with a machine needs neither recording.yml nor servers: testdata/hosts holds such.
//
// The form of the .txt files is described in testdata/recordings/README.md.
package recording

import (
	"slices"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/hosttree"
)

// Recording is a folder of testdata/recordings, loaded.
type Recording struct {
	Name     string // "vllm-0.32.0/kv-full-long": program-version/scenario
	Dir      string // "" when it was read from an fs.FS
	Meta     Meta
	Exporter []byte // exporter.yml
	Servers  []*Server
	States   []State
	Host     *hosttree.Tree // nil: nothing is known of the machine
}

// Meta is recording.yml.
type Meta struct {
	Program  string        `yaml:"program"`
	Version  string        `yaml:"version"`
	Recorded string        `yaml:"recorded"` // date
	Story    string        `yaml:"story"`    // what happens, in a sentence or two
	Interval time.Duration `yaml:"interval"` // its own pace: the time between two scrapes of the numbers
	Length   time.Duration `yaml:"length"`   // up to and including the last answer
	// Collector says that the program's own collector code wrote the pages from values that were
	// fed to it: names, types and labels are the program's, and no request was served.
	Collector bool `yaml:"collector,omitempty"`
	// Headers are what a program is known to send with every answer of a server, by the
	// server's name, where the recorder kept no headers. Replay adds them.
	Headers map[string]map[string]string `yaml:"headers,omitempty"`
	// Alike names paths that the program answers with the same page as a recorded path.
	Alike map[string]string `yaml:"alike,omitempty"`
	// StandIn names, by server, the state whose answers stand in for paths that nobody asked
	// while the series was made: the same program with the same arguments gave them.
	StandIn map[string]string `yaml:"stand_in,omitempty"`
	Events  []Event           `yaml:"events,omitempty"`
	// Servers are played by those of other recordings, by their host in exporter.yml.
	Servers map[string]Borrowed `yaml:"servers,omitempty"`
}

// Event is something that was done to a server.
type Event struct {
	At   time.Duration `yaml:"at"`
	What string        `yaml:"what"`
}

// Server is one port of one server.
type Server struct {
	Name    string
	Answers []Answer // by time

	alike   map[string]string // as in Meta
	standIn []Answer          // of the state that Meta.StandIn names
}

// Answer is one answer, or the lack of one.
type Answer struct {
	// At is when the answer was due: the recorder asks at whole seconds and is a few
	// milliseconds late, which would put every answer after the scrape that asks for it.
	At          time.Duration
	Path        string // with query, as asked; the method is always GET
	Failure     Failure
	Status      int // 0 with a Failure
	ContentType string
	Header      map[string]string // further headers that were kept (Server)
	Latency     time.Duration
	Body        []byte
}

// Failure is how a request ended without an answer.
type Failure string

// The failures.
const (
	Answered Failure = ""
	Refused  Failure = "refused"
	Reset    Failure = "reset"
	TimedOut Failure = "timeout"
)

// State is a set of answers that stood at one time nobody wrote down ("asleep", "apikey-none").
type State struct {
	Name    string
	Answers []Answer
}

// Server returns the server of that name, nil when there is none.
func (r *Recording) Server(name string) *Server {
	for _, s := range r.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// State returns the state of that name, nil when there is none.
func (r *Recording) State(name string) *State {
	for i := range r.States {
		if r.States[i].Name == name {
			return &r.States[i]
		}
	}
	return nil
}

// Clone copies the server with its answers, so that a test may change them. Bodies are shared.
func (s *Server) Clone() *Server {
	out := *s
	out.Answers = slices.Clone(s.Answers)
	return &out
}

// IsNumbers says that a path is where the numbers of a server are.
func IsNumbers(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return strings.HasSuffix(strings.TrimSuffix(path, "/"), "metrics")
}
