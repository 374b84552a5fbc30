package exporter_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// hostCase is what a board must say at a time: lines that are there, and names or lines that
// are not. The figures are worked out from the tree by hand: lanes times the usable bytes of a
// lane (2.5 GT/s 250 MB/s, 5 500 MB/s, 8 984,615,384.6, 16 1,969,230,769, 32 3,938,461,538).
type hostCase struct {
	board  string
	at     time.Duration
	want   []string
	absent []string // regular expressions
}

// On boards with one card these are the beginnings of its lines.
const (
	now     = `llm_gpu_link_bandwidth_bytes_per_second`
	capable = `llm_gpu_link_capable_bandwidth_bytes_per_second`
	card    = `llm_gpu_link_card_bandwidth_bytes_per_second`
	limit   = `llm_gpu_link_limiting_hop_info`
)

var hostCases = map[string]hostCase{
	"one lane behind the chipset": {board: "a1", want: []string{
		now + `{gpu="0000:0b:00.0"} 1.9692307692307692e+09`,
		limit + `{device="0000:06:09.0",downstream="0000:09:00.0",gpu="0000:0b:00.0"} 1`,
		`llm_gpu_atomics_to_root{gpu="0000:0b:00.0",source="config"} 0`,
		`llm_gpu_atomics_to_root{gpu="0000:0b:00.0",source="kfd"} 0`,
		`llm_gpu_atomics_blocking_hop_info{device="0000:06:09.0",gpu="0000:0b:00.0",reason="no_routing"} 1`,
		`llm_pci_atomic_routing{device="0000:05:00.0"} 0`,
		now + `{gpu="0000:03:00.0"} 3.1507692307692307e+10`,
		`llm_gpu_atomics_to_root{gpu="0000:03:00.0",source="config"} 1`,
		`llm_host_gpus 2`,
	}, absent: []string{`gpu="0000:13:00.0"`}},
	"four lanes of sixteen": {board: "b", want: []string{
		now + `{gpu="0000:01:00.0"} 7.876923076923077e+09`,
		capable + `{gpu="0000:01:00.0"} 1.5753846153846153e+10`,
		card + `{gpu="0000:01:00.0"} 3.1507692307692307e+10`,
		limit + `{device="0000:00:01.1",downstream="0000:01:00.0",gpu="0000:01:00.0"} 1`,
	}},
	"the slot is slower than the card's inside": {board: "h03-navi-midlane", want: []string{
		now + `{gpu="0000:03:00.0"} 1.5753846153846153e+10`,
		limit + `{device="0000:00:01.1",downstream="0000:01:00.0",gpu="0000:03:00.0"} 1`,
		`llm_gpu_busy_ratio{gpu="0000:03:00.0"} 0.35`,
	}},
	"the upstream port tells the truth": {board: "h05-rx7800xt-gen3", want: []string{
		now + `{gpu="0000:0c:00.0"} 1.5753846153846153e+10`,
		`llm_gpu_busy_ratio{gpu="0000:0c:00.0"} 0`,
	}},
	"the board is the limit": {board: "h07-rx6700xt-x470", want: []string{
		now + `{gpu="0000:0c:00.0"} 1.5753846153846153e+10`,
		capable + `{gpu="0000:0c:00.0"} 1.5753846153846153e+10`,
		limit + `{device="0000:00:03.1",downstream="0000:0a:00.0",gpu="0000:0c:00.0"} 1`,
	}},
	"Vega's switch has another vendor": {board: "h10-vega56-x1", want: []string{
		now + `{gpu="0000:03:00.0"} 9.846153846153846e+08`,
		limit + `{device="0000:00:00.0",downstream="0000:01:00.0",gpu="0000:03:00.0"} 1`,
		`llm_pci_chain_info{device="0000:01:00.0",gpu="0000:03:00.0",hop="2",place="card",role="switch_upstream"} 1`,
		card + `{gpu="0000:03:00.0"} 1.5753846153846153e+10`,
	}},
	"an unknown inner speed is ignored": {board: "h11-rx6700xt-cm4", want: []string{
		now + `{gpu="0000:03:00.0"} 5e+08`,
		limit + `{device="0000:00:00.0",downstream="0000:01:00.0",gpu="0000:03:00.0"} 1`,
	}, absent: []string{`llm_pci_link_current_transfers_per_second\{device="0000:0[23]`}},
	"one lane of generation 1": {board: "h12-rx9060xt-gen1x1", want: []string{
		now + `{gpu="0000:03:00.0"} 2.5e+08`, card + `{gpu="0000:03:00.0"} 6.301538461538461e+10`,
	}},
	"a domain that is not zero": {board: "h13-rx9070xt-domain1", want: []string{
		now + `{gpu="0001:03:00.0"} 9.846153846153846e+08`,
		limit + `{device="0001:00:00.0",downstream="0001:01:00.0",gpu="0001:03:00.0"} 1`,
		`llm_gpu_rebar_enabled{gpu="0001:03:00.0"} 0`,
		`llm_gpu_bar_size_bytes{gpu="0001:03:00.0"} 2.68435456e+08`,
		`llm_pci_atomic_routing{device="0001:02:00.0"} 1`,
		`llm_pci_atomic_egress_blocked{device="0001:02:00.0"} 0`,
	}},
	"a tunnel is an upper bound": {board: "h14-usb4-tunnel", want: []string{
		now + `{gpu="0000:43:00.0"} 3.9384615384615383e+09`,
		`llm_gpu_link_upper_bound_only{gpu="0000:43:00.0"} 1`,
		`llm_pci_chain_info{device="0000:3f:00.0",gpu="0000:43:00.0",hop="4",place="tunnel",role="switch_upstream"} 1`,
	}},
	"Arc's inside lies": {board: "h15-arc-a770", want: []string{
		now + `{gpu="0000:03:00.0"} 3.1507692307692307e+10`,
		limit + `{device="0000:00:01.1",downstream="0000:01:00.0",gpu="0000:03:00.0"} 1`,
		card + `{gpu="0000:03:00.0"} 3.1507692307692307e+10`,
		// Control groups know its memory: 8 GiB of the system's programs and 1 MiB of a user's.
		`llm_gpu_memory_usable_size_bytes{gpu="0000:03:00.0",pool="vram"} 1.7072914432e+10`, `llm_gpu_memory_usable_used_bytes{gpu="0000:03:00.0",pool="vram"} 8.590983168e+09`,
	}},
	"so does Battlemage's": {board: "h16-arc-b580", want: []string{
		now + `{gpu="0000:03:00.0"} 1.5753846153846153e+10`,
		`llm_gpu_rebar_enabled{gpu="0000:03:00.0"} 1`,
		now + `{gpu="0000:07:00.0"} 7.876923076923077e+09`,
		`llm_gpu_rebar_enabled{gpu="0000:07:00.0"} 0`,
	}},
	"the chipset stops atomics and the compute driver rejects the card": {board: "h17-rx560-chipset", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:06:00.0",source="config"} 0`,
		`llm_gpu_atomics_blocking_hop_info{device="0000:03:02.0",gpu="0000:06:00.0",reason="no_routing"} 1`,
		`llm_gpu_kfd_node_present{gpu="0000:06:00.0"} 0`,
		`llm_gpu_up{gpu="0000:06:00.0"} 1`,
	}},
	"the compute driver knows without rights": {board: "h19-rx7900xt-rocketlake", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:03:00.0",source="kfd"} 0`,
		`llm_gpu_kfd_node_present{gpu="0000:03:00.0"} 1`,
		`llm_host_config_space_readable 0`,
	}, absent: []string{"llm_gpu_atomics_blocking_hop_info", `source="config"`}},
	"a root port need not route": {board: "h21-gfx803-intel-root", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:01:00.0",source="config"} 1`,
		`llm_pci_atomic_routing{device="0000:00:01.0"} 0`,
		`llm_pci_atomic_completer{bits="128",device="0000:00:01.0"} 1`,
	}, absent: []string{"llm_gpu_atomics_blocking_hop_info"}},
	"a root port that completes nothing": {board: "h22-rk3588", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:03:00.0",source="config"} 0`,
		`llm_gpu_atomics_blocking_hop_info{device="0000:00:00.0",gpu="0000:03:00.0",reason="root_not_completer"} 1`,
	}},
	"a port that software capped": {board: "h23-x1-switch", want: []string{
		now + `{gpu="0000:05:00.0"} 2.5e+08`,
		`llm_gpu_atomics_to_root{gpu="0000:05:00.0",source="config"} 0`,
		`llm_pci_link_target_transfers_per_second{device="0000:03:05.0"} 2.5e+09`,
		`llm_pci_link_max_transfers_per_second{device="0000:03:05.0"} 5e+09`,
	}, absent: []string{`device="0000:03:01.0"`}},
	"idle with all lanes": {board: "h25-rtx4090-idle", want: []string{
		now + `{gpu="0000:01:00.0"} 4e+09`, `llm_pci_link_current_width_lanes{device="0000:01:00.0"} 16`, `llm_gpu_busy_ratio{gpu="0000:01:00.0"} 0`,
	}},
	"idle, and both ends agree": {board: "h26-rtx3090-idle", want: []string{
		`llm_pci_link_current_transfers_per_second{device="0000:00:01.1"} 2.5e+09`, `llm_pci_link_current_transfers_per_second{device="0000:01:00.0"} 2.5e+09`,
		`llm_pci_link_current_width_lanes{device="0000:00:01.1"} 16`, `llm_pci_link_current_width_lanes{device="0000:01:00.0"} 16`, `llm_gpu_busy_ratio{gpu="0000:01:00.0"} 0`,
	}},
	"one of two twins rests": {board: "h28-two-1080ti", want: []string{
		now + `{gpu="0000:01:00.0"} 4e+09`, `llm_gpu_busy_ratio{gpu="0000:01:00.0"} 0`,
		now + `{gpu="0000:02:00.0"} 1.5753846153846153e+10`, `llm_gpu_busy_ratio{gpu="0000:02:00.0"} 0.95`,
	}},
	"two of four in bad slots": {board: "h29-x399-four-3090", want: []string{
		now + `{gpu="0000:09:00.0"} 5e+08`, now + `{gpu="0000:41:00.0"} 1e+09`,
		capable + `{gpu="0000:09:00.0"} 1.5753846153846153e+10`,
	}},
	"all four after the move": {board: "h29-x399-four-3090", at: 10 * time.Minute, want: []string{
		now + `{gpu="0000:08:00.0"} 1.5753846153846153e+10`, now + `{gpu="0000:09:00.0"} 7.876923076923077e+09`,
		now + `{gpu="0000:41:00.0"} 1.5753846153846153e+10`, now + `{gpu="0000:42:00.0"} 7.876923076923077e+09`,
	}},
	"fallen off the bus under load": {board: "h30a-oculink-5090", at: time.Minute, want: []string{
		`llm_gpu_up{gpu="0000:01:00.0"} 0`, `llm_gpu_failed{gpu="0000:01:00.0",reason="unreachable"} 1`, `llm_host_gpus 1`,
	}, absent: []string{now, limit, `} 63\n`, `current_width_lanes\{device="0000:01:00.0"`}},
	"vanished without a word": {board: "h30c-vanishes", at: 2 * time.Minute, want: []string{
		`llm_gpu_up{gpu="0000:01:00.0"} 0`, `llm_gpu_failed{gpu="0000:01:00.0",reason="gone"} 1`, `llm_gpu_up{gpu="0000:02:00.0"} 1`,
		`llm_host_gpus 1`, `llm_host_expected_gpus 2`,
	}},
	"vanished, and back again": {board: "h30c-vanishes", at: 15 * time.Minute, want: []string{
		`llm_gpu_up{gpu="0000:01:00.0"} 1`, `llm_gpu_failed{gpu="0000:01:00.0",reason="gone"} 0`, `llm_host_gpus 2`,
	}},
	"present, unbound, unreachable": {board: "h30d-fallen-at-probe", want: []string{
		`llm_gpu_up{gpu="0000:b3:00.0"} 0`, `llm_gpu_failed{gpu="0000:b3:00.0",reason="unreachable"} 1`, `llm_gpu_driver_bound{gpu="0000:b3:00.0"} 0`,
		`llm_gpu_up{gpu="0000:c3:00.0"} 1`, `llm_host_gpus 2`,
	}},
	"windows that were not resized": {board: "h32-two-4090-small-bar", want: []string{
		`llm_gpu_rebar_enabled{gpu="0000:01:00.0"} 0`, `llm_gpu_bar_size_bytes{gpu="0000:01:00.0"} 2.68435456e+08`,
		`llm_gpu_rebar_enabled{gpu="0000:02:00.0"} 0`, `llm_gpu_bar_size_bytes{gpu="0000:02:00.0"} 5.36870912e+08`,
	}},
	"sizes decide": {board: "h34-rx6800-rebar", want: []string{
		`llm_gpu_rebar_enabled{gpu="0000:03:00.0"} 0`, `llm_gpu_rebar_enabled{gpu="0000:07:00.0"} 1`,
	}},
	"a small window without rights": {board: "h35-small-window", want: []string{
		`llm_gpu_rebar_enabled{gpu="0000:9e:00.0"} 0`, `llm_gpu_memory_vram_size_bytes{gpu="0000:9e:00.0"} 4.294967296e+09`,
		`llm_gpu_memory_visible_vram_size_bytes{gpu="0000:9e:00.0"} 2.68435456e+08`, `llm_gpu_memory_gtt_size_bytes{gpu="0000:9e:00.0"} 4.294967296e+09`,
		`llm_host_config_space_readable 0`, `llm_gpu_numa_node{gpu="0000:9e:00.0"} 1`,
	}},
	"96 GiB, not 100": {board: "h37-strix-halo-gtt", want: []string{
		`llm_gpu_memory_shared{gpu="0000:c5:00.0"} 1`, `llm_gpu_memory_usable_size_bytes{gpu="0000:c5:00.0",pool="gtt"} 1.03079215104e+11`,
		`llm_gpu_memory_vram_size_bytes{gpu="0000:c5:00.0"} 4.294967296e+09`, `llm_gpu_atomics_to_root{gpu="0000:c5:00.0",source="driver"} 1`,
	}, absent: []string{`pool="vram"`}},
	"a small carve-out: mapped memory": {board: "h39-strix-halo-512m", want: []string{
		`llm_gpu_memory_usable_size_bytes{gpu="0000:c5:00.0",pool="gtt"} 1.13246208e+11`, // 108000 MiB
	}, absent: []string{`pool="vram"`}},
	"a large carve-out: the carve-out": {board: "h39-strix-halo-carveout", want: []string{
		`llm_gpu_memory_usable_size_bytes{gpu="0000:c5:00.0",pool="vram"} 1.03079215104e+11`, `llm_gpu_memory_shared{gpu="0000:c5:00.0"} 1`,
	}, absent: []string{`pool="gtt"`}},
	"decimal location, meaningless bandwidths": {board: "h41-mi210", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:63:00.0",source="kfd"} 1`, `llm_gpu_kfd_node_present{gpu="0000:63:00.0"} 1`,
		now + `{gpu="0000:63:00.0"} 3.1507692307692307e+10`,
	}},
	"an empty slot is no link": {board: "h42-empty-slot", want: []string{`llm_host_gpus 0`}, absent: []string{"llm_pci_", "llm_gpu_"}},
	"an odd neighbour hides nothing": {board: "h44-odd-neighbour", want: []string{
		now + `{gpu="0000:03:00.0"} 3.1507692307692307e+10`, `llm_gpu_up{gpu="0000:03:00.0"} 1`, `llm_host_source_up{source="pci"} 1`,
	}},
	"two cards on an old board": {board: "h45-two-r9700-x99", want: []string{
		now + `{gpu="0000:03:00.0"} 1.5753846153846153e+10`, capable + `{gpu="0000:03:00.0"} 1.5753846153846153e+10`, `llm_gpu_rebar_enabled{gpu="0000:03:00.0"} 0`,
		now + `{gpu="0000:07:00.0"} 1.5753846153846153e+10`, capable + `{gpu="0000:07:00.0"} 1.5753846153846153e+10`, `llm_gpu_rebar_enabled{gpu="0000:07:00.0"} 0`,
	}},
	"a missing file is not zero": {board: "h46-missing-files", want: []string{`llm_gpu_busy_ratio{gpu="0000:01:00.0"} 0.07`, `llm_gpu_up{gpu="0000:01:00.0"} 1`},
		absent: []string{"llm_pci_link", "bandwidth"}},
	"another processor, the same chain": {board: "h47-loongson", want: []string{
		now + `{gpu="0000:0d:00.0"} 7.876923076923077e+09`, limit + `{device="0000:00:0f.0",downstream="0000:0b:00.0",gpu="0000:0d:00.0"} 1`,
	}},
	"A2 both cards at eight lanes of generation 5": {board: "a2", want: []string{
		now + `{gpu="0000:03:00.0"} 3.1507692307692307e+10`, now + `{gpu="0000:07:00.0"} 3.1507692307692307e+10`,
		`llm_gpu_atomics_to_root{gpu="0000:03:00.0",source="config"} 1`, `llm_gpu_atomics_to_root{gpu="0000:07:00.0",source="config"} 1`,
		`llm_gpu_backend_info{backend="radiance",gpu="0000:03:00.0"} 1`, `llm_gpu_backend_info{backend="radiance",gpu="0000:07:00.0"} 1`,
		`llm_gpu_peer_link_present{gpu="0000:03:00.0",peer="0000:07:00.0"} 1`,
	}},
	"B unified memory is the machine's": {board: "b", want: []string{
		`llm_gpu_memory_shared{gpu="0000:c5:00.0"} 1`, `llm_gpu_memory_usable_size_bytes{gpu="0000:c5:00.0",pool="gtt"} 1.2884901888e+11`,
		`llm_host_memory_available_bytes 7.8920024064e+10`, `llm_host_memory_free_bytes 5.36870912e+09`,
		`llm_host_memory_contiguous_bytes 6.6060288e+08`, // 1×2 + 2×4 of zone DMA, 290×2 + 10×4 of Normal, MiB
		`llm_gpu_backend_info{backend="big",gpu="0000:c5:00.0"} 1`, `llm_gpu_backend_info{backend="small",gpu="0000:01:00.0"} 1`,
	}, absent: []string{`llm_gpu_link_bandwidth_bytes_per_second\{gpu="0000:c5`}},

	"a processor's graphics without a link": {board: "edge-intel-igpu", want: []string{`llm_gpu_up{gpu="0000:00:02.0"} 1`, `llm_gpu_integrated{gpu="0000:00:02.0"} 1`},
		absent: []string{"llm_pci_link", "bandwidth", "llm_pci_atomic"}},
	"dead and disconnected": {board: "edge-dead-cards", at: time.Minute, want: []string{
		`llm_gpu_failed{gpu="0000:03:00.0",reason="unreachable"} 1`, `llm_gpu_failed{gpu="0000:07:00.0",reason="unreachable"} 1`,
	}, absent: []string{`llm_gpu_busy_ratio`, `} 63\n`, `} 255\n`}},
	"a kernel before 5.7": {board: "edge-old-kernel", want: []string{now + `{gpu="0000:01:00.0"} 7.876923076923077e+09`}},
	"a bus inside a device": {board: "edge-vmd", want: []string{
		now + `{gpu="10000:e1:00.0"} 3.1507692307692307e+10`, limit + `{device="10000:e0:02.0",downstream="10000:e1:00.0",gpu="10000:e1:00.0"} 1`,
		`llm_gpu_memory_vram_size_bytes{gpu="10000:e1:00.0"} 5.152702464e+10`,
	}, absent: []string{`0000:e0:00.5`}},
	"a guest without root port": {board: "edge-guest", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:00:05.0",source="config"} 1`, `llm_gpu_atomics_to_root{gpu="0000:00:06.0",source="config"} 0`,
		now + `{gpu="0000:00:05.0"} 3.1507692307692307e+10`, `llm_host_gpus 2`,
	}},
	"a bridge to the old bus": {board: "edge-pci-bridge", want: []string{
		now + `{gpu="0000:04:00.0"} 2.5e+08`, limit + `{device="0000:00:1c.0",downstream="0000:03:00.0",gpu="0000:04:00.0"} 1`,
		`llm_pci_chain_info{device="0000:03:00.0",gpu="0000:04:00.0",hop="1",place="board",role="unknown"} 1`,
	}},
	"errors beyond 128 bytes and without a name": {board: "edge-aer", want: []string{
		`llm_pci_aer_errors_total{aer_severity="correctable",device="0000:00:01.1",error="CorrIntErr"} 1.23456789e+08`,
		`llm_pci_aer_errors_total{aer_severity="correctable",device="0000:00:01.1",error="HeaderOF"} 2`,
		`llm_pci_aer_errors_total{aer_severity="correctable",device="0000:00:01.1",error="dev_cor_errs_bit[9]"} 3`,
		`llm_pci_aer_messages_total{aer_severity="correctable",device="0000:00:01.1"} 1.728395047e+09`,
		`llm_pci_aer_errors_total{aer_severity="nonfatal",device="0000:00:01.1",error="AtomicOpBlocked"} 4`,
		`llm_pci_aer_messages_total{aer_severity="nonfatal",device="0000:00:01.1"} 4`,
		`llm_pci_aer_messages_total{aer_severity="fatal",device="0000:03:00.0"} 0`,
	}, absent: []string{"TOTAL"}},
	"the compute driver's four answers": {board: "edge-kfd-flags", want: []string{
		`llm_gpu_atomics_to_root{gpu="0000:03:00.0",source="kfd"} 1`, `llm_gpu_atomics_to_root{gpu="0000:07:00.0",source="kfd"} 1`,
		`llm_gpu_atomics_to_root{gpu="0000:0b:00.0",source="kfd"} 0`, `llm_gpu_atomics_to_root{gpu="0000:0f:00.0",source="kfd"} 0`,
	}},
	"the compute driver refuses to say": {board: "edge-kfd-denied", want: []string{
		`llm_host_source_up{source="kfd"} 0`, `llm_host_source_failed{reason="denied",source="kfd"} 1`, `llm_gpu_up{gpu="0000:03:00.0"} 1`,
	}, absent: []string{"llm_gpu_kfd_node_present"}},
	"an empty file is not zero": {board: "edge-amdgpu-empty", want: []string{`llm_gpu_memory_vram_size_bytes{gpu="0000:03:00.0"} 3.4208743424e+10`},
		absent: []string{"llm_gpu_memory_vram_used", "llm_gpu_memory_gtt_used", "llm_gpu_busy"}},
	"a tool that hangs": {board: "edge-smi-hang", want: []string{
		now + `{gpu="0000:01:00.0"} 3.1507692307692307e+10`, `llm_host_source_failed{reason="timeout",source="nvidia"} 1`, `llm_host_source_timeouts_total{source="nvidia"} 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`,
	}},
	"a tool that is not there": {board: "edge-smi-missing", want: []string{`llm_host_source_failed{reason="missing",source="nvidia"} 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`}},
	"a card that must be reset": {board: "edge-smi-reset", want: []string{
		`llm_gpu_failed{gpu="0000:01:00.0",reason="reset_required"} 1`, `llm_gpu_up{gpu="0000:02:00.0"} 1`, `llm_gpu_temperature_celsius{gpu="0000:02:00.0",sensor="gpu"} 66`,
	}, absent: []string{"llm_gpu_busy_ratio", "llm_gpu_memory_busy", `memory_vram_size_bytes\{gpu="0000:01`}},
	"a sleeping card of NVIDIA's": {board: "edge-nvidia-asleep", want: []string{`llm_gpu_suspended{gpu="0000:01:00.0"} 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`},
		absent: []string{"current_", `source="nvidia"`}},
	"two files of one client": {board: "edge-fdinfo", want: []string{
		`llm_gpu_process_memory_bytes{gpu="0000:03:00.0",pool="vram",process="Xwayland"} 1.048576e+08`,                        // once, and not again for whom it was passed to
		`llm_gpu_process_memory_bytes{backend="chat",gpu="0000:03:00.0",pool="vram",process="llama-server"} 1.2884901888e+10`, // no unit: bytes
		`llm_gpu_process_memory_bytes{backend="embed",gpu="0000:07:00.0",pool="vram",process="llama-server"} 5.36870912e+09`,
		`llm_gpu_process_memory_bytes{backend="embed",gpu="0000:07:00.0",pool="gtt",process="llama-server"} 4.194304e+06`,
		`llm_host_unreadable_processes 1`,
		`llm_gpu_process_id_memory_bytes{gpu="0000:03:00.0",pid="700",pool="vram",process="Xwayland"} 1.048576e+08`,
	}, absent: []string{"ollama"}},

	"cards of AMD's alone": {board: "c54-amd-only", want: []string{
		`llm_gpu_memory_usable_used_bytes{gpu="0000:03:00.0",pool="vram"} 3.3e+10`, `llm_gpu_memory_usable_size_bytes{gpu="0000:03:00.0",pool="vram"} 3.4e+10`,
	}, absent: []string{`source="nvidia"`, `source="kernel_log"`}},
	"cards of NVIDIA's alone": {board: "c54-nvidia-only", want: []string{ // 32424 and 31471 MiB
		`llm_gpu_memory_usable_used_bytes{gpu="0000:01:00.0",pool="vram"} 3.2999735296e+10`, `llm_gpu_memory_usable_size_bytes{gpu="0000:01:00.0",pool="vram"} 3.3999028224e+10`,
	}, absent: []string{`source="amdgpu"`, `source="kfd"`}},
	"neither, though two are expected": {board: "c54-neither", want: []string{`llm_host_gpus 0`, `llm_host_expected_gpus 2`}, absent: []string{"llm_gpu_"}},
	"a card asleep": {board: "c66-suspended", want: []string{
		`llm_gpu_suspended{gpu="0000:07:00.0"} 1`, `llm_gpu_memory_vram_size_bytes{gpu="0000:07:00.0"} 1.7163091968e+10`, `llm_gpu_up{gpu="0000:07:00.0"} 1`,
		`llm_gpu_busy_ratio{gpu="0000:03:00.0"} 0.77`, `llm_gpu_power_watts{gpu="0000:03:00.0"} 180`,
	}, absent: []string{`llm_gpu_(busy_ratio|power_watts|temperature_celsius)\{gpu="0000:07`}},
	"a card that falls asleep between two reads": {board: "c66-busy-refused", want: []string{
		`llm_gpu_memory_vram_used_bytes{gpu="0000:03:00.0"} 2.8311552e+07`, `llm_host_source_up{source="amdgpu"} 1`, `llm_host_read_errors_total{reason="asleep",source="amdgpu"} 2`,
	}, absent: []string{"llm_gpu_busy_ratio", "llm_gpu_power_watts"}},
	"idle speed": {board: "c67-idle-speed", want: []string{
		`llm_pci_link_current_transfers_per_second{device="0000:01:00.0"} 2.5e+09`, `llm_pci_link_current_width_lanes{device="0000:01:00.0"} 16`, `llm_gpu_busy_ratio{gpu="0000:03:00.0"} 0`,
	}},
	"idle width": {board: "c67-idle-width", want: []string{`llm_pci_link_current_width_lanes{device="0000:01:00.0"} 1`, `llm_gpu_busy_ratio{gpu="0000:03:00.0"} 0`}},
	"GB10": {board: "c72-gb10", want: []string{
		`llm_gpu_temperature_celsius{gpu="000f:01:00.0",sensor="gpu"} 35`, `llm_gpu_busy_ratio{gpu="000f:01:00.0"} 0`, `llm_gpu_power_watts{gpu="000f:01:00.0"} 11.17`,
		`llm_gpu_memory_shared{gpu="000f:01:00.0"} 1`,
		`llm_gpu_memory_usable_size_bytes{gpu="000f:01:00.0",pool="host"} 1.30663165952e+11`, `llm_gpu_memory_usable_used_bytes{gpu="000f:01:00.0",pool="host"} 9.25120512e+09`,
	}, absent: []string{"llm_gpu_memory_vram", "llm_pci_link", "bandwidth"}},
	"one card unlisted": {board: "c78-one-unlisted", want: []string{
		`llm_host_gpus 4`, `llm_gpu_up{gpu="0000:ac:00.0"} 0`, `llm_gpu_failed{gpu="0000:ac:00.0",reason="unlisted"} 1`,
		`llm_gpu_up{gpu="0000:16:00.0"} 1`, `llm_gpu_up{gpu="0000:38:00.0"} 1`, `llm_gpu_up{gpu="0000:82:00.0"} 1`,
	}, absent: []string{"0000:82:00.1"}},
	"fewer than configured": {board: "c78-configured", want: []string{`llm_host_gpus 3`, `llm_host_expected_gpus 4`}},
	"blind, not lost": {board: "c80-nvml-lost", want: []string{
		`llm_host_source_up{source="nvidia"} 0`, `llm_host_source_failed{reason="nvml_init",source="nvidia"} 1`, `llm_host_gpus 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`,
	}},
	"the right sensor": {board: "edge-card10", want: []string{
		`llm_gpu_temperature_celsius{gpu="0000:03:00.0",sensor="edge"} 47`, `llm_gpu_temperature_celsius{gpu="0000:03:00.0",sensor="junction"} 58`, `llm_gpu_power_watts{gpu="0000:03:00.0"} 181`,
	}, absent: []string{"nvme", "36.85"}},
	"no error yet": {board: "c84-xid", want: []string{ // what a program wrote into the log is none
		`llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="application"} 0`, `llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="hardware"} 0`, `llm_host_source_up{source="kernel_log"} 1`,
	}, absent: []string{"llm_gpu_xid_log_entries"}},
	"a repeated error is seen": {board: "c84-xid", at: 45 * time.Minute, want: []string{
		`llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="application"} 2`, `llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="hardware"} 0`,
		`llm_gpu_xid_log_entries{gpu="0000:01:00.0",kind="application",xid="31"} 2`,
	}, absent: []string{"4711", "python"}},
	"a failure of the card": {board: "c84-xid", at: 90 * time.Minute, want: []string{
		`llm_gpu_xid_log_entries{gpu="0000:01:00.0",kind="hardware",xid="63"} 1`, `llm_gpu_xid_messages_total{gpu="0000:01:00.0",kind="hardware"} 1`,
	}},
	"the log is the system's own": {board: "c84-log-denied", want: []string{
		`llm_host_source_up{source="kernel_log"} 0`, `llm_host_source_failed{reason="denied",source="kernel_log"} 1`, `llm_gpu_up{gpu="0000:01:00.0"} 1`,
	}, absent: []string{"llm_gpu_xid"}},
	"two files refused": {board: "c86-no-rights", want: []string{
		`llm_gpu_busy_ratio{gpu="0000:03:00.0"} 0.12`, `llm_gpu_memory_vram_size_bytes{gpu="0000:03:00.0"} 1.7163091968e+10`,
		`llm_host_read_errors_total{reason="denied",source="amdgpu"} 1`, `llm_host_source_failed{reason="denied",source="amdgpu"} 1`,
	}, absent: []string{"llm_gpu_memory_vram_used", "llm_gpu_power_watts"}},
	"who holds what": {board: "c102-who-holds-what", want: []string{
		`llm_gpu_process_memory_bytes{gpu="0000:01:00.0",pool="vram",process="llama-server"} 2.006450176e+10`, // 19135 MiB
		`llm_gpu_process_memory_bytes{gpu="0000:01:00.0",pool="vram",process="python"} 2.147483648e+09`,
		`llm_gpu_processes{gpu="0000:01:00.0"} 2`, `llm_gpu_memory_vram_used_bytes{gpu="0000:01:00.0"} 2.23346688e+10`,
	}, absent: []string{"someone", "1001"}},
	"memory that nobody holds": {board: "time-memory-kept", at: 5 * time.Minute, want: []string{
		`llm_gpu_processes{gpu="0000:03:00.0"} 0`, `llm_gpu_memory_vram_used_bytes{gpu="0000:03:00.0"} 2.7917287424e+10`,
	}, absent: []string{"llm_gpu_process_memory_bytes"}},
	"a machine without a GPU":   {board: "no-gpu", want: []string{`llm_host_gpus 0`, `llm_host_memory_size_bytes 4.096e+09`}, absent: []string{"llm_gpu_", "llm_pci_"}},
	"a machine without the bus": {board: "no-pci", want: []string{`llm_host_gpus 0`, `llm_host_memory_size_bytes 2.048e+09`}, absent: []string{`source="pci"`}},
}

func TestHostCases(t *testing.T) {
	for name, tt := range hostCases {
		t.Run(name, func(t *testing.T) {
			onBoard(t, tt.board, func(b *board) {
				page := ""
				for _, at := range b.tree.Times() {
					if at <= tt.at {
						page = b.scrape(at)
					}
				}
				wantLines(t, page, tt.want...)
				for _, a := range tt.absent {
					if found := regexp.MustCompile(a).FindString(page); found != "" {
						t.Errorf("the page has %q, which must be absent: %q", a, lineWith(page, found))
					}
				}
				if touched := b.tree.Violations(); len(touched) > 0 {
					t.Errorf("was read and must not be: %q", touched)
				}
			})
		})
	}
}

func lineWith(page, text string) string {
	for line := range strings.Lines(page) {
		if strings.Contains(line, strings.TrimSpace(text)) {
			return line
		}
	}
	return ""
}

func TestLinkThatFlapsBetweenScrapesIsCounted(t *testing.T) {
	onBoard(t, "time-flapping", func(b *board) {
		page := ""
		for at := time.Duration(0); at <= 15*time.Minute; at += time.Second {
			if at%(15*time.Second) == 0 {
				page = b.scrape(at)
				wantLines(t, page, now+`{gpu="0000:03:00.0"} 3.1507692307692307e+10`) // no scrape ever sees it
			} else if at%(2*time.Second) == 0 {
				b.at = at
				b.exporter.SampleHost(b.t.Context())
			}
		}
		// Twelve times down and up again.
		wantLines(t, page, `llm_pci_link_changes_total{device="0000:01:00.0"} 24`, `llm_pci_link_changes_total{device="0000:03:00.0"} 0`)
	})
}
