// Package host reads the machine on which the exporter runs: its GPUs, the way from each to
// the processor, their memory and who holds it.
//
// What enters are files of sysfs and procfs and the answers of nvidia-smi; what leaves are
// points of the catalog. Three promises: a card that sleeps is never woken; a file or tool
// that never answers costs only its own series; what is not known is absent, never 0.
//
// Each kind of file has one small reader here that takes what is there and notes what is not.
package host

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// Options are what a host gets. The zero value reads the machine that the program runs on.
type Options struct {
	// FS is the machine's files; nil: those under /sys and /proc.
	FS FS
	// FileDeadline is how long one file may take; 0: half a second. Played files are in memory and
	// answer at once, unless the machine that plays them is so busy that it does not come to it.
	FileDeadline time.Duration
	// Now is the clock; nil: time.Now. Deadlines run on the machine's clock all the same.
	Now func() time.Time
	// Run runs nvidia-smi; nil: the machine's.
	Run Runner
	// KernelLog opens the kernel's log; nil: the machine's.
	KernelLog KernelLog
	// Log gets what an operator must know, once for each file; nil: nobody does.
	Log *slog.Logger
	// Off are the sources that are not read.
	Off []catalog.HostSource
	// SampleEvery is how often links are looked at between scrapes. 0: never by itself; the
	// owner may call Sample.
	SampleEvery time.Duration
	// Background runs nvidia-smi and the samples beside the scrapes, on the machine's clock.
	// Without it a scrape waits for the tool: for hosts that are played from a recording.
	Background bool
}

// Config is what the operator says of the host.
type Config struct {
	ExpectedGPUs int               // 0: not said
	Ignore       []string          // PCI addresses of GPUs that do not count
	Names        map[string]string // of GPUs, by PCI address; a GPU with a name is expected to be there
	ProcessIDs   bool              // show the memory of each process too
	Backends     []Backend
}

// Host is a machine. Close it in the end.
type Host struct {
	options Options
	off     map[catalog.HostSource]bool
	health  *health
	tool    *tool

	mu        sync.Mutex // one round at a time; guards all below
	config    Config
	inventory *inventory
	kfd       kfd
	memory    memory
	dmem      map[string]dmem // by PCI address
	processes processes
	xids      xids
	pci       *reader
	others    map[catalog.HostSource]*reader
	points    int // of the last round

	collected chan struct{} // a scrape came
	stop      context.CancelFunc
	ended     sync.WaitGroup
}

// New makes a host. Nothing is read before the first Collect.
func New(o Options) *Host {
	if o.FS == nil {
		o.FS = Dir{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Run == nil {
		o.Run = Exec
	}
	if o.KernelLog == nil {
		o.KernelLog = openKernelLog
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{
		options: o, off: map[catalog.HostSource]bool{}, health: newHealth(o.Log),
		inventory: newInventory(), others: map[catalog.HostSource]*reader{}, collected: make(chan struct{}, 1),
	}
	for _, s := range o.Off {
		h.off[s] = true
	}
	h.xids.log.open = o.KernelLog
	h.tool = newTool(o.Run, o.Now, h.health)
	h.pci = newReader(&o, catalog.SourcePCI, h.health)
	for _, s := range []catalog.HostSource{
		catalog.SourceAER, catalog.SourceAtomics, catalog.SourceKFD, catalog.SourceProcesses, catalog.SourceMemory,
	} {
		h.others[s] = newReader(&o, s, h.health)
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	if o.Background {
		h.ended.Go(func() { h.background(ctx) })
	}
	return h
}

// Load puts a configuration in force. GPUs that are gone are forgotten: who takes a card out
// on purpose reloads.
func (h *Host) Load(c Config) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.config = c
	for address, g := range h.inventory.gpus {
		if !g.present {
			g.close()
			delete(h.inventory.gpus, address)
		}
	}
	h.inventory.most = 0
}

// Close ends what runs beside the scrapes.
func (h *Host) Close() {
	h.stop()
	h.ended.Wait()
	h.tool.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pci.close()
	h.xids.log.close()
	for _, r := range h.others {
		r.close()
	}
	for _, g := range h.inventory.gpus {
		g.close()
	}
}

// unwatchedAfter is how long after the last scrape nothing is looked at any more.
const unwatchedAfter = 5 * time.Minute

// background samples links and runs the tool as long as somebody scrapes.
func (h *Host) background(ctx context.Context) {
	every := h.options.SampleEvery
	if every <= 0 {
		every = time.Hour
	}
	sample, run := time.NewTicker(every), time.NewTicker(toolEvery)
	defer sample.Stop()
	defer run.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.collected:
			last = time.Now()
		case <-sample.C:
			if h.options.SampleEvery > 0 && time.Since(last) < unwatchedAfter {
				h.Sample(ctx)
			}
		case <-run.C:
			if time.Since(last) < unwatchedAfter {
				h.mu.Lock()
				wanted := h.wantsTool()
				h.mu.Unlock()
				if wanted {
					h.tool.poll()
				}
			}
		}
	}
}
