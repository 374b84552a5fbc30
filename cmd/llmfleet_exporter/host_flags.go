package main

import (
	"slices"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/host"
)

// leastSample keeps the samples light.
const leastSample = 100 * time.Millisecond

// collectors are the sources of host facts as the flags describe them.
var collectors = map[catalog.HostSource]string{
	catalog.SourcePCI:       "PCI Express links of the GPUs",
	catalog.SourceAER:       "error counters of PCI Express devices",
	catalog.SourceAtomics:   "configuration space: atomic operations (needs rights)",
	catalog.SourceKFD:       "AMD's compute driver",
	catalog.SourceAMDGPU:    "memory, load and sensors from AMD's graphics driver",
	catalog.SourceHwmon:     "sensors of cards of other drivers, such as Intel's",
	catalog.SourceNVIDIA:    "memory, load and sensors from nvidia-smi",
	catalog.SourceKernelLog: "errors of NVIDIA's driver in the kernel's log (needs CAP_SYSLOG on most systems)",
	catalog.SourceProcesses: "which programs hold the cards' memory",
	catalog.SourceMemory:    "the machine's memory",
}

// hostFlags adds the flags about this machine, in the form of node_exporter's.
func (f *flags) hostFlags(app *kingpin.Application) {
	app.Flag("path.sysfs", "Where sysfs is mounted.").Default("/sys").StringVar(&f.sysfs)
	app.Flag("path.procfs", "Where procfs is mounted.").Default("/proc").StringVar(&f.procfs)
	app.Flag("collector.pci.sample-interval", "How often links of cards that are awake are looked at between scrapes. 0: never.").
		Default("2s").DurationVar(&f.sampleEvery)
	f.collectors = map[catalog.HostSource]*bool{}
	for _, s := range catalog.HostSources() {
		f.collectors[s] = app.Flag("collector."+string(s), "Read "+collectors[s]+".").
			Default("true").Bool()
	}
}

// off are the sources that were turned off, in the order of the documentation.
func (f *flags) off() []catalog.HostSource {
	return slices.DeleteFunc(catalog.HostSources(), func(s catalog.HostSource) bool { return *f.collectors[s] })
}

// host makes the options of this machine; nil if nothing of it is to be read.
func (f *flags) host() *host.Options {
	off := f.off()
	if len(off) == len(f.collectors) {
		return nil
	}
	return &host.Options{
		FS: host.Dir{Sysfs: f.sysfs, Procfs: f.procfs}, Off: off, SampleEvery: f.sampleEvery, Background: true,
	}
}
