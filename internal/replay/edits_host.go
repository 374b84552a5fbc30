package replay

import (
	"fmt"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// Places of the reference fleet's hosts.
const (
	a1Slot  = "sys/devices/pci0000:00/0000:00:02.1/0000:05:00.0/0000:06:09.0"
	a1Card0 = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0"
	a2Slot  = "sys/devices/pci0000:00/0000:00:01.1"
	a2Card0 = a2Slot + "/0000:01:00.0/0000:02:00.0/0000:03:00.0"
	a2Card1 = "sys/devices/pci0000:00/0000:00:01.3/0000:05:00.0/0000:06:00.0/0000:07:00.0"
	bSlot   = "sys/devices/pci0000:00/0000:00:01.1"
	bShared = "sys/devices/pci0000:00/0000:00:08.1/0000:c5:00.0"
	kept    = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0"
)

// hostEdits lists the edits of machines.
var hostEdits = []Edit{
	{
		Name: "one-engine-on-both-cards", About: "the engine on host A1 is split over its two cards, one of which hangs on one lane",
		Recording: onBothCards,
	},
	{
		Name: "lanes-lost-at-300", About: "from second 300 on four of eight lanes of a card under load are left, at full speed",
		Host: "=== t=300s\n" + link(a2Slot, "32.0", 4),
	},
	{
		Name: "two-lanes-left-at-300", About: "from second 300 on two of eight lanes of a card under load are left, at full speed",
		Host: "=== t=300s\n" + link(a2Slot, "32.0", 2),
	},
	{
		Name: "two-lanes-at-rest", About: "a card that rests nine tenths of the time has two of eight lanes left from second 300 on",
		Host: busy(a2Card0, 10) + "=== t=300s\n" + link(a2Slot, "32.0", 2),
	},
	{
		Name: "one-engine-on-both-cards-at-rest", About: "the engine on host A1 is split over its two cards, and the one with sixteen lanes rests nine tenths of the time",
		Recording: onBothCards, Host: busy(a1Card0, 10),
	},
	{
		Name: "link-slow-at-rest", About: "a card that rests nine tenths of the time is slow from second 300 on",
		Host: busy(a2Card0, 10) + "=== t=300s\n" + link(a2Slot, "2.5", 8),
	},
	{
		Name: "works-in-bursts", About: "a card rests and works in turn every half minute, and its link follows",
		Host: bursts(),
	},
	{
		Name: "narrow-at-rest", About: "the card on the adapter works a tenth of the time",
		Host: nvidiaSmi(10, 71, "Not Active"),
	},
	{
		Name: "rests-until-300", About: "the card on the adapter rests until second 300, and then works a third of the time",
		Host: nvidiaSmi(0, 40, "Not Active") + "=== t=300s\n" + nvidiaSmi(30, 60, "Not Active"),
	},
	{
		Name: "errors-at-300", About: "from second 300 on the port above a card has 150 errors more, which were corrected",
		Host: "=== t=300s\n" + aer("correctable", "COR", 159),
	},
	{
		Name: "few-errors-at-300", About: "from second 300 on the port above a card has 40 errors more, which were corrected",
		Host: "=== t=300s\n" + aer("correctable", "COR", 49),
	},
	{
		Name: "data-lost-at-300", About: "from second 300 on the port above a card has an error more that was not corrected",
		Host: "=== t=300s\n" + aer("nonfatal", "NONFATAL", 3),
	},
	{
		Name: "no-atomics-for-nvidia", About: "the slot of a card that does without passes on no atomic operations",
		Host: bSlot + "/config = !CONFIG root\n" + bSlot + "/0000:01:00.0/config = !CONFIG endpoint\n",
	},
	{
		Name: "second-program-on-one-card", About: "a program of a gigabyte more is on one of two cards",
		Host: a2Card1 + "/mem_info_vram_used = 31768000000\n",
	},
	{
		Name: "shared-memory-full", About: "what an integrated GPU may use of the machine's memory is used up",
		Host: bShared + "/mem_info_gtt_used = 128500000000\n",
	},
	{
		Name: "less-kept-at-1800", About: "a gigabyte, and from second 1800 on four, are held by nobody",
		Host: fmt.Sprintf("%s/mem_info_vram_used = 1073741824\n=== t=1800s\n%[1]s/mem_info_vram_used = 4294967296\n", kept),
	},
	{
		Name: "free-in-large-blocks", About: "what little memory is free lies in large blocks",
		Host: "proc/buddyinfo = Node 0, zone   Normal  52000  41000  30000  11000   4000   2100    900    500    350    290     700\n",
	},
	{
		Name: "stalls-for-memory", About: "from second 120 on every program waits for memory a fifth of the time",
		Host: stalls(),
	},
	{
		Name: "little-free-and-stalls", About: "a machine has little free memory, and from second 120 on waits for it a fifth of the time",
		Host: "proc/meminfo =\n  MemTotal: 63000000 kB\n  MemFree: 2000000 kB\n  MemAvailable: 50500000 kB\n" + stalls(),
	},
	{
		Name: "hot-at-300", About: "from second 300 on a card is two degrees below the limit of its junction",
		Host: "=== t=300s\n" + a1Card0 + "/hwmon/hwmon2/temp2_input = 108000\n",
	},
	{
		Name: "heat-brake-at-300", About: "from second 300 on a card slows itself down for heat",
		Host: "=== t=300s\n" + nvidiaSmi(88, 92, "Active"),
	},
}

// onBothCards configures host A1 with one backend, whose process is on both of its cards.
func onBothCards(r *recording.Recording) {
	r.Exporter = []byte("host: {ignore: [\"0000:13:00.0\"]}\nbackends:\n  - {name: split, url: \"http://127.0.0.1:8000\", process: \"VLLM::EngineCor\"}\n")
}

// link sets both ends of the link below a port of host A2.
func link(port, speed string, lanes int) string {
	var b strings.Builder
	for _, end := range []string{port, port + "/0000:01:00.0"} {
		fmt.Fprintf(&b, "%s/current_link_speed = %s GT/s PCIe\n%[1]s/current_link_width = %[3]d\n", end, speed, lanes)
	}
	return b.String()
}

func busy(card string, percent int) string {
	return fmt.Sprintf("%s/gpu_busy_percent = %d\n", card, percent)
}

// bursts is twenty minutes of work and rest by turns.
func bursts() string {
	var b strings.Builder
	for at, works := 30, false; at <= 1200; at, works = at+30, !works {
		fmt.Fprintf(&b, "=== t=%ds\n", at)
		if works {
			b.WriteString(busy(a2Card0, 90) + link(a2Slot, "32.0", 8))
		} else {
			b.WriteString(busy(a2Card0, 5) + link(a2Slot, "2.5", 8))
		}
	}
	return b.String()
}

// aer sets the count of messages of the port above card 1 of host A1.
func aer(severity, short string, total int) string {
	return fmt.Sprintf("%s/aer_dev_%s =\n  TOTAL_ERR_%s %d\n", a1Slot, severity, short, total)
}

// stalls adds three seconds to the stalled time in every scrape from second 120 on.
func stalls() string {
	var b strings.Builder
	total := 500_000 // microseconds
	for at := 120 * time.Second; at <= 900*time.Second; at += StepLength {
		total += 3_000_000
		fmt.Fprintf(&b, "=== t=%s\nproc/pressure/memory =\n  full avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n", at, total)
	}
	return b.String()
}

// nvidiaSmi is what the tool says of host B's card.
func nvidiaSmi(busy, degrees int, heat string) string {
	return fmt.Sprintf(`run/nvidia-smi/query-gpu =
  pci.bus_id, uuid, name, memory.total [MiB], memory.used [MiB], memory.reserved [MiB], utilization.gpu [%%], temperature.gpu, clocks_event_reasons.sw_power_cap, clocks_event_reasons.sw_thermal_slowdown, clocks_event_reasons.hw_slowdown
  00000000:01:00.0, GPU-3090-0001, NVIDIA GeForce RTX 3090, 24576, 22100, 303, %d, %d, Active, %s, Not Active
`, busy, degrees, heat)
}
