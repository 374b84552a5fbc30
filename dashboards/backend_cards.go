package dashboards

import "github.com/llmfleet/llmfleet/exporter/catalog"

// itsCardsInfo says which cards these are.
const itsCardsInfo = `(llm_gpu_backend_info{instance=~"$instance", backend=~"$backend"}` + ofEngine + `)`

// itsCards is a series of the cards that the chosen backends run on.
func itsCards(series string) string {
	return `(` + series + onHosts + ` and on (instance, gpu) ` + itsCardsInfo + `)`
}

// itsCard is the value of a series for each of these cards.
func itsCard(series string) string { return `max by (instance, gpu) ` + itsCards(series) }

// noCardOfIts is what panels say where no card is known to carry the backend.
const noCardOfIts = "no card is known to carry it, or no exporter reads its machine"

var backendCards = Row{
	Key: "its-cards", Title: "Its cards: memory, work, power, link",
	Panels: []Panel{
		{
			Key: "backend/cards", Title: "Which cards carry it?", Unit: catalog.None, Kind: Table, Width: 24, Height: 5,
			About: "A card carries a backend when a process that listens at its port, or a child of it, holds memory there.",
			Queries: []Query{
				{Expr: `max by (instance, gpu, name) ` + itsCards(`llm_gpu_info`)},
				{Expr: itsCard(`llm_gpu_up`)},
				{Expr: `1 - ` + itsCard(`gpu:llm_gpu_memory_free:bytes`) + ` / ` + itsCard(`llm_gpu_memory_usable_size_bytes`)},
				{Expr: itsCard(`gpu:llm_gpu_memory_free:bytes`)},
				{Expr: itsCard(`llm_gpu_busy_ratio`)},
				{Expr: itsCard(`llm_gpu_power_watts`)},
				{Expr: itsCard(`llm_gpu_temperature_celsius`)},
				{Expr: itsCard(`llm_gpu_link_bandwidth_bytes_per_second`)},
				{Expr: itsCard(`llm_gpu_link_card_bandwidth_bytes_per_second`)},
				{Expr: `max by (instance, gpu, device) ` + itsCards(`llm_gpu_link_limiting_hop_info`)},
			},
			Columns: []Column{
				{Field: labelInstance, Title: "Machine", Width: 130},
				{Field: catalog.LabelGPU, Title: "Card", Width: 120},
				{Field: catalog.LabelName, Title: "Name"},
				{Field: "B", Title: "State", Width: 90, Words: cardWords},
				{Field: "C", Title: "Used", Unit: catalog.Ratio, Width: 80},
				{Field: "D", Title: "Free", Unit: catalog.Bytes, Width: 100},
				{Field: "E", Title: "Busy", Unit: catalog.Ratio, Width: 80},
				{Field: "F", Title: "Power", Unit: catalog.Watts, Width: 90},
				{Field: "G", Title: "Hottest", Unit: catalog.Celsius, Width: 90},
				{Field: "H", Title: "Link now", Unit: catalog.BytesPerSecond, Width: 110},
				{Field: "I", Title: "Card could", Unit: catalog.BytesPerSecond, Width: 110},
				{Field: catalog.LabelDevice, Title: "Limited at", Width: 120},
			},
			Sort: "instance,gpu",
			Cases: []Case{
				at(hostA1, 600, `{gpu="0000:03:00.0", name="card 0"} 1`).chosen("radiance-0"),
				at(hostA1, 600, `{gpu="0000:03:00.0", name="card 0"} 1`, `{gpu="0000:0b:00.0", name="card 1"} 1`).chosen("radiance-0", "radiance-1"),
				at(hostA1, 600, `{gpu="0000:0b:00.0"} 1`).of("B").chosen("radiance-1"),
				at(hostA1, 600, `{gpu="0000:0b:00.0"} 0.9636`).of("C").chosen("radiance-1").because("32963035136 of 34208743424"),
				at(hostB, 600, `{gpu="0000:01:00.0"} 2278555648`).of("D").chosen("small").because("24576 - 22100 - 303 MiB"),
				at(hostA1, 600, `{gpu="0000:0b:00.0"} 0.98`).of("E").chosen("radiance-1"),
				at(hostA1, 600, `{gpu="0000:0b:00.0"} 143`).of("F").chosen("radiance-1"),
				at(hostA1, 600, `{gpu="0000:03:00.0"} 78`).of("G").chosen("radiance-0").because("edge 61, junction 74, memory 78"),
				at(hostA1, 600, `{gpu="0000:0b:00.0"} 1969230769`).of("H").chosen("radiance-1").because("16 GT/s over one lane, 128 of 130 bits"),
				at(hostA1, 600, `{gpu="0000:0b:00.0"} 63015384615`).of("I").chosen("radiance-1").because("32 GT/s over 16 lanes"),
				at(hostA1, 600, `{device="0000:06:09.0", gpu="0000:0b:00.0"} 1`).of("J").chosen("radiance-1"),
			},
			Blank: noCardOfIts,
		},
		ofItsCards("backend/card-free", "Memory left on its cards", catalog.Bytes, `gpu:llm_gpu_memory_free:bytes`,
			"Of the memory that an engine can allocate from. What the cache needs it takes at its start: a restart with less left fails.",
			at(hostA1, 600, `{gpu="0000:0b:00.0"} 1245708288`).chosen("radiance-1").because("34208743424 - 32963035136"),
		),
		ofItsCards("backend/card-busy", "How busy are its cards?", catalog.Ratio, `llm_gpu_busy_ratio`,
			"As the driver counts it. A busy card and few tokens: see the link, and what else runs on the card.",
			at(hostB, 600, `{gpu="0000:c5:00.0"} 0.63`).chosen("big"),
			at(hostA1, 600, `{gpu="0000:03:00.0"} 0.4`, `{gpu="0000:0b:00.0"} 0.98`),
		),
		ofItsCards("backend/card-power", "Power of its cards", catalog.Watts, `llm_gpu_power_watts`,
			"Of an integrated GPU it is that of the whole processor.",
			at(hostB, 600, `{gpu="0000:01:00.0"} 301.2`).chosen("small"),
		),
		ofItsCards("backend/card-link", "What the links of its cards carry", catalog.BytesPerSecond, `llm_gpu_link_bandwidth_bytes_per_second`,
			"The slowest link between card and processor, one direction. A card at rest lowers it, and that is no fault.",
			at(hostB, 600, `{gpu="0000:01:00.0"} 7876923077`).chosen("small").because("16 GT/s over the four lanes of the adapter"),
		),
	},
}

// ofItsCards is a quantity of each of these cards over time.
func ofItsCards(key, title string, unit catalog.Unit, series, about string, cases ...Case) Panel {
	out := Panel{
		Key: key, Title: title, Unit: unit, Width: 12, About: about, Cases: cases, Blank: noCardOfIts,
		Queries: []Query{{Expr: itsCard(series), Legend: "{{instance}} {{gpu}}"}},
	}
	if unit == catalog.Ratio {
		out.Max = 1
	}
	return out
}
