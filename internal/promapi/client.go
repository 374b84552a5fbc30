package promapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/llmfleet/llmfleet/internal/terminal"
)

// mostBody is how much of an answer is read: a fleet of ten thousand backends needs less.
const mostBody = 64 << 20

// Client asks a Prometheus, or what speaks its API. It may be used from several goroutines.
type Client struct {
	base  *url.URL
	http  *http.Client
	asked atomic.Int32
}

// NewClient asks at an address, which may have a path before /api/v1.
func NewClient(address string, h *http.Client) (*Client, error) {
	u, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	own := *h
	own.CheckRedirect = func(req *http.Request, via []*http.Request) error { return followed(h, req, via) }
	return &Client{base: u, http: &own}, nil
}

// followed says whether a redirection is followed. A question that was posted becomes one without a
// form, unless the server says otherwise (307, 308), and would be answered with an error about that.
func followed(h *http.Client, req *http.Request, via []*http.Request) error {
	const most = 10 // as Go has it
	asked := via[len(via)-1]
	switch {
	case asked.Method == http.MethodPost && req.Method != http.MethodPost:
		if to, same := strings.CutSuffix(shown(req.URL), "/api/v1/query"); same {
			return fmt.Errorf("redirected to %q; pass that address", to)
		}
		return fmt.Errorf("redirected to %q, which is no Prometheus; pass the address of the Prometheus behind it, or the credentials that it asks for", shown(req.URL))
	case h.CheckRedirect != nil:
		return h.CheckRedirect(req, via)
	case len(via) >= most:
		return fmt.Errorf("stopped after %d redirections", most)
	}
	return nil
}

// shown is an address for a person: without a password, and without what may be as secret behind it.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: u.Path}).Redacted()
}

// ParseAddress reads the address of a server. The error says what to write instead.
func ParseAddress(address string) (*url.URL, error) {
	isOne := func(u *url.URL, err error) bool {
		return err == nil && u.Hostname() != "" && (u.Scheme == "http" || u.Scheme == "https")
	}
	u, err := url.Parse(address)
	switch {
	case isOne(u, err):
		return u, nil
	case strings.Contains(address, "@"): // a password may stand before it
		return nil, errors.New("the address is none; write it like http://host:port")
	case !strings.Contains(address, "://") && isOne(url.Parse("http://"+address)):
		return nil, fmt.Errorf("address %q has no scheme; write http://%s", address, address)
	}
	return nil, fmt.Errorf("address %q is none; write it like http://host:port", address)
}

// Address is where it asks, without a password.
func (c *Client) Address() string { return c.base.Redacted() }

// Asked is how many questions were put so far.
func (c *Client) Asked() int { return int(c.asked.Load()) }

// Refusal is an answer that is an error.
type Refusal struct {
	Path   string
	Status int
	Text   string // the first line of what the server says of it, for a terminal
}

// Error names the path and what was answered.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: answered %d: %s", r.Path, r.Status, r.Text) }

// NotOffered says that the server does not have the path at all: others than Prometheus leave
// some out.
func (r *Refusal) NotOffered() bool {
	return r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed || r.Status == http.StatusNotImplemented
}

// ofQuery says that it is about the query itself: it cannot be read, cannot be evaluated, or takes
// too long.
func (r *Refusal) ofQuery() bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}, r.Status)
}

// WantsCredentials says that the server refuses whoever asks.
func (r *Refusal) WantsCredentials() bool {
	return r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden
}

// Get asks a path of /api/v1 and decodes the data of the answer.
func (c *Client) Get(ctx context.Context, path string, data any) error {
	return c.ask(ctx, http.MethodGet, path, nil, data)
}

// Sample is one sample of a query's result.
type Sample struct {
	Labels labels.Labels
	Value  float64
}

// Query evaluates an expression that gives a vector, now.
func (c *Client) Query(ctx context.Context, expr string) ([]Sample, error) {
	var data struct {
		Type   string `json:"resultType"`
		Result []struct {
			Metric map[string]string  `json:"metric"`
			Value  [2]json.RawMessage `json:"value"`
		} `json:"result"`
	}
	if err := c.ask(ctx, http.MethodPost, "query", url.Values{"query": {expr}}, &data); err != nil {
		if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.ofQuery() {
			return nil, fmt.Errorf("query %.200q: %w", expr, err)
		}
		return nil, err // whatever was asked, this server would not have answered
	}
	out := make([]Sample, 0, len(data.Result))
	for _, r := range data.Result {
		var text string
		err := json.Unmarshal(r.Value[1], &text)
		if err != nil {
			return nil, fmt.Errorf("query %.200q: result is a %.50q, not a vector: %w", expr, data.Type, err)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("query %.200q: value %.50q: %w", expr, text, err)
		}
		out = append(out, Sample{labels.FromMap(r.Metric), v})
	}
	return out, nil
}

func (c *Client) ask(ctx context.Context, method, path string, form url.Values, data any) error {
	c.asked.Add(1)
	u := c.base.JoinPath("api/v1", path)
	u.RawQuery = ""
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err // names method and address
	}
	defer resp.Body.Close()
	at := shown(resp.Request.URL) // where a redirection led to
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBody+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", at, err)
	case len(body) > mostBody:
		return fmt.Errorf("%s: the answer is larger than %d MiB", at, mostBody>>20)
	}
	return read(at, resp.StatusCode, body, data)
}

func read(at string, status int, body []byte, data any) error {
	var a answer[json.RawMessage]
	err := json.Unmarshal(body, &a)
	switch {
	case status/100 != 2 && a.Error != "":
		return &Refusal{at, status, firstLine([]byte(a.Error))}
	case status/100 != 2:
		return &Refusal{at, status, firstLine(body)}
	case err != nil || a.Status != "success":
		return fmt.Errorf("%s: the answer is not that of Prometheus' API: %s", at, firstLine(body))
	}
	if err := json.Unmarshal(a.Data, data); err != nil {
		return fmt.Errorf("%s: data: %w", at, err)
	}
	return nil
}

// firstLine is the beginning of what a server said, as a terminal may have it.
func firstLine(body []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	return terminal.Printable(fmt.Sprintf("%.500s", line))
}
