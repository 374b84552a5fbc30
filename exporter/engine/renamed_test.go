package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// nothingToMiss are programs that are recorded and must send no name, with the reason.
var nothingToMiss = map[string]string{
	"ollama":          "has no page of numbers",
	"openai":          "has no page of numbers",
	"nginx":           "is one page of fixed text, which is read whole or not at all",
	"llamacpp_router": "has the names of its models, each of which may be away",
	"llama_swap":      "has no page of numbers of its models",
	"aibrix":          "is written from its source, which says of no two names that they come together",
	"dynamo_worker":   "has the names of whichever engine it runs, from that one's first request on",
	"xinference":      "has names for what was used, on two ports of which one may not be read",
}

// Every name that a version should send and does not is missed, whichever it is: played with that
// name taken away, each recording counts it.
func TestEveryNameThatGoesAwayIsMissed(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	tried, done := map[string]int{}, map[string]bool{}
	for _, dir := range []string{root, filepath.Join(filepath.Dir(root), "written")} {
		names, err := recording.List(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			r, err := recording.Load(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(name, func(t *testing.T) {
				for _, b := range backendsOf(r) {
					at := busiest(r.Server(b.numbers))
					player := recording.NewPlayer(r, func() time.Duration { return at })
					program, n := missEach(t, b, player, done)
					tried[program] += n
				}
				for _, s := range r.States {
					program, n := missEach(t, recordedBackend{service: "service"}, s.Player(), done)
					tried[program] += n
				}
			})
		}
	}
	for program, n := range tried {
		if why := nothingToMiss[program]; (n > 0) == (why != "") && program != "" {
			t.Errorf("%s: %d names were tried; it %q", program, n, why)
		}
	}
}

// missEach reads a backend with each of the names taken away that its version must send, and
// returns the program and how many there were. done holds the programs, versions and names that
// another page has been tried with.
func missEach(t *testing.T, b recordedBackend, player *recording.Player, done map[string]bool) (program string, tried int) {
	s := NewSession(b.options())
	whole := s.Read(t.Context(), b.fetch(player, ""))
	if whole.Engine == nil || whole.Up != Yes {
		return "", 0
	}
	if len(whole.Missing) > 0 {
		t.Errorf("missing %q of the whole page", whole.Missing)
	}
	if slices.ContainsFunc(whole.Engine.Endpoints, func(ep Endpoint) bool { return ep.Pattern != "" }) {
		return whole.Engine.Name, 0
	}
	names := mustSend(s.mapper)
	page := fmt.Sprint(whole.Engine.Title, whole.Version, names)
	if done[page] {
		return whole.Engine.Name, 0
	}
	done[page] = true
	for _, name := range names {
		tried++
		r := NewSession(b.options()).Read(t.Context(), b.fetch(player, name))
		if len(r.Missing) == 0 && r.Up == Yes && r.Engine == whole.Engine {
			t.Errorf("%s went away, and nothing is missed", name)
		}
	}
	return whole.Engine.Name, tried
}

// mustSend lists the names that the mapper has seen, and would miss.
func mustSend(m *mapper) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range m.engine.Map {
		if mapping := &m.engine.Map[i]; m.seen(i) && m.expected(mapping) && !m.stoodIn(i) {
			add(mapping.From)
		}
	}
	for i := range m.engine.Weigh {
		for _, w := range m.engine.Weigh[i].Witnesses {
			if w.With != "" && m.shown(w.With) && m.testified[w.Sample] {
				add(w.Sample)
			}
		}
	}
	return names
}

// stoodIn says whether another name on the page gives the same part of the series.
func (m *mapper) stoodIn(mapping int) bool {
	this := &m.engine.Map[mapping]
	for i := range m.engine.Map {
		if o := &m.engine.Map[i]; o.From != this.From && o.gives() == this.gives() && m.seen(i) && !o.Plus && !this.Plus {
			return true
		}
	}
	return false
}

// recordedBackend is a backend of a recording's configuration, its servers by name.
type recordedBackend struct{ service, metrics, numbers, engine string }

var configured = regexp.MustCompile(`(?m)^ +(url|metrics_url|engine): (?:http://)?(.*)$`)

func backendsOf(r *recording.Recording) (all []recordedBackend) {
	for _, b := range strings.Split(string(r.Exporter), "- name: ")[1:] {
		var found recordedBackend
		for _, m := range configured.FindAllStringSubmatch(b, -1) {
			*map[string]*string{"url": &found.service, "metrics_url": &found.metrics, "engine": &found.engine}[m[1]] = m[2]
		}
		if found.numbers = found.service; found.metrics != "" {
			found.numbers = found.metrics
		}
		if r.Server(found.numbers) != nil {
			all = append(all, found)
		}
	}
	return all
}

// busiest is when a server's page of numbers was longest: then it has all its names.
func busiest(s *recording.Server) (at time.Duration) {
	most := 0
	for i := range s.Answers {
		if a := &s.Answers[i]; recording.IsNumbers(a.Path) && a.Status == http.StatusOK && len(a.Body) > most {
			most, at = len(a.Body), a.At
		}
	}
	return at
}

func (b *recordedBackend) options() Options {
	o := newClock().options()
	o.HasMetricsPort, o.Engine = b.metrics != "", Find(BuiltIn(), b.engine)
	return o
}

// fetch asks a player, and takes a name off every page.
func (b *recordedBackend) fetch(player *recording.Player, name string) Fetch {
	return func(ctx context.Context, port Port, path string) (*Answer, error) {
		server := b.service
		if port == MetricsPort {
			server = b.metrics
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+server+path, nil)
		if err != nil {
			return nil, err
		}
		resp, err := player.RoundTrip(req)
		if err != nil {
			return nil, &FetchError{catalog.ReasonRefused, errors.New("not there")}
		}
		body, err := io.ReadAll(resp.Body)
		if name != "" && recording.IsNumbers(path) {
			body = []byte(without(string(body), name))
		}
		return &Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
	}
}

// without takes a family off a page, with its TYPE and HELP.
func without(page, name string) string {
	for _, spelled := range spellings(familyOf(name)) {
		page = regexp.MustCompile(`(?m)^(# (TYPE|HELP) )?`+regexp.QuoteMeta(spelled)+`(_total|_bucket|_sum|_count)?[ {].*\n`).ReplaceAllString(page, "")
	}
	return page
}
