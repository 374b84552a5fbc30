package promapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/promapi"
	"github.com/llmfleet/llmfleet/internal/recording"
	"github.com/llmfleet/llmfleet/internal/replay"
	"github.com/llmfleet/llmfleet/rules"
)

// asked is the second of the recorded fleet at which it is asked: one of two replicas behind a
// router was killed at 480, and its alerts fire.
const asked = 690

// fleet is a Prometheus that has scraped the recorded fleet until then, behind the API.
func fleet(t *testing.T) string {
	t.Helper()
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Load(filepath.Join(root, "fleet-incidents"))
	if err != nil {
		t.Fatal(err)
	}
	s := rules.DefaultSettings()
	files, err := rules.Files(rules.Groups(), s)
	if err != nil {
		t.Fatal(err)
	}
	targets, end, err := replay.New(rec).Targets(s.Job, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	p, err := replay.NewPrometheus(targets, files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	p.EvaluateAll()
	for at := time.Duration(0); at <= asked*time.Second; at += replay.StepLength {
		if _, err := p.Step(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	source := p.Source(func() time.Time { return replay.Epoch.Add(asked * time.Second) })
	source.Version = "3.16.0"
	source.Alertmanagers = func() []string { return []string{"http://127.0.0.1:9093/api/v2/alerts"} }
	server := httptest.NewServer(promapi.Handler(source))
	t.Cleanup(server.Close)
	return server.URL
}

// second is a second of the recording as the API writes times.
func second(n int) string { return fmt.Sprint(replay.Epoch.Unix() + int64(n)) }

func TestTheRecordedFleetAnswersAsAPrometheusDoes(t *testing.T) {
	server := fleet(t)
	for name, tt := range map[string]struct {
		path   string
		status int
		want   []string // parts of the answer
	}{
		"a value now": {
			"query?query=" + url.QueryEscape(`llm_router_target_healthy{target="http://127.0.0.1:19302"}`), 200,
			[]string{`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"llm_router_target_healthy","backend":"router"`, `"value":[` + second(asked) + `,"0"]}]}}`},
		},
		"a value at a time": {
			"query?time=" + second(465) + "&query=" + url.QueryEscape(`sum(llm_router_target_healthy)`), 200,
			[]string{`"result":[{"metric":{},"value":[` + second(465) + `,"2"]}]`},
		},
		"a scalar": {"query?query=1%2B1", 200, []string{`"resultType":"scalar","result":[` + second(asked) + `,"2"]`}},
		"nothing":  {"query?query=llm_no_such_thing", 200, []string{`"resultType":"vector","result":[]`}},
		"values over time": {
			"query_range?start=" + second(450) + "&end=" + second(495) + "&step=15&query=" + url.QueryEscape(`min(llm_router_target_healthy)`), 200,
			[]string{`{"resultType":"matrix","result":[{"metric":{},"values":[[` + second(450) + `,"1"],[` + second(465) + `,"1"],[` + second(480) + `,"0"],[` + second(495) + `,"0"]]}]}`},
		},
		"an early and a late time": {
			"query_range?start=-9e9&end=9e9&step=9e8&query=time()", 200,
			[]string{`"values":[[-9000000000,"-9000000000"],[-8100000000,`, `,[0,"0"],`, `,[9000000000,"9000000000"]]`},
		},
		"the smallest step": {"query_range?start=1&end=1.001&step=0.001&query=time()", 200, []string{`"values":[[1,"1"],[1.001,"1.001"]]`}},
		"a remark":          {"query?query=" + url.QueryEscape(`rate(llm_requests_running[5m])`), 200, []string{`"infos":["PromQL info: metric might not be a counter`}},
		"series": {
			"series?match[]=" + url.QueryEscape(`llm_backend_info{backend="router"}`), 200,
			[]string{`"data":[{"__name__":"llm_backend_info","backend":"router",`},
		},
		"values of a label":   {"label/backend/values", 200, []string{`"data":["medium-a","medium-b","router","small"]`}},
		"the first value":     {"label/backend/values?limit=1", 200, []string{`"data":["medium-a"],"warnings":["results truncated due to limit"]`}},
		"values of a matcher": {"label/backend/values?match[]=llm_router_targets", 200, []string{`"data":["router"]`}},
		"names of labels":     {"labels?match[]=llm_up", 200, []string{`"data":["__name__","backend","instance","job"]`}},
		"metadata":            {"metadata?metric=llm_up", 200, []string{`"data":{"llm_up":[{"type":"gauge","help":"1 if the backend's numbers were fetched`}},
		"rules": {
			"rules?rule_name[]=LlmEngineStalled", 200,
			[]string{`"file":"llm-availability.yml"`, `"type":"alerting","name":"LlmEngineStalled"`, `"health":"ok"`, `"state":"inactive","duration":60,"keepFiringFor":0`, `"alerts":[]`},
		},
		"recording rules": {"rules?type=record&rule_group[]=llm-capacity", 200, []string{`"type":"recording","name":"backend:llm_requests_waiting:sum"`}},
		"alerts":          {"alerts", 200, []string{`"alertname":"LlmBackendDown"`, `"backend":"medium-b"`, `"state":"firing","activeAt":"2027-01-01T00:08:00Z"`}},
		"targets":         {"targets?state=active", 200, []string{`"scrapePool":"llmfleet"`, `"health":"up","scrapeInterval":"15s"`, `"droppedTargets":[]`}},
		"alertmanagers":   {"alertmanagers", 200, []string{`{"activeAlertmanagers":[{"url":"http://127.0.0.1:9093/api/v2/alerts"}],"droppedAlertmanagers":[]}`}},
		"build":           {"status/buildinfo", 200, []string{`"data":{"version":"3.16.0",`}},
		"state":           {"status/runtimeinfo", 200, []string{`"startTime":"2027-01-01T00:00:00Z","reloadConfigSuccess":true`}},
		"configuration":   {"status/config", 200, []string{`{"yaml":""}`}},

		"not PromQL":          {"query?query=llm_up{", 400, []string{`{"status":"error","errorType":"bad_data","error":"`}},
		"no time":             {"query?query=llm_up&time=yesterday", 400, []string{`cannot parse \"yesterday\" to a valid timestamp`}},
		"two on one side":     {"query?query=" + url.QueryEscape(`llm_up + on (instance) llm_up`), 422, []string{`"errorType":"execution"`}},
		"a time too late":     {"query?query=time()&time=9.9e11", 400, []string{`"errorType":"bad_data"`, "is outside the years 1678 to 2261"}},
		"a time too early":    {"query?query=time()&time=-1e11", 400, []string{`"errorType":"bad_data"`, "is outside the years"}},
		"a year too late":     {"query?query=time()&time=9999-12-31T00:00:00Z", 400, []string{`"errorType":"bad_data"`, "is outside the years"}},
		"an end too late":     {"query_range?start=0&end=9.9e11&step=1e8&query=time()", 400, []string{`"errorType":"bad_data"`, `\"end\"`, "is outside the years"}},
		"a step too small":    {"query_range?start=1&end=1.001&step=0.0005&query=time()", 400, []string{`"errorType":"bad_data"`, "at least one millisecond"}},
		"too many samples":    {"query_range?start=" + second(0) + "&end=" + second(690) + "&step=0.1&query=" + url.QueryEscape(`{__name__=~"llm_.+"}`), 422, []string{`"errorType":"execution"`, "too many samples"}},
		"points of centuries": {"query_range?start=-9e9&end=9e9&step=1e6&query=time()", 400, []string{"11,000 points"}}, // 18,001
		"too many points":     {"query_range?start=0&end=" + second(0) + "&step=1&query=llm_up", 400, []string{"11,000 points"}},
		"no step":             {"query_range?start=1&end=2&step=0&query=llm_up", 400, []string{`"step\": zero or negative`}},
		"the end first":       {"query_range?start=2&end=1&step=1&query=llm_up", 400, []string{"before start time"}},
		"no start":            {"query_range?end=1&step=1&query=llm_up", 400, []string{"are needed"}},
		"no time left":        {"query?query=llm_up&timeout=0", 503, []string{`"errorType":"timeout"`}},
		"series of nothing":   {"series", 400, []string{"no match[] parameter provided"}},
		"a type of no rule":   {"rules?type=both", 400, []string{`not supported value \"both\"`}},
		"no limit":            {"labels?limit=few", 400, []string{"is not a number"}},
		"a matcher of no use": {"labels?match[]={", 400, []string{"match[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			path, query, _ := strings.Cut(tt.path, "?")
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				status, body := ask(t, method, server+"/api/v1/"+path, query)
				if status != tt.status || !json.Valid([]byte(body)) {
					t.Errorf("%s: status %d, want %d:\n%.2000s", method, status, tt.status, body)
				}
				for _, want := range tt.want {
					if !strings.Contains(body, want) {
						t.Errorf("%s: the answer lacks %s:\n%.3000s", method, want, body)
					}
				}
			}
		})
	}
}

// ask puts a question in both ways that Grafana has.
func ask(t *testing.T, method, address, query string) (status int, body string) {
	t.Helper()
	var form io.Reader
	if method == http.MethodPost {
		form = strings.NewReader(query)
	} else {
		address += "?" + query
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, form)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestATooLongQuestionIsRefused(t *testing.T) {
	server := fleet(t)
	status, body := ask(t, http.MethodPost, server+"/api/v1/query", "query="+strings.Repeat("1", 2<<20))
	if status != http.StatusBadRequest || !strings.Contains(body, "too large") {
		t.Errorf("status %d: %.300s", status, body)
	}
}
