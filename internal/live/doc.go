// Package live checks llmfleet against real programs: a real llama-server, two releases of
// Prometheus, an Alertmanager with a webhook behind it.
//
// Its tests carry the build tag live, since they need programs that a Go toolchain does not
// bring. .ci/run installs them and says loudly when they cannot be had:
//
//	LLMFLEET_LLAMA=/path/made/by/ci/llama-server LLMFLEET_PROMETHEUS=/path/made/by/ci/prometheus go test -tags live ./internal/live
package live
