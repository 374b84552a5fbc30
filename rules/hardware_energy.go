package rules

import "github.com/llmfleet/llmfleet/exporter/catalog"

// What tokens cost in energy. Cards tell their power, which is averaged over the window of the
// tokens: energy counters would be exact, and no source that the exporter reads has one. The power
// of a card that several backends share is nobody's, and a backend with a card whose power is not
// known has none: a part of it would look like a cheap one.
var (
	backendPower = Record{
		Name: "backend:llm_gpu_power:watts", Unit: string(catalog.Watts), Labels: perBackend,
		Expr: `
			sum by (instance, job, backend) (
			  llm_gpu_backend_info * on (instance, gpu) group_left () avg_over_time(llm_gpu_power_watts[${rate_window}])
			)
			unless on (instance, backend) (
			  llm_gpu_backend_info
			  unless on (instance, gpu) (llm_gpu_power_watts and on (instance, gpu) count by (instance, gpu) (llm_gpu_backend_info) == 1)
			)`,
		About:  "Power of all cards that run this backend and no other, on average; of an integrated GPU it is that of the whole processor.",
		Unread: energyUnread,
	}
	energyPerGenerated = Record{
		Name: "backend:llm_energy:joules_per_generated_token", Unit: string(catalog.Joules), Labels: perBackend,
		Expr: `
			backend:llm_gpu_power:watts
			  / (sum by (instance, job, backend) (backend:llm_generation_tokens:rate) > 0)`,
		About:  "Energy for each generated token, prompts included in what it pays for; no sample while nothing is generated.",
		Unread: energyUnread,
	}
	energyPerToken = Record{
		Name: "backend:llm_energy:joules_per_token", Unit: string(catalog.Joules), Labels: perBackend,
		Expr: `
			backend:llm_gpu_power:watts
			  / (sum by (instance, job, backend) (backend:llm_generation_tokens:rate + backend:llm_prompt_tokens:rate) > 0)`,
		About:  "Energy for each token in and out, those from the prefix cache included; with long prompts it is many times less than for a generated one. No sample while there are none.",
		Unread: energyUnread,
	}
)

// energyUnread is why no panel shows them.
const energyUnread = "few sources tell power, so they are for queries of one's own; a test of written series holds their numbers"
