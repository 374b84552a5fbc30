package catalog

// Speculative decoding. Presence is not use: some engines export these at zero when nothing drafts.
var (
	SpecDecodeDrafts = declare(Series{
		Name: "llm_spec_decode_drafts_total", Kind: Counter, Unit: Count, Labels: Data,
		Help: "Drafts that were verified.",
	})
	SpecDecodeDraftTokens = declare(Series{
		Name: "llm_spec_decode_draft_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Tokens that were drafted.",
	})
	SpecDecodeAcceptedTokens = declare(Series{
		Name: "llm_spec_decode_accepted_tokens_total", Kind: Counter, Unit: Tokens, Labels: Data, Headline: true,
		Help: "Drafted tokens that the model accepted.",
	})
	SpecDecodeAcceptanceLength = declare(Series{
		Name: "llm_spec_decode_acceptance_length", Kind: Gauge, Unit: Tokens, Labels: Data,
		Help: "Tokens that one verification gave of late, the model's own included, where the engine counts no drafted tokens; absent when nothing drafts.",
	})
	SpecDecodeAcceptedPerPosition = declare(Series{
		Name: "llm_spec_decode_accepted_tokens_per_position_total", Kind: Counter, Unit: Tokens, Labels: With(Data, LabelPosition),
		Help: "Accepted tokens by their place in the draft, from 0.",
	})
)
