package config

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/host"
)

var hostSection = &section[Host]{
	title: "host",
	about: "The machine that the exporter runs on. GPUs, their links and their memory are found without configuration.",
	wants: "the keys of host (expected_gpus, ignore, names, process_ids)",
	keys: []key[Host]{
		field("expected_gpus", whole(1000), func(h *Host) *int { return &h.ExpectedGPUs },
			"How many GPUs the machine must have, ignored ones not counted.").or("the most that were seen"),
		field("ignore", list(gpuAddress, unique(func(s string) string { return s }, "")), func(h *Host) *[]string { return &h.Ignore },
			"PCI addresses of GPUs that do not count, such as a processor's own graphics. lspci shows addresses."),
		field("names", gpuNames, func(h *Host) *map[string]string { return &h.Names },
			"Names of GPUs by their PCI address, like \"0000:03:00.0\": card 0. A GPU with a name is expected to be there."),
		field("process_ids", flag, func(h *Host) *bool { return &h.ProcessIDs },
			"Show the memory of each process on the GPUs by itself too, up to 200 of them. Every start of a program makes new series.").or("false"),
	},
	check: func(d *decoder, at path, h *Host) {
		for i, address := range h.Ignore {
			if name, named := h.Names[address]; named {
				d.Fail(at.Key("ignore").Index(i), address, "has the name %q; a GPU with a name is expected to be there, remove one of the two", name)
			}
		}
	},
}

// gpuAddress is the kind of a PCI address, in any of the usual spellings.
var gpuAddress = parsed("PCI address", func(s string) (string, string) {
	if a, ok := host.ParseAddress(s); ok {
		return a, ""
	}
	return "", "is not a PCI address; write it like \"0000:03:00.0\", in quotes"
}, textNode)

// gpuNames is the kind of names by address.
var gpuNames = kind[map[string]string]{
	word: "names", show: namesByText.show,
	read: func(d *decoder, n *yaml.Node, at path) (map[string]string, bool) {
		written, ok := namesByText.read(d, n, at)
		out, first := make(map[string]string, len(written)), make(map[string]string, len(written))
		for _, name := range sortedKeys(written) {
			address, _ := host.ParseAddress(name)
			if before, twice := first[address]; twice {
				d.Fail(at.Key(document.Shortened(name)), "", "is the same GPU as %s; name each once", before)
				ok = false
			}
			out[address], first[address] = written[name], name
		}
		return out, ok
	},
}

var namesByText = mapOf("names", text("text", nil), func(s string) string {
	if _, ok := host.ParseAddress(s); !ok {
		return "is not a PCI address; write it like \"0000:03:00.0\", in quotes"
	}
	return ""
})

// checkProcess refuses paths and command lines: the kernel keeps a name alone.
func checkProcess(s string) string {
	if strings.ContainsAny(s, "/ ") {
		return "is not the name of a program; write it without path and arguments, like llama-server"
	}
	return ""
}
