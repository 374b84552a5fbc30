package doctor

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/engine"
	"github.com/llmfleet/llmfleet/exporter/scrape"
	"github.com/llmfleet/llmfleet/internal/conversation"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// TestTheProposedMappingGivesTheNumbers uses the proposal as it is printed.
func TestTheProposedMappingGivesTheNumbers(t *testing.T) {
	for name, tt := range map[string]struct {
		yml   string
		pages map[string]string
		want  map[*catalog.Series]float64 // sums of the points; of a histogram the observations' sum
	}{
		"of a model server": {service, map[string]string{"/metrics": acmePage}, map[*catalog.Series]float64{
			catalog.RequestsRunning: 3, catalog.RequestsWaiting: 2, catalog.PromptTokens: 100, catalog.GenerationTokens: 200,
			catalog.KVCacheUsage: 0.43, catalog.RequestsFinished: 6, catalog.TimeToFirstToken: 0.5,
		}},
		"of a router": {router, map[string]string{":/metrics": gatePage}, map[*catalog.Series]float64{
			catalog.RouterTargetHealthy: 1, catalog.RouterTargetRequests: 40, catalog.RouterTargetInflight: 4, catalog.RouterRetries: 6,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{pages: tt.pages}
			proposal := examine(t, tt.yml, s).Mapping()
			x := examine(t, proposal, s)
			if !x.NumbersArrive() {
				t.Fatalf("no numbers arrive with\n%s\n%s", proposal, x)
			}
			got := map[*catalog.Series]float64{}
			for _, p := range x.points() {
				got[p.Series] += p.Value
				if p.Hist != nil {
					got[p.Series] += p.Hist.Sum
				}
			}
			for series, want := range tt.want {
				if diff := got[series] - want; diff > 1e-9 || diff < -1e-9 {
					t.Errorf("%s = %v, want %v", series.Name, got[series], want)
				}
			}
		})
	}
}

func TestTheProposedMappingRecognisesTheProgramByItself(t *testing.T) {
	s := &server{pages: map[string]string{"/metrics": acmePage}}
	proposal := strings.Replace(examine(t, service, s).Mapping(), "    engine: acme\n", "", 1)
	x := examine(t, proposal, s)
	if !x.NumbersArrive() || x.round.Reading.Sign == nil {
		t.Errorf("it is not recognised:\n%s", x)
	}
}

// TestAProposalThatAsksTheNumbersOfAModelServerShowsItsNames goes the way that the page of a
// server with models and without known numbers tells.
func TestAProposalThatAsksTheNumbersOfAModelServerShowsItsNames(t *testing.T) {
	s := &server{pages: map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`, "/metrics": acmePage}}
	x := examine(t, examine(t, service, s).Mapping(), s)
	if x.NumbersArrive() {
		t.Error("numbers arrive without a mapping")
	}
	if page := x.String(); !strings.Contains(page, "{from: acme_requests_active, to: llm_requests_running, labels: {model: model}, optional: true}") {
		t.Errorf("its names are not shown:\n%s", page)
	}
}

// stranger is the examination of an unknown program with one page.
func stranger(page []byte) *Examination {
	return &Examination{
		backend: config.Backend{Name: "b", URL: "http://service"},
		round: &conversation.Round{
			State: &scrape.State{URL: "http://service", Up: engine.No}, Reading: &engine.Reading{},
			Exchanges: []conversation.Exchange{{Path: "/metrics", Answer: &engine.Answer{Status: http.StatusOK, Body: page}}},
		},
	}
}

// TestAProposalOfAnyRecordedPageIsAccepted takes every recorded page for that of a stranger.
func TestAProposalOfAnyRecordedPageIsAccepted(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := recording.List(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	guessed := 0
	for _, name := range names {
		r, err := recording.Load(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Servers {
			last := s.Answers[len(s.Answers)-1]
			x := stranger(last.Body)
			if _, err := config.Parse("proposal.yml", []byte(x.Mapping())); err != nil {
				t.Errorf("%s %s: %v\n%s", name, s.Name, err, x.Mapping())
			}
			guessed += len(x.draft().guesses)
		}
	}
	if guessed == 0 {
		t.Error("not one guess was made of any page")
	}
}

// TestGuessesAgreeWithWhatIsKnown holds the guesses to vLLM's own mapping: a series that both
// speak of must come from the same name.
func TestGuessesAgreeWithWhatIsKnown(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Load(filepath.Join(root, "vllm-0.32.0", "basic"))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := r.Server("service").At(r.Meta.Length, "/metrics")
	known := map[string]string{}
	for _, m := range engine.Find(engine.BuiltIn(), "vllm").Map {
		known[m.To.Name] += " " + m.From
	}
	agreed := 0
	for _, g := range stranger(a.Body).draft().guesses {
		from := known[g.to.Name]
		if from != "" && !strings.Contains(from+" ", " "+g.from.name+" ") {
			t.Errorf("%s is guessed from %s; it is%s", g.to.Name, g.from.name, from)
		}
		agreed++
	}
	if agreed < 12 {
		t.Errorf("%d series were guessed, want 12 at least", agreed)
	}
}

// FuzzAProposalIsAlwaysAccepted: whatever a page holds, what is printed is a configuration.
func FuzzAProposalIsAlwaysAccepted(f *testing.F) {
	for _, page := range []string{acmePage, gatePage, "a 1", "{\"odd name\",model=\"m\"} 1\n", "true_x 1\ntrue_y 2\n", "vllm:x 1\n", "x:requests_running{worker=\"a:1\"} 1\n"} {
		f.Add([]byte(page))
	}
	for _, bytes := range []int{document.MostText - 1, document.MostText, document.MostText + 1} {
		long := strings.Repeat("f", bytes-1)
		f.Add([]byte(long + "_requests_running 1\n"))
		f.Add([]byte(long + "_ 1\n" + long + ":requests_running 1\n"))
		f.Add([]byte("x_requests_running{" + long + "_=\"a:1\"} 1\n"))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		x := stranger(page)
		if _, err := config.Parse("proposal.yml", []byte(x.Mapping())); err != nil {
			t.Errorf("%v\n%s", err, x.Mapping())
		}
		_ = fmt.Sprint(x)
	})
}
