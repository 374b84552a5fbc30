package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/llmfleet/llmfleet/internal/promapi"
)

// noPrometheusAt says why nothing can be learned at an address that was given as that of a
// Prometheus, and what to pass instead where something else answers there.
func noPrometheusAt(ctx context.Context, address string, o Options, cause error) error {
	c, err := promapi.NewClient(address, o.Client)
	if err != nil {
		return err
	}
	if refusal, ok := errors.AsType[*promapi.Refusal](cause); ok && refusal.WantsCredentials() {
		return fmt.Errorf("%w; pass --http.config.file=FILE with its credentials", cause)
	}
	if isPrometheus(ctx, c) {
		return cause
	}
	if u, err := pageOf(address); err == nil {
		if _, err := samplesAt(ctx, u, o); err == nil {
			return fmt.Errorf("no Prometheus answers at %s: that is an llmfleet_exporter; pass it as --exporter=%[1]s, or pass the Prometheus that scrapes it", c.Address())
		}
	}
	return fmt.Errorf("no Prometheus answers at %s; pass the address under which its own pages are, with their path if they have one: %w", c.Address(), cause)
}

// noExporterAt is the same for an address that was given as that of an exporter.
func noExporterAt(ctx context.Context, address string, o Options, cause error) error {
	c, err := promapi.NewClient(address, o.Client)
	if err != nil {
		return err
	}
	if isPrometheus(ctx, c) {
		return fmt.Errorf("no exporter answers at %s: that is a Prometheus; pass it as --prometheus=%[1]s", c.Address())
	}
	return cause
}

// isPrometheus says whether a server evaluates PromQL.
func isPrometheus(ctx context.Context, c *promapi.Client) bool {
	_, err := c.Query(ctx, `vector(1)`)
	return err == nil
}
