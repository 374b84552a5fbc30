package catalog

// Reason says why a target's numbers are not there. The set is closed: a reason is a label
// value, and rules and runbooks speak of each.
type Reason string

// The reasons.
const (
	ReasonRefused      Reason = "refused"      // nobody listens, connection reset, no route
	ReasonTimeout      Reason = "timeout"      // no complete answer before the deadline
	ReasonDNS          Reason = "dns"          // the host name does not resolve
	ReasonTLS          Reason = "tls"          // handshake or certificate, or TLS spoken to a plain port
	ReasonAuth         Reason = "auth"         // 401 or 403
	ReasonDisabled     Reason = "disabled"     // the program can export numbers and was started without (501, 404)
	ReasonLoading      Reason = "loading"      // 503 while the model loads
	ReasonAsleep       Reason = "asleep"       // asking would wake the model, so it was not asked
	ReasonHTTP         Reason = "http"         // another status than 2xx, or a redirect elsewhere
	ReasonNotMetrics   Reason = "not_metrics"  // an answer that is not an exposition: HTML, JSON, empty
	ReasonTooLarge     Reason = "too_large"    // beyond the body or series limit
	ReasonUnrecognized Reason = "unrecognized" // an exposition of a program nobody here knows
	ReasonSkipped      Reason = "skipped"      // the previous fetch is still in flight
)

// Reasons lists the closed set in the order of the documentation.
func Reasons() []Reason {
	return []Reason{
		ReasonRefused, ReasonTimeout, ReasonDNS, ReasonTLS, ReasonAuth, ReasonDisabled, ReasonLoading, ReasonAsleep,
		ReasonHTTP, ReasonNotMetrics, ReasonTooLarge, ReasonUnrecognized, ReasonSkipped,
	}
}

// Passes says that the reason goes away without anybody's doing: nothing has to be changed.
func (r Reason) Passes() bool {
	return r == ReasonLoading || r == ReasonAsleep || r == ReasonSkipped
}

// Remedy is what the operator of the exporter can do about the reason, for a person; "" where it
// is the server that must be changed (ReasonDisabled: its engine knows how) or nothing at all.
func (r Reason) Remedy() string {
	switch r {
	case ReasonRefused:
		return "start the server, or correct its url in the exporter's configuration"
	case ReasonTimeout:
		return "see what keeps the server from answering, or raise the backend's timeout in the exporter's configuration"
	case ReasonDNS:
		return "correct the host name in the backend's url"
	case ReasonTLS:
		return "compare the scheme of the backend's url and its tls_config with what the server speaks"
	case ReasonAuth:
		return "put the server's API key into a file and name that under authorization.credentials_file of the backend"
	case ReasonHTTP:
		return "ask the path of its metrics with curl -i, and read the body"
	case ReasonNotMetrics:
		return "correct the backend's url: a web page or another program answers there"
	case ReasonTooLarge:
		return "look at what grew, then raise body_limit or series_limit of the backend"
	case ReasonUnrecognized:
		return "name its engine in the exporter's configuration, or write a mapping: llmfleet doctor proposes one"
	}
	return ""
}

// Is the server there, and do its numbers arrive?
var (
	Up = declare(Series{
		Name: "llm_up", Kind: Gauge, Unit: Boolean, Labels: Health, Origin: Observed,
		Help: "1 if the backend's numbers were fetched and read in this scrape, 0 if not; absent for a program that exports no numbers.",
	})
	Healthy = declare(Series{
		Name: "llm_healthy", Kind: Gauge, Unit: Boolean, Labels: Health, Origin: Observed,
		Help: "1 if the backend answers and says that it can serve, 0 if not.",
	})
	ScrapeFailed = declare(Series{
		Name: "llm_scrape_failed", Kind: StateSet, Unit: Boolean, Labels: With(Health, LabelReason), Origin: Observed,
		Help: "1 for the reason why the backend's numbers are missing in this scrape, 0 for every other reason.",
	})
	ScrapeErrors = declare(Series{
		Name: "llm_scrape_errors_total", Kind: Counter, Unit: Count, Labels: With(Health, LabelReason), Origin: Observed,
		Help: "Failed requests to the backend since the exporter started, by reason.",
	})
	ScrapeDuration = declare(Series{
		Name: "llm_scrape_duration_seconds", Kind: Gauge, Unit: Seconds, Labels: Health, Origin: Observed,
		Help: "How long the backend took to answer all that was asked in this scrape.",
	})
	ScrapeLastSuccess = declare(Series{
		Name: "llm_scrape_last_success_timestamp_seconds", Kind: Gauge, Unit: Timestamp, Labels: Health, Origin: Observed,
		Help: "When the backend's numbers were last fetched and read; absent if never.",
	})
	ScrapeCertificateExpiry = declare(Series{
		Name: "llm_scrape_certificate_expiry_timestamp_seconds", Kind: Gauge, Unit: Timestamp, Labels: Health, Origin: Observed,
		Help: "When the first of the certificates that the backend showed in this scrape expires; absent without TLS.",
	})
	ScrapeSamples = declare(Series{
		Name: "llm_scrape_samples", Kind: Gauge, Unit: Count, Labels: Health, Origin: Observed,
		Help: "Samples in the backend's exposition.",
	})
	ScrapeBody = declare(Series{
		Name: "llm_scrape_body_bytes", Kind: Gauge, Unit: Bytes, Labels: Health, Origin: Observed,
		Help: "Size of the backend's exposition.",
	})
	ScrapeMissingSeries = declare(Series{
		Name: "llm_scrape_missing_series", Kind: Gauge, Unit: Count, Labels: Health, Origin: Observed,
		Help: "Names that this engine's version should export and did not send: above 0 after an upgrade means that something was renamed.",
	})
	ScrapeUnmappedSeries = declare(Series{
		Name: "llm_scrape_unmapped_series", Kind: Gauge, Unit: Count, Labels: Health, Origin: Observed,
		Help: "Metric families of the engine's own prefix that were seen and have no uniform series.",
	})
	ScrapeDroppedSamples = declare(Series{
		Name: "llm_scrape_dropped_samples_total", Kind: Counter, Unit: Count, Labels: Health, Origin: Observed,
		Help: "Samples that could not be used since the exporter started: malformed lines, NaN, infinities, values out of range.",
	})
	ScrapeFolded = declare(Series{
		Name: "llm_scrape_folded_series_total", Kind: Counter, Unit: Count, Labels: Health, Origin: Observed,
		Help: "Series beyond the backend's limit of label values that were folded into the value other, since the exporter started.",
	})
	EngineChanges = declare(Series{
		Name: "llm_engine_changes_total", Kind: Counter, Unit: Count, Labels: Health, Origin: Observed,
		Help: "How often another program or version answered at the backend's address since the exporter started.",
	})
	SeriesSupported = declare(Series{
		Name: "llm_series_supported", Kind: Gauge, Unit: Boolean, Labels: []string{LabelBackend, LabelEngine, LabelSeries}, Origin: Observed,
		Help: "1 if the backend's engine can give the series in its version (or, where that is not known, in a new one), 0 if it cannot: tells an honest blank from a failure.",
	})
)

// What the operator said in the configuration, so that rules can compare it with what is.
var (
	Unscraped = declare(Series{
		Name: "llm_unscraped_info", Kind: Info, Labels: With(Health, LabelReason), Origin: Configured, Setting: "unscraped",
		Help: "A backend that is known and deliberately not scraped, with the operator's reason.",
	})
	ExpectedModel = declare(Series{
		Name: "llm_expected_model_info", Kind: Info, Labels: With(Health, LabelModel), Origin: Configured, Setting: "expect.models",
		Help: "A model that the operator expects the backend to serve.",
	})
	ExpectedModelServed = declare(Series{
		Name: "llm_expected_model_served", Kind: Gauge, Unit: Boolean, Labels: With(Health, LabelModel), Origin: Computed, Setting: "expect.models",
		Help: "1 if the expected model is in the backend's list of models, 0 if another is; absent if the list cannot be had.",
	})
	ExpectedLoaded = declare(Series{
		Name: "llm_expected_loaded", Kind: Gauge, Unit: Boolean, Labels: Health, Origin: Configured, Setting: "expect.loaded",
		Help: "1 if the operator expects the backend to have a model in memory all the time; absent if he did not say.",
	})
	ExpectedSpeculation = declare(Series{
		Name: "llm_expected_speculation", Kind: Gauge, Unit: Boolean, Labels: Health, Origin: Configured, Setting: "expect.speculation",
		Help: "1 if the operator expects the backend to draft tokens, 0 if he expects it not to; absent if he did not say.",
	})
	ExpectedReplicas = declare(Series{
		Name: "llm_expected_replicas", Kind: Gauge, Unit: Count, Labels: Health, Origin: Configured, Setting: "expect.replicas",
		Help: "Replicas that the operator expects the router to have.",
	})
	BackendInfo = declare(Series{
		Name: "llm_backend_info", Kind: Info, Labels: []string{LabelBackend, LabelEngine, LabelVersion, LabelURL}, Origin: Observed,
		Help: "The backend: what answers at which address; engine and version are left out as long as they are not known.",
	})
)
