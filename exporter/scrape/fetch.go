package scrape

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// accept asks for the plain text format first: OpenMetrics costs several times as much to
// read and would rename what some servers export.
const accept = "text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.5, */*;q=0.1"

// fetcher asks one backend. It decides nothing about what is asked.
type fetcher struct {
	client  *http.Client
	service string // address, without a trailing slash
	metrics string // second address, "" if none
	limit   int64
	buffers *buffers

	mu    sync.Mutex        // guards moved
	moved map[string]string // address asked → address that a redirect named
}

func newFetcher(b config.Backend, client *http.Client, buffers *buffers) *fetcher {
	return &fetcher{
		client:  client,
		service: strings.TrimSuffix(b.URL, "/"),
		metrics: strings.TrimSuffix(b.MetricsURL, "/"),
		limit:   b.Limits.BodyBytes,
		buffers: buffers,
		moved:   make(map[string]string),
	}
}

// address joins a path, which may have a query, to the address of a port.
func (f *fetcher) address(port engine.Port, path string) string {
	if port == engine.MetricsPort && f.metrics != "" {
		return f.metrics + path
	}
	return f.service + path
}

// fetch asks one path and reads the whole answer into buf.
func (f *fetcher) fetch(ctx context.Context, port engine.Port, path string, buf *bytes.Buffer) (*engine.Answer, *http.Response, error) {
	asked := f.address(port, path)
	u, err := url.Parse(f.known(asked))
	if err != nil {
		return nil, nil, &engine.FetchError{Reason: catalog.ReasonHTTP, Err: fmt.Errorf("path %q makes no address", path)}
	}
	for range mostHops + 1 {
		buf.Reset()
		resp, err := f.once(ctx, u, buf)
		if err != nil {
			f.forget(asked)
			return nil, nil, err
		}
		if !isRedirect(resp.StatusCode) {
			f.remember(asked, u.String(), resp.StatusCode)
			return &engine.Answer{Status: resp.StatusCode, Header: resp.Header, Body: buf.Bytes()}, resp, plainToTLS(u, resp, buf.Bytes())
		}
		to, err := next(u, resp)
		if err != nil {
			f.forget(asked)
			return nil, nil, failure(catalog.ReasonHTTP, u, "%w", err)
		}
		u = to
	}
	f.forget(asked)
	return nil, nil, failure(catalog.ReasonHTTP, u, "more than %d redirects", mostHops)
}

// once makes one request and reads its answer.
func (f *fetcher) once(ctx context.Context, u *url.URL, buf *bytes.Buffer) (*http.Response, error) {
	req := (&http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		// Compressing costs the server's main thread more than the few kilobytes cost the network.
		Header: http.Header{"Accept": {accept}, "Accept-Encoding": {"identity"}},
	})
	var shaking *atomic.Bool // nil without TLS
	if u.Scheme == "https" {
		shaking = new(atomic.Bool)
		ctx = httptrace.WithClientTrace(ctx, watchHandshake(shaking))
	}
	resp, err := f.client.Do(req.WithContext(ctx))
	switch {
	case err != nil && shaking != nil && shaking.Load() && isTimeout(err):
		return nil, failure(catalog.ReasonTimeout, u, "no answer to the TLS handshake before the deadline; does it speak https? try http://%s", u.Host)
	case err != nil:
		return nil, transportFailure(u, err)
	}
	defer resp.Body.Close()
	if err := readBody(buf, resp, f.limit); err != nil {
		return nil, f.bodyFailure(u, err)
	}
	return resp, nil
}

// watchHandshake tells whether a TLS handshake is going on: a plain server may wait for the rest of
// what it takes for a line.
func watchHandshake(shaking *atomic.Bool) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart: func() { shaking.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err == nil {
				shaking.Store(false)
			}
		},
	}
}

// bodyFailure names why a body could not be read.
func (f *fetcher) bodyFailure(u *url.URL, err error) error {
	var encoding encodingError
	switch {
	case errors.Is(err, errTooLarge):
		return failure(catalog.ReasonTooLarge, u, "%w of %d bytes; raise body_limit if that much is right", err, f.limit)
	case errors.As(err, &encoding), errors.Is(err, errNotGzip):
		return failure(catalog.ReasonHTTP, u, "%w", err)
	}
	return transportFailure(u, err)
}

// plainToTLS recognises the page by which a TLS port answers plain HTTP.
func plainToTLS(u *url.URL, resp *http.Response, body []byte) error {
	if u.Scheme != "http" || resp.StatusCode != http.StatusBadRequest {
		return nil
	}
	text := bytes.ToLower(body[:min(len(body), 1024)])
	if !bytes.Contains(text, []byte("https")) || !bytes.Contains(text, []byte("http request")) {
		return nil
	}
	return failure(catalog.ReasonTLS, u, "the server speaks TLS; %s", writeHTTPS(u))
}

// known returns where the path was found last time, so that a redirect is not asked for at
// every scrape and does not double the server's log.
func (f *fetcher) known(asked string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if moved, ok := f.moved[asked]; ok {
		return moved
	}
	return asked
}

// mostMoved bounds the memory of redirects: a router may have any number of models.
const mostMoved = 256

// remember keeps where a redirect led to, and forgets it when nothing is there any more.
func (f *fetcher) remember(asked, found string, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if found == asked {
		return
	}
	if status/100 != 2 || len(f.moved) >= mostMoved {
		delete(f.moved, asked)
		return
	}
	f.moved[asked] = found
}

// forget lets the next scrape ask the configured address again.
func (f *fetcher) forget(asked string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.moved, asked)
}
