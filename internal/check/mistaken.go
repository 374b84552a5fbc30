package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/llmfleet/llmfleet/internal/promapi"
)

// Any checks by what the server at an address turns out to be, a Prometheus or one exporter.
func Any(ctx context.Context, address string, o Options) (*Report, error) {
	c, err := promapi.NewClient(address, o.Client)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	if isPrometheus(within, c) {
		return Prometheus(ctx, address, o)
	}
	if u, err := pageOf(address); err == nil {
		if _, err := samplesAt(within, u, o); err == nil {
			return Exporter(ctx, address, o)
		}
	}
	return Prometheus(ctx, address, o) // which says why not
}

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
	if errors.Is(cause, context.DeadlineExceeded) { // no time is left to see what else it may be
		return fmt.Errorf("%s did not answer all questions within %s: if it is a Prometheus it is slow, so raise --timeout: %w", c.Address(), o.Timeout, cause)
	}
	if isPrometheus(ctx, c) {
		return cause
	}
	if u, err := pageOf(address); err == nil {
		if _, err := samplesAt(ctx, u, o); err == nil {
			return fmt.Errorf("no Prometheus answers at %s: that is an llmfleet_exporter; pass it as --exporter=%[1]s, or pass the Prometheus that scrapes it", c.Address())
		}
	}
	if isModelServer(ctx, address, o) {
		return fmt.Errorf("no Prometheus answers at %s: %s", c.Address(), wantsDoctor(c))
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
	if isModelServer(ctx, address, o) {
		return fmt.Errorf("no exporter answers at %s: %s", c.Address(), wantsDoctor(c))
	}
	return cause
}

// wantsDoctor is what is said of a model server's address.
func wantsDoctor(c *promapi.Client) string {
	return "that is a model server; ask it with llmfleet doctor " + c.Address()
}

// isModelServer says whether a server lists models, as all that speak OpenAI's API do. Asking for the
// list loads none.
func isModelServer(ctx context.Context, address string, o Options) bool {
	u, err := promapi.ParseAddress(address)
	if err != nil {
		return false
	}
	u.Path = "/v1/models"
	body, err := fetch(ctx, u, o.Client)
	var list struct {
		Data []struct{ ID string }
	}
	return err == nil && json.Unmarshal(body, &list) == nil && list.Data != nil
}

// isPrometheus says whether a server evaluates PromQL.
func isPrometheus(ctx context.Context, c *promapi.Client) bool {
	_, err := c.Query(ctx, `vector(1)`)
	return err == nil
}
