package host

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// lookEvery is how often the open files of a process are looked through: that is most of
// what a scan costs, and a server opens its card once.
const lookEvery = time.Minute

const (
	mostProcesses = 50_000
	mostFiles     = 4096 // of one process: a card and the port to listen on are opened early
	mostCards     = 256  // open card files of one process
	mostSockets   = 256
	mostAncestors = 8
)

// process is what is known of one program that runs.
type process struct {
	pid, parent uint64
	dir         string
	name        string // as the kernel has it, 15 bytes; never the command line
	kernel      bool   // a thread of the kernel: it opens nothing
	denied      bool   // its files cannot be seen, for want of rights
	unseen      bool   // or for another reason: it may hold a card
	looked      time.Time
	cards       []openCard
	sockets     []uint64
	ports       []uint64 // that it listens on; found when it matters
	portsKnown  bool
	round       uint64
}

// openCard is an open device file of a card.
type openCard struct {
	node   string // renderD128, card0
	fdinfo string
}

// processes is who holds which card.
type processes struct {
	all   map[uint64]*process
	round uint64
	order []*process      // by pid: what several hold is the oldest's
	kfd   map[uint64]bool // that use AMD's compute driver
}

// scan looks at all processes: at new ones at once, at the others now and then.
func (ps *processes) scan(r *reader, now time.Time) bool {
	names, err := r.dir("proc")
	if r.fail("proc", err) != nil {
		return false
	}
	if ps.all == nil {
		ps.all = map[uint64]*process{}
	}
	ps.list(names)
	ps.kfd = map[uint64]bool{}
	computing, _ := r.dir(kfdProcesses) // not there without such a driver
	for _, name := range computing {
		if pid, ok := parseUint([]byte(name)); ok {
			ps.kfd[pid] = true
		}
	}
	for _, p := range ps.order {
		switch age := now.Sub(p.looked); {
		case r.ctx.Err() != nil: // what was seen earlier may have changed
			p.unseen = true
		case p.unseen:
			p.look(r, now)
		case p.looked.IsZero():
			p.look(r, now)
			p.looked = now.Add(-time.Duration(p.pid%60) * time.Second) // or all were due at once
		case age >= lookEvery, age < 0:
			p.look(r, now)
		}
	}
	return true
}

// list takes up new processes and drops those that ended.
func (ps *processes) list(names []string) {
	ps.round++
	ps.order = ps.order[:0]
	for _, name := range names {
		pid, ok := parseUint([]byte(name))
		if !ok || len(ps.order) >= mostProcesses {
			continue
		}
		p := ps.all[pid]
		if p == nil {
			p = &process{pid: pid, dir: "proc/" + name}
			ps.all[pid] = p
		}
		p.round = ps.round
		ps.order = append(ps.order, p)
	}
	slices.SortFunc(ps.order, func(a, b *process) int { return cmp.Compare(a.pid, b.pid) })
	for pid, p := range ps.all {
		if p.round != ps.round {
			delete(ps.all, pid)
		}
	}
}

// wholeMachine tells whether all processes of the machine are in sight: only there is a
// kthreadd, the parent of the kernel's threads, which is always the second process.
func (ps *processes) wholeMachine() bool {
	p := ps.all[2]
	return p != nil && p.name == "kthreadd"
}

// look reads name and parent of a process, and which cards and sockets it holds.
func (p *process) look(r *reader, now time.Time) {
	*p = process{pid: p.pid, dir: p.dir, round: p.round, looked: now}
	stat, err := r.bytes(p.dir+"/stat", 4096)
	if err != nil {
		p.missed(err)
		return
	}
	p.name, p.parent = parseStat(stat)
	if p.kernel = p.pid == 2 || p.parent == 2; p.kernel {
		return
	}
	fds, err := r.dir(p.dir + "/fd")
	if err != nil {
		p.missed(err)
		return
	}
	slices.SortFunc(fds, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
	for _, fd := range fds[:min(len(fds), mostFiles)] {
		target, err := r.link(p.dir + "/fd/" + fd)
		if err != nil {
			p.missed(err)
			continue
		}
		if node, ok := strings.CutPrefix(target, "/dev/dri/"); ok && len(p.cards) < mostCards {
			p.cards = append(p.cards, openCard{node, p.dir + "/fdinfo/" + fd})
		} else if inode, ok := strings.CutPrefix(target, "socket:["); ok && len(p.sockets) < mostSockets {
			if n, ok := parseUint([]byte(strings.TrimSuffix(inode, "]"))); ok {
				p.sockets = append(p.sockets, n)
			}
		}
	}
}

// missed notes why a file of the process could not be read. One that has ended holds nothing.
func (p *process) missed(err error) {
	switch reason := reasonOf(err); {
	case reason == catalog.HostDenied:
		p.denied = true
	case reason != "": // it hangs, or there was no time left
		p.unseen = true
	}
}

// parseStat takes name and parent out of /proc/<pid>/stat: "12 (a name) S 1 …". The name may
// have brackets and spaces in it.
func parseStat(b []byte) (name string, parent uint64) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return "", 0
	}
	_, rest := field(b[end+1:]) // the state
	word, _ := field(rest)
	parent, _ = parseUint(word)
	return label(string(b[open+1 : end])), parent
}

// listens finds the ports that a process listens on, in its own network: a container has others.
func (p *process) listens(r *reader) []uint64 {
	if p.portsKnown || len(p.sockets) == 0 {
		return p.ports
	}
	p.portsKnown = true
	for _, file := range []string{"/net/tcp", "/net/tcp6"} {
		b, err := r.bytes(p.dir+file, fileLimit)
		if err != nil {
			continue
		}
		eachLine(b, func(line []byte) {
			if port, inode, ok := parseListener(line); ok && slices.Contains(p.sockets, inode) && !slices.Contains(p.ports, port) {
				p.ports = append(p.ports, port)
			}
		})
	}
	return p.ports
}

// parseListener reads a line of /proc/net/tcp: "0: 0100007F:1F90 00000000:0000 0A … inode".
func parseListener(line []byte) (port, inode uint64, ok bool) {
	var words [10][]byte
	rest := line
	for i := range words {
		words[i], rest = field(rest)
	}
	const listening = "0A"
	if string(words[3]) != listening {
		return 0, 0, false
	}
	colon := bytes.LastIndexByte(words[1], ':')
	port, ok = parseHex(words[1][colon+1:])
	inode, ok2 := parseUint(words[9])
	return port, inode, ok && ok2
}

// Backend is a target of the configuration, as far as its program can be found on this host.
type Backend struct {
	Name    string
	Ports   []uint64 // of addresses of this host
	Process string   // name of its program, "" if the configuration does not say
}

// backend finds the backend that a process serves: it or one of those that started it listens
// at the backend's port, or has its program's name. Two that fit are none.
func (ps *processes) backend(r *reader, p *process, all []Backend) string {
	for step := 0; p != nil && step < mostAncestors; step++ {
		ports := p.listens(r)
		if b := only(all, func(b *Backend) bool {
			return slices.ContainsFunc(b.Ports, func(port uint64) bool { return slices.Contains(ports, port) })
		}); b != "" {
			return b
		}
		name := p.name
		if b := only(all, func(b *Backend) bool { return b.Process != "" && fits(b.Process, name) }); b != "" {
			return b
		}
		p = ps.all[p.parent]
	}
	return ""
}

// fits compares a program's name with what the kernel keeps of it: 15 bytes.
func fits(program, name string) bool {
	const kept = 15
	return name != "" && (program == name || len(program) > kept && program[:kept] == name)
}

func only(all []Backend, is func(*Backend) bool) string {
	found := ""
	for i := range all {
		if is(&all[i]) {
			if found != "" {
				return ""
			}
			found = all[i].Name
		}
	}
	return found
}

// number writes a number in decimal.
func number(n uint64) string { return strconv.FormatUint(n, 10) }
