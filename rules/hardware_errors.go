package rules

import "time"

var gpuHardwareError = Alert{
	Name: "LlmGPUHardwareError", Severity: Warning, For: time.Minute, Panel: "cards/errors",
	// It stands as long as the kernel's log holds the error: until the machine boots, or somebody clears it.
	Expr:    `llm_gpu_xid_log_entries{kind="hardware"} > 0`,
	Summary: `NVIDIA's driver reports a failure of GPU {{ $labels.gpu }} of {{ $labels.instance }}: XID {{ $labels.xid }}, {{ $value | printf "%.0f" }} times.`,
	Description: `What runs on the card may give wrong answers, and the card may be lost.
		First read the lines (journalctl -k | grep Xid), then take the models off the card and reset it, or boot. To acknowledge it without a boot, clear the log (dmesg --clear) and start the exporter anew.`,
	Cases: []Case{{
		Recording: "hosts/c84-xid",
		Fires:     []Firing{{Labels: `gpu="0000:01:00.0", kind="hardware", xid="63"`, Pending: 5400, Firing: 5460, Resolved: 0, Text: "NVIDIA's driver reports a failure of GPU 0000:01:00.0 of llmfleet: XID 63, 1 times."}},
		Why:       "a row of memory is to be replaced, at 5400; page faults of programs before are no fault of the card",
	}},
}

// xidsOf lists the numbers of the errors of a card.
const xidsOf = `{{ range printf "llm_gpu_xid_log_entries{instance=%q,gpu=%q}" $labels.instance $labels.gpu | query }} XID {{ label "xid" . }}: {{ . | value }}.{{ end }}`

var gpuApplicationError = Alert{
	Name: "LlmGPUApplicationError", Severity: Info, For: time.Minute, Panel: "cards/errors",
	// A program's error is over when it is over: the growth counts, not the last number.
	Expr:    `increase(llm_gpu_xid_messages_total{kind!="hardware"}[${xid_window}]) > 0`,
	Summary: `NVIDIA's driver has stopped a program on GPU {{ $labels.gpu }} of {{ $labels.instance }}, or complained of it.`,
	Description: `The driver's errors of this card so far:` + xidsOf + ` The program has most likely ended or answers with errors; the card is well as far as is known.
		First see which program it was (journalctl -k | grep Xid names its pid), then its own log.`,
	Valueless: "the description lists the numbers of the errors, which tell more than how many",
	Cases: []Case{{
		Recording: "hosts/c84-xid",
		Fires: []Firing{
			{Labels: `gpu="0000:01:00.0", kind="application"`, Pending: 60, Firing: 120, Resolved: 1845, Text: "NVIDIA's driver has stopped a program on GPU 0000:01:00.0 of llmfleet, or complained of it."},
			{Labels: `gpu="0000:01:00.0", kind="application"`, Pending: 2700, Firing: 2760, Resolved: 4485, Text: "NVIDIA's driver has stopped a program on GPU 0000:01:00.0 of llmfleet, or complained of it."},
			{Labels: `gpu="0000:01:00.0", kind="other"`, Pending: 8100, Firing: 8160, Resolved: 0, Text: "NVIDIA's driver has stopped a program on GPU 0000:01:00.0 of llmfleet, or complained of it."},
		},
		Why: "a page fault at 60, the same again at 2700: each ends by itself, for the last number stays",
	}},
}
