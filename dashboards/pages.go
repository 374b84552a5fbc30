package dashboards

import (
	"slices"
	"strings"
	"unicode"

	"github.com/llmfleet/llmfleet/exporter/catalog"
)

// All returns the pages of the bundle, in the order in which they lead to each other.
func All() []Dashboard {
	own := pages{front, latency, speculation, routers, cards, watching}
	return slices.Insert(own, 1, backendPage(own))
}

// fleetTitle begins the title of every page.
const fleetTitle = "LLM fleet — "

// tags are those of every page.
var tags = []string{"llmfleet", "llm"}

// Name is what the page is called among its own: its title without the fleet.
func (d Dashboard) Name() string { return capital(strings.TrimPrefix(d.Title, fleetTitle)) }

// Question is what the page answers, in one sentence.
func (d Dashboard) Question() string {
	question, _, _ := strings.Cut(d.About, "? ")
	return question + "?"
}

// others are the links to all other pages.
func (d Dashboard) others() []Link {
	var out []Link
	for _, other := range All() {
		if other.UID != d.UID {
			out = append(out, Link{Title: other.Name(), About: other.Question(), UID: other.UID})
		}
	}
	return out
}

func capital(text string) string {
	r := []rune(text)
	return string(append([]rune{unicode.ToUpper(r[0])}, r[1:]...))
}

// The choices of the pages about backends, from the largest to the smallest. All is a pattern
// that also matches series without the label, so that a router without models stays on a page
// about models.
var (
	aboutBackends = []Variable{chooseSource, chooseInstance, chooseEngine, chooseBackend}
	aboutModels   = []Variable{chooseSource, chooseInstance, chooseEngine, chooseBackend, chooseModel}

	chooseSource = Variable{Name: "datasource", Title: "Data source", About: "The Prometheus that scrapes llmfleet_exporter."}

	chooseInstance = Variable{
		Name: "instance", Title: "Exporter", Label: labelInstance, About: "One exporter per host or rack.",
		Query: `label_values(llm_backend_info, instance)`,
	}
	chooseEngine = Variable{
		Name: "engine", Title: "Engine", Label: catalog.LabelEngine, About: "What answers: an engine or a router. One that was never recognised has none, and is shown with All.",
		Query: `label_values(llm_backend_info{instance=~"$instance"}, engine)`,
	}
	chooseBackend = Variable{
		Name: "backend", Title: "Backend", Label: catalog.LabelBackend, About: "Name in the exporter's configuration.",
		Query: `label_values(llm_backend_info{instance=~"$instance", engine=~"$engine"}, backend)`,
	}
	chooseModel = Variable{
		Name: "model", Title: "Model", Label: catalog.LabelModel, About: "Served name. Routers have none and stay on the page.",
		Query: `label_values(llm_model_info{instance=~"$instance", backend=~"$backend", engine=~"$engine"}, model)`,
	}
)

// ofEngine leaves out backends of engines that are not chosen, where a series does not say it.
const ofEngine = ` unless on (instance, backend) llm_backend_info{engine!~"$engine"}`

// ofChosen leaves out alerts about exporters and engines that are not chosen. An alert that is
// about none of them, or about none that is known, stays.
const ofChosen = ` unless on (instance) llm_backend_info{instance!~"$instance"}` + ofEngine
