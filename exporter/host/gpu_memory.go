package host

import (
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// apus are graphics of AMD's processors, by device id: no file of the kernel says "part of
// the processor".
var apus = []uint64{
	0x15dd, 0x15d8, // Raven, Picasso
	0x1636, 0x1638, 0x164c, 0x15e7, // Renoir, Cezanne, Lucienne, Barcelo
	0x1681, 0x164d, 0x1506, // Rembrandt, Rembrandt-R, Mendocino
	0x164e, 0x13c0, // Raphael, Granite Ridge
	0x15bf, 0x15c8, 0x1900, 0x1901, // Phoenix, Hawk Point
	0x150e, 0x1114, // Strix Point, Krackan
	0x1586, // Strix Halo
}

// gb10 is a GPU of NVIDIA's that is one chip with its processor.
const gb10 = 0x10de_2e12

// integrated tells whether the GPU is part of the processor: its memory is the machine's.
func (g *gpu) integrated() value {
	d := g.device
	switch d.vendor {
	case vendorAMD:
		return g.integratedAMD()
	case vendorNVIDIA:
		return g.unified
	case vendorIntel:
		switch {
		case g.chain.onCard() > 1:
			return known(0)
		case len(g.chain) == 1 && strings.HasSuffix(g.address, ":00:02.0"):
			return known(1)
		}
	}
	return value{}
}

func (g *gpu) integratedAMD() value {
	a := &g.amd
	switch {
	case g.chain.onCard() > 1:
		return known(0)
	case slices.Contains(apus, g.device.id):
		return known(1)
	case a.visibleSize.known && a.vramSize.known && a.visibleSize.v < a.vramSize.v:
		return known(0) // the driver of a processor's graphics sees all of its carve-out
	case g.node != nil && g.node.memory.known && a.vramSize.known:
		// Compute programs get a pool that is not the card's own memory.
		return truth(g.node.memory.v == a.gttSize.v && a.gttSize.known && g.node.memory.v != a.vramSize.v)
	case a.visibleSize.known && a.vramSize.known && g.bars[0] > 0 && g.bars[0] < a.vramSize.v:
		return known(1) // all is visible, and not through the window
	case a.vramSize.known:
		return known(0)
	}
	return value{}
}

// vram is the size of the card's own memory.
func (g *gpu) vram() value {
	switch {
	case g.nvidia != nil && g.nvidia.memoryTotal.known:
		return g.nvidia.memoryTotal
	case g.amd.vramSize.known:
		return g.amd.vramSize
	}
	return g.dmem.size
}

// vramUsed is how much of it is in use.
func (g *gpu) vramUsed() value {
	switch {
	case g.nvidia != nil:
		return g.nvidia.memoryUsed
	case g.amd.vramSize.known:
		return g.amd.vramUsed
	}
	return g.dmem.used
}

// pool is what an engine can allocate from.
type pool struct {
	name       string
	size, used value
}

// usable finds the pool. On unified memory the driver decides for the larger of carve-out and
// mapped memory; these are never added, and mapped memory is never more than the machine has.
func (g *gpu) usable(m *memory) pool {
	switch {
	case g.nvidia != nil && g.nvidia.unified():
		used := when(m.size.v-m.available.v, m.size.known && m.available.known)
		return pool{"host", m.size, used}
	case g.nvidia != nil:
		used := g.nvidia.memoryUsed
		if used.known && g.nvidia.memoryReserved.known {
			used.v += g.nvidia.memoryReserved.v
		}
		return pool{"vram", g.nvidia.memoryTotal, used}
	case g.integrated().is():
		return g.usableShared(m)
	}
	return pool{"vram", g.vram(), g.vramUsed()}
}

func (g *gpu) usableShared(m *memory) pool {
	a := &g.amd
	if a.gttSize.known && (!a.vramSize.known || a.vramSize.v < a.gttSize.v) {
		size := a.gttSize
		if g.node != nil && g.node.memory.known && g.node.memory.v != a.vramSize.v {
			size = g.node.memory
		}
		return pool{"gtt", smaller(size, m.size), a.gttUsed}
	}
	return pool{"vram", a.vramSize, a.vramUsed}
}

func (g *gpu) memoryPoints(p *points, m *memory) {
	a := &g.amd
	p.opt(catalog.GPUVisibleVRAMSize, a.visibleSize, g.labels...)
	p.opt(catalog.GPUVisibleVRAMUsed, a.visibleUsed, g.labels...)
	p.opt(catalog.GPUGTTSize, a.gttSize, g.labels...)
	p.opt(catalog.GPUGTTUsed, a.gttUsed, g.labels...)
	p.opt(catalog.GPUVRAMSize, g.vram(), g.labels...)
	p.opt(catalog.GPUVRAMUsed, g.vramUsed(), g.labels...)
	if g.nvidia != nil {
		p.opt(catalog.GPUVRAMReserved, g.nvidia.memoryReserved, g.labels...)
	}
	u := g.usable(m)
	p.opt(catalog.GPUUsableSize, u.size, g.address, u.name)
	p.opt(catalog.GPUUsableUsed, u.used, g.address, u.name)
	p.opt(catalog.GPUMemoryShared, g.integrated(), g.labels...)
	p.opt(catalog.GPUReBAR, g.rebar(), g.labels...)
	if size := g.bars.window(g.device.vendor); size > 0 {
		p.add(catalog.GPUBARSize, size, g.labels...)
	}
}
