package dashboards

//lint:file-ignore SA1019 The classic form is what Grafana 10 to 13 load from files; v2 is not.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/llmfleet/llmfleet/dashboards/ids"
	"github.com/llmfleet/llmfleet/rules"
	"github.com/llmfleet/llmfleet/rules/lint"
)

// schemaVersion is the newest of the classic form. Only option names that exist since
// Grafana 10 are used, so an older Grafana has nothing to migrate.
const schemaVersion = 42

// File is one dashboard as Grafana reads it from disk.
type File struct {
	Path string // below the folder of dashboards: "LLM fleet/llmfleet-capacity.json"
	Data []byte
}

// Files writes every dashboard with the numbers and addresses of the settings.
func Files(groups []rules.Group, s rules.Settings) ([]File, error) {
	lock, err := ids.Load()
	if err != nil {
		return nil, err
	}
	var out []File
	vocabulary := rules.NewVocabulary(groups, s)
	for _, d := range All() {
		path, ok := lock.Path(d.UID)
		if !ok {
			return nil, fmt.Errorf("dashboard %s: has no path in ids.lock", d.UID)
		}
		w := &writer{lock: lock, groups: groups, settings: s, vocabulary: vocabulary, uid: d.UID}
		built, err := w.dashboard(d)
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", d.UID, err)
		}
		data, err := encode(built)
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: %w", d.UID, err)
		}
		out = append(out, File{Path: path, Data: data})
	}
	return out, nil
}

// writer turns one dashboard into Grafana's form.
type writer struct {
	lock       ids.Lock
	groups     []rules.Group
	settings   rules.Settings
	vocabulary *lint.Vocabulary
	uid        string
}

func (w *writer) dashboard(d Dashboard) (*dashboard.Dashboard, error) {
	out := dashboard.NewDashboard()
	out.Uid, out.Title, out.Description, out.Tags = &d.UID, &d.Title, &d.About, tags
	out.SchemaVersion = schemaVersion
	out.Timezone = ptr("browser")
	out.Editable = ptr(false) // what is changed in the browser would be lost with the next file
	out.GraphTooltip = ptr(dashboard.DashboardCursorSyncCrosshair)
	out.Time = &dashboard.DashboardDashboardTime{From: "now-3h", To: "now"}
	out.Refresh = ptr("30s")
	for _, l := range d.others() {
		out.Links = append(out.Links, pageLink(l))
	}
	for _, v := range d.Variables {
		out.Templating.List = append(out.Templating.List, w.variable(v))
	}
	for _, n := range d.Notes {
		out.Annotations.List = append(out.Annotations.List, w.annotation(n))
	}
	var mistakes []error
	y := 0
	for _, r := range d.Rows {
		panels, next, err := w.row(r, y)
		mistakes = append(mistakes, err)
		out.Panels, y = append(out.Panels, panels...), next
	}
	return out, errors.Join(mistakes...)
}

func pageLink(l Link) dashboard.DashboardLink {
	out := link(l.Title, "/d/"+l.UID)
	out.Tooltip, out.Icon, out.KeepTime, out.IncludeVars = l.About, "dashboard", true, true
	return out
}

// link is one that is in sight: the SDK's own hides in a menu.
func link(title, url string) dashboard.DashboardLink {
	return dashboard.DashboardLink{Title: title, Url: &url, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}}
}

// row is a heading and its panels: after it where it is open, since Grafana ignores panels
// inside such a heading, and inside it where it is folded, which takes no room below.
func (w *writer) row(r Row, y int) ([]dashboard.PanelOrRowPanel, int, error) {
	id, err := w.lock.Panel(w.uid, "row/"+r.Key)
	if err != nil {
		return nil, y, err
	}
	heading := &dashboard.RowPanel{
		Type: "row", Id: id, Title: &r.Title, Collapsed: r.Folded, Panels: []dashboard.Panel{},
		GridPos: &dashboard.GridPos{H: 1, W: columns, X: 0, Y: uint32(y)},
	}
	places, next, err := r.place(y + 1)
	if err != nil {
		return nil, y, err
	}
	out := []dashboard.PanelOrRowPanel{{RowPanel: heading}}
	for i, p := range r.Panels {
		built, err := w.panel(p, places[i])
		if err != nil {
			return nil, y, fmt.Errorf("panel %s: %w", p.Key, err)
		}
		if r.Folded {
			heading.Panels = append(heading.Panels, *built)
		} else {
			out = append(out, dashboard.PanelOrRowPanel{Panel: built})
		}
	}
	if r.Folded {
		next = y + 1
	}
	return out, next, nil
}

func (w *writer) variable(v Variable) dashboard.VariableModel {
	out := dashboard.VariableModel{
		Name: v.Name, Label: &v.Title, Description: &v.About, Hide: ptr(dashboard.VariableHideDontHide),
	}
	if v.Query == "" {
		out.Type = dashboard.VariableTypeDatasource
		out.Query = &dashboard.StringOrMap{String: ptr("prometheus")}
		return out
	}
	out.Type = dashboard.VariableTypeQuery
	out.Datasource = source()
	out.Definition = &v.Query
	out.Query = &dashboard.StringOrMap{Map: map[string]any{"query": v.Query, "refId": "Variable-" + v.Name, "qryType": 1}}
	out.Refresh = ptr(dashboard.VariableRefreshOnTimeRangeChanged)
	out.Sort = ptr(dashboard.VariableSortNaturalAsc)
	out.Multi, out.IncludeAll, out.AllValue = ptr(true), ptr(!v.First), ptr(all)
	if v.First {
		return out // without a current value Grafana takes the first
	}
	out.Current = &dashboard.VariableOption{
		Selected: ptr(true),
		Text:     dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
		Value:    dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
	}
	return out
}

func (w *writer) annotation(a Annotation) dashboard.AnnotationQuery {
	return dashboard.AnnotationQuery{
		Name: a.Title, Datasource: source(), Enable: true, IconColor: a.Color,
		Expr: &a.Expr, Step: ptr("1m"), TitleFormat: &a.Format, TagKeys: &a.Tags,
	}
}

// source is the data source that the variable at the top of the page names.
func source() *common.DataSourceRef {
	return &common.DataSourceRef{Type: ptr("prometheus"), Uid: ptr("${datasource}")}
}

// encode writes JSON in which expressions can be read: > stays >.
func encode(d *dashboard.Dashboard) ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, plain(raw), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// plain undoes the escapes that encoding/json writes for the sake of HTML. They come from
// marshalers of the SDK, so an encoder's own setting does not reach them.
func plain(raw []byte) []byte {
	escapes := map[string]byte{`\u003c`: '<', `\u003e`: '>', `\u0026`: '&'}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		if i+6 <= len(raw) {
			if c, ok := escapes[string(raw[i:i+6])]; ok {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, raw[i], raw[i+1]) // an escape is always followed by what it escapes
		i++
	}
	return out
}

func ptr[T any](v T) *T { return &v }
