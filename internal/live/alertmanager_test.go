//go:build live

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/gen"
	"github.com/llmfleet/llmfleet/rules"
)

// alertmanager is a real one.
type alertmanager struct{ *program }

// startAlertmanager starts one with the bundle's example, whose receivers are a person's inbox.
func startAlertmanager(ctx context.Context, t *testing.T, bundle map[string][]byte, inbox string) alertmanager {
	t.Helper()
	port, file := freePort(t), filepath.Join(t.TempDir(), "alertmanager.yml")
	write(t, file, bytes.ReplaceAll(bundle["alertmanager/alertmanager.yml"], []byte("http://localhost:9099"), []byte(inbox)))
	tool(ctx, t, "", "amtool", "check-config", file)
	return alertmanager{start(ctx, t, "alertmanager", loopback(port), "/-/ready", "prometheus-alertmanager", "--config.file="+file,
		"--storage.path="+t.TempDir(), "--web.listen-address=127.0.0.1:"+port, "--cluster.listen-address=")}
}

// told is an alert as Alertmanager's API and its messages show it.
type told struct {
	Labels      map[string]string
	Annotations map[string]string
	Status      json.RawMessage // a word in messages, an object in the API
}

// alerts are those that it has now, by what is asked of them.
func (a alertmanager) alerts(ctx context.Context, t *testing.T) []told {
	t.Helper()
	var out []told
	if err := json.Unmarshal([]byte(get(ctx, t, a.url+"/api/v2/alerts")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// heldBack says whether the alert is kept from every receiver by another one.
func (a told) heldBack() bool {
	var status struct {
		State       string
		InhibitedBy []string
	}
	return json.Unmarshal(a.Status, &status) == nil && status.State == "suppressed" && len(status.InhibitedBy) > 0
}

// message is what Alertmanager sends to a webhook.
type message struct {
	path   string
	at     time.Time
	Status string
	Alerts []told
}

// inbox is a person who gets messages.
type inbox struct {
	*httptest.Server
	mu  sync.Mutex // guards got
	got []message
}

func openInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{}
	in.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := message{path: r.URL.Path, at: time.Now()}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Errorf("a message that is no JSON: %v", err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		in.got = append(in.got, m)
	}))
	t.Cleanup(in.Close)
	return in
}

// about are the messages so far at a path that tell of an alert.
func (in *inbox) about(path, alert string) []message {
	in.mu.Lock()
	defer in.mu.Unlock()
	var out []message
	for _, m := range in.got {
		if m.path == path && slices.ContainsFunc(m.Alerts, func(a told) bool { return a.Labels["alertname"] == alert }) {
			out = append(out, m)
		}
	}
	return out
}

// all are the messages so far.
func (in *inbox) all() []message {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.got)
}

// TestAlertmanagerHoldsBackWhatIsExplained puts every pair of an alert and its cause into a real
// Alertmanager, and beside each the same alert of another machine, backend, model or card.
func TestAlertmanagerHoldsBackWhatIsExplained(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := rules.DefaultSettings()
	bundle, err := gen.Bundle(s)
	if err != nil {
		t.Fatal(err)
	}
	inhibitions, err := rules.Inhibitions(rules.Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	a := startAlertmanager(ctx, t, bundle, openInbox(t).URL)
	var post []map[string]map[string]string
	held, free := 0, 0
	add := func(i int, name string, want string, labels map[string]string) {
		labels["alertname"], labels["case"], labels["want"] = name, fmt.Sprint(i), want
		post = append(post, map[string]map[string]string{"labels": labels})
	}
	for i, x := range inhibitions {
		labels := func(last string) map[string]string {
			out := map[string]string{}
			for _, l := range x.By {
				out[l] = fmt.Sprintf("%s-%d", l, i)
			}
			if last != "" {
				out[x.By[len(x.By)-1]] = last
			}
			return out
		}
		add(i, x.Source, "free", labels(""))
		for _, name := range x.Targets {
			add(i, name, "held", labels(""))
			add(i, name, "free", labels("other-"+name))
		}
		for _, name := range x.Except {
			if name != x.Source {
				add(i, name, "free", labels(""))
			}
		}
	}
	a.post(ctx, t, post)
	waitFor(ctx, t, "all alerts to be judged", func() (string, bool) {
		var wrong []string
		held, free = 0, 0
		for _, got := range a.alerts(ctx, t) {
			if got.heldBack() != (got.Labels["want"] == "held") {
				wrong = append(wrong, fmt.Sprintf("%v: held back: %v", got.Labels, got.heldBack()))
			}
			if got.heldBack() {
				held++
			} else {
				free++
			}
		}
		return strings.Join(wrong, "\n"), held+free == len(post) && len(wrong) == 0
	})
	t.Logf("%d explanations: %d alerts held back, %d told", len(inhibitions), held, free)
	if held == 0 || free == 0 {
		t.Errorf("%d alerts were held back and %d told, want some of each", held, free)
	}
}

// post gives it alerts as Prometheus does.
func (a alertmanager) post(ctx context.Context, t *testing.T, alerts any) {
	t.Helper()
	body, err := json.Marshal(alerts)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/api/v2/alerts", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("alerts were not taken: %s", resp.Status)
	}
}
