package catalog

// The exporter itself. Go, process and HTTP handler metrics come with the client library.
var (
	ExporterConfigReloadOK = declare(Series{
		Name: "llmfleet_exporter_config_last_reload_successful", Kind: Gauge, Unit: Boolean, Origin: Observed,
		Help: "1 if the configuration file was accepted when it was last read, 0 if the one before it is still in force.",
	})
	ExporterConfigReloadTime = declare(Series{
		Name: "llmfleet_exporter_config_last_reload_success_timestamp_seconds", Kind: Gauge, Unit: Timestamp, Origin: Observed,
		Help: "When the configuration in force was read.",
	})
	ExporterTargets = declare(Series{
		Name: "llmfleet_exporter_targets", Kind: Gauge, Unit: Count, Origin: Configured,
		Help: "Backends in the configuration that are scraped.",
	})
)
