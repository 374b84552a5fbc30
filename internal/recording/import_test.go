package recording

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const indexColumns = "second\tat_ms\tphase\tname\tpath\tstatus\tcontent_type\tlatency_ms\tbytes\tfile\n"

// raw writes a folder of raw answers: files by path; a name that ends in .gz is compressed.
func raw(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustImport(t *testing.T, src, dst string) (*Recording, *Report) {
	t.Helper()
	report, err := Import(src, dst, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(dst)
	if err != nil {
		t.Fatal(err)
	}
	return r, report
}

func answerAt(t *testing.T, r *Recording, server string, second float64, path string) *Answer {
	t.Helper()
	s := r.Server(server)
	if s == nil {
		t.Fatalf("no server %q among %v", server, r.serverNames())
	}
	a, ok := s.At(at(second)(), path)
	if !ok {
		t.Fatalf("%s has no answer to %s at %v", server, path, second)
	}
	return a
}

func TestImportOfASeriesWithASecondPortAndWorkers(t *testing.T) {
	src := raw(t, filepath.Join(t.TempDir(), "router-1.2.3", "failover"), map[string]string{
		"index.tsv": indexColumns +
			"0\t3\tidle\thealth\tGET /health\t200\t\t1.5\t0\t0000.health.txt\n" +
			"0\t5\tidle\tmodels\tGET /metrics?model=x&autoload=false\t400\tapplication/json\t1\t2\t0000.models.json\n" +
			"0\t7\tidle\tslots\tGET /slots\t200\tapplication/json\t1\t2\t0000.models.json\n" +
			"2\t2004\tidle\tat0\tPOST /v1/completions\t200\tapplication/json\t9\t2\t0000.models.json\n" +
			"3\t3004\tidle\tat0\tGET /props\t200\tapplication/json\t9\t2\t0000.models.json\n" +
			"15\t15012\tload\thealth\tGET /health\tConnectionRefusedError\t\t0.4\t0\t\n" +
			"30\t30001\tload\thealth\tGET /health\tTimeoutError\t\t5002.2\t0\t\n" +
			"45\t45001\tload\thealth\tGET /health\tRemoteDisconnected\t\t3\t0\t\n",
		"0000.health.txt": "", "0000.models.json": "{}",
		"load.tsv":                         "start_ms\tend_ms\n1\t2\n3\t4\n",
		"events.tsv":                       "at_s\tevent\n15.5\tSIGKILL to replica-a\n",
		"metrics-port/index.tsv":           indexColumns + "0\t900\tw\tmetrics\tGET /metrics\t200\ttext/plain\t1\t4\t0000.metrics.txt.gz\n15\t15000\tw\tmetrics\tGET /metrics\t200\ttext/plain\t1\t6\t0015.metrics.txt\n30\t30000\tw\tmetrics\tGET /metrics\t200\ttext/plain\t1\t6\t0015.metrics.txt\n",
		"metrics-port/0000.metrics.txt.gz": "a 1\n", "metrics-port/0015.metrics.txt": "a 2\r\n\n",
		"replica-a/index.tsv":        indexColumns + "0\t0\tw\tmetrics\tGET /metrics\t200\ttext/plain\t1\t4\t0000.metrics.txt\n",
		"replica-a/0000.metrics.txt": "b 1\n",
	})
	dst := filepath.Join(t.TempDir(), "out")
	r, report := mustImport(t, src, dst)

	if r.Meta.Program != "router" || r.Meta.Version != "1.2.3" || r.Meta.Interval != 15*time.Second || r.Meta.Length != 45*time.Second {
		t.Errorf("recording.yml = %+v, want router 1.2.3, every 15s for 45s", r.Meta)
	}
	if len(r.Meta.Events) != 1 || r.Meta.Events[0] != (Event{15500 * time.Millisecond, "SIGKILL to replica-a"}) {
		t.Errorf("events = %v", r.Meta.Events)
	}
	for _, tt := range []struct {
		server, path string
		second       float64
		outcome      string
		body         string
	}{
		{"service", "/health", 0, "200", ""},
		{"service", "/health", 15, "refused", ""},
		{"service", "/health", 30, "timeout", ""},
		{"service", "/health", 45, "reset", ""},
		{"service", "/metrics?autoload=false&model=x", 0, "400", "{}"},
		{"metrics", "/metrics", 0, "200", "a 1\n"}, // 900 ms late: it was due at 0
		{"metrics", "/metrics", 15, "200", "a 2\r\n\n"},
		{"replica-a", "/metrics", 0, "200", "b 1\n"},
	} {
		a := answerAt(t, r, tt.server, tt.second, tt.path)
		if outcome(a) != tt.outcome || string(a.Body) != tt.body {
			t.Errorf("%s %s at %v: %s %q, want %s %q", tt.server, tt.path, tt.second, outcome(a), a.Body, tt.outcome, tt.body)
		}
	}
	if st := r.State("second-3"); st == nil || st.Answers[0].Path != "/props" {
		t.Errorf("states = %v, want the single question of second 3", r.States)
	}
	for _, want := range []string{
		"9 answers of 3 servers, 1 states", "left out: 2 requests of the load", "left out: 1 requests that are not GET",
		"left out: 1 answers of /slots and /server_info", "left out: 1 single questions by hand",
	} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	wantExporter := "backends:\n  - name: replica-a\n    url: http://replica-a\n  - name: router\n    url: http://service\n    metrics_url: http://metrics\n"
	if string(r.Exporter) != wantExporter {
		t.Errorf("exporter.yml =\n%s\nwant\n%s", r.Exporter, wantExporter)
	}
}

func TestImportOfAFleetTakesEachFolderAsAServer(t *testing.T) {
	one := indexColumns + "0\t0\tw\tmetrics\tGET /metrics\t200\ttext/plain\t1\t4\t0000.metrics.txt\n"
	src := raw(t, t.TempDir(), map[string]string{
		"README.md": "a fleet", "events.tsv": "480\tSIGKILL to big\n",
		"big/index.tsv": one, "big/0000.metrics.txt": "a 1\n",
		"front-metrics/index.tsv": one, "front-metrics/0000.metrics.txt": "a 3\n",
		"front/index.tsv": one, "front/0000.metrics.txt": "a 2\n",
	})
	r, _ := mustImport(t, src, filepath.Join(t.TempDir(), "out"))
	if got := strings.Join(r.serverNames(), " "); got != "big front front-metrics" {
		t.Errorf("servers = %s, want big front front-metrics", got)
	}
	if !strings.Contains(string(r.Exporter), "    url: http://front\n    metrics_url: http://front-metrics\n") {
		t.Errorf("exporter.yml does not join the two ports:\n%s", r.Exporter)
	}
}

func TestImportWithoutAnIndexSaysWhatItAssumes(t *testing.T) {
	src := raw(t, t.TempDir(), map[string]string{"0000.metrics.txt": "a 1\n", "0001.metrics.txt": "a 2\n", "0001.slots.json": "[]"})
	r, report := mustImport(t, src, filepath.Join(t.TempDir(), "out"))
	a := answerAt(t, r, "service", 1, "/metrics")
	if string(a.Body) != "a 2\n" || a.Status != 200 || a.ContentType != "text/plain; version=0.0.4" || a.Latency != 0 {
		t.Errorf("second 1 = %+v", a)
	}
	for _, want := range []string{"status 200 and content type \"text/plain; version=0.0.4\" are assumed", "left out: 1 files without an index"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
}

func TestImportOfStatesInEveryForm(t *testing.T) {
	headers := "HTTP/1.1 200 OK\r\nServer: llama.cpp\r\nDate: Sun, 29 Nov 2026 18:29:50 GMT\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // STATE PATH OUTCOME BODY, one per line
	}{
		"status lines": {map[string]string{
			"index.tsv":         "nokey\tGET /health\tHTTP/1.1 200 OK\nnokey\tGET /v1/models\tHTTP/1.1 401 Unauthorized\nnokey\tGET /slots\tHTTP/1.1 401 Unauthorized\n",
			"nokey.health.body": "ok", "nokey.v1_models.body": "no", "nokey.slots.body": "no",
			"asleep.metrics.body": "a 1\n", "asleep.metrics.headers.txt": headers, "post.completion.body": "x",
		}, "nokey /health 200 ok\nnokey /v1/models 401 no\nasleep /metrics 200 a 1\n\n"},
		"curl": {map[string]string{
			"index.tsv": "name\trequest\tstatus\tcontent_type\tbytes\tcurl_exit\n" +
				"asleep-is-sleeping\t/is_sleeping \t200\tapplication/json\t4\t0\n" +
				"asleep-metrics\t/metrics -H Accept: text/plain\t200\ttext/plain\t4\t0\n" +
				"models-401\t/v1/models\t401\tapplication/json\t2\t0\n" +
				"sleep-post\t/sleep?level=1 -X POST\t200\tapplication/json\t2\t0\n" +
				"dead-health-2\t/health \t000\t\t0\t7\n" +
				"server-info\t/server_info?config_format=json \t200\tapplication/json\t9\t0\n",
			"asleep-is-sleeping.body": "true", "asleep-metrics.body": "a 1\n", "asleep-metrics.headers.txt": headers, "models-401.body": "{}",
		}, "asleep /is_sleeping 200 true\nasleep /metrics 200 a 1\n\nplain /v1/models 401 {}\ndead-2 /health refused \n"},
		"a collector": {map[string]string{
			"index.tsv":         "name\tpath\taccept\tstatus\tcontent_type\tbytes\nfresh\t/metrics\t\t200\ttext/plain\t4\n",
			"fresh.metrics.txt": "a 1\n",
		}, "fresh /metrics 200 a 1\n\n"},
		"without column names": {map[string]string{
			"index.tsv":            "idle.metrics\t/metrics\t200\ttext/plain\t4\nidle.chat\t-d {} /v1/chat/completions\t200\t\t0\n",
			"idle.metrics.body.gz": "a 1\n",
		}, "idle /metrics 200 a 1\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := mustImport(t, raw(t, t.TempDir(), tt.files), filepath.Join(t.TempDir(), "out"))
			var got strings.Builder
			for _, s := range r.States {
				for _, a := range s.Answers {
					got.WriteString(s.Name + " " + a.Path + " " + outcome(&a) + " " + string(a.Body) + "\n")
				}
			}
			if got.String() != tt.want {
				t.Errorf("states =\n%s\nwant\n%s", got.String(), tt.want)
			}
		})
	}
}

func TestImportRefusesWhatItCannotBringInWhole(t *testing.T) {
	row := func(fields string) string { return indexColumns + fields + "\n" }
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing there": {map[string]string{"README.md": "x"}, "nothing to import"},
		"a program's folder": {map[string]string{
			"names.tsv": "", "basic/index.tsv": row("0\t0\tw\tm\tGET /m\t200\t\t1\t0\t0000.m.txt"),
		}, "holds several scenarios (basic); import each by itself"},
		"names alone":        {map[string]string{"names.tsv": "", "deep/er/index.tsv": ""}, "no answers; import the folder of a scenario"},
		"an unknown error":   {map[string]string{"index.tsv": row("0\t0\tw\tm\tGET /m\tSSLError\t\t1\t0\t")}, "index.tsv:2: outcome \"SSLError\""},
		"a missing body":     {map[string]string{"index.tsv": row("0\t0\tw\tm\tGET /m\t200\t\t1\t0\t0000.m.txt")}, "index.tsv:2: open "},
		"a cut body":         {map[string]string{"index.tsv": row("0\t0\tw\tm\tGET /m\t200\t\t1\t9\t0000.m.txt"), "0000.m.txt": "a"}, "1 bytes, the index says 9"},
		"a row cut short":    {map[string]string{"index.tsv": row("0\t0\tw")}, "index.tsv:2: 3 fields, want the 10 of the first line"},
		"a second of words":  {map[string]string{"index.tsv": row("soon\t0\tw\tm\tGET /m\t200\t\t1\t1\t0000.m.txt"), "0000.m.txt": "a"}, "index.tsv:2: second \"soon\""},
		"an event of words":  {map[string]string{"0000.metrics.txt": "a 1\n", "events.tsv": "1\tx\nsoon\ty\n"}, "events.tsv:2: \"soon\\ty\": want SECOND"},
		"a key in a body":    {map[string]string{"0000.metrics.txt": "a 1\nb{api_key=\"abcdef123\"} 1\n"}, "service: second 0: /metrics, line 2 of the body holds what looks like an API key"},
		"a bearer token":     {map[string]string{"0000.metrics.txt": "Bearer abcdefgh12345\n"}, "line 1 of the body holds what looks like a bearer token"},
		"a key argument":     {map[string]string{"0000.metrics.txt": "[\"--api-key\",\"not-told\"]\n"}, "looks like an API key argument"},
		"a root's path":      {map[string]string{"0000.metrics.txt": "m /root/models\n"}, "looks like a path of somebody's home"},
		"a path of a home":   {map[string]string{"0000.metrics.txt": "m{path=\"/home/user/models\"} 1\n"}, "holds what looks like a path of somebody's home"},
		"not gzip":           {map[string]string{"index.tsv": row("0\t0\tw\tm\tGET /m\t200\t\t1\t1\t0000.m.gz")}, "index.tsv:2: "},
		"a name with spaces": {map[string]string{"A B/0000.metrics.txt": "a 1\n"}, "\"A B\" is no server name"},
	} {
		t.Run(name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "out")
			_, err := Import(raw(t, t.TempDir(), tt.files), dst, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
			if _, err := os.Stat(dst); err == nil {
				t.Error("a folder was written all the same")
			}
		})
	}
}

func TestASecondImportKeepsWhatAPersonWrote(t *testing.T) {
	src := raw(t, t.TempDir(), map[string]string{"0000.metrics.txt": "a 1\n"})
	dst := filepath.Join(t.TempDir(), "out")
	if _, err := Import(src, dst, Options{Program: "engine", Version: "2", Recorded: "2026-11-29", Story: "It idles."}); err != nil {
		t.Fatal(err)
	}
	r, err := Load(dst)
	if err != nil {
		t.Fatal(err)
	}
	r.Meta.StandIn = map[string]string{"service": "before"}
	r.Meta.Headers = map[string]map[string]string{"service": {"Server": "engine/2"}}
	r.States = []State{{Name: "before", Answers: []Answer{{Path: "/health", Status: 200, Body: []byte("fine")}}}}
	r.Exporter = []byte("backends: [{name: mine, url: http://service}]\n")
	if err := Write(r, dst); err != nil {
		t.Fatal(err)
	}

	again, _ := mustImport(t, src, dst)
	if again.Meta.Story != "It idles." || again.Meta.Program != "engine" || again.Meta.Headers["service"]["Server"] != "engine/2" {
		t.Errorf("recording.yml = %+v", again.Meta)
	}
	if string(again.Exporter) != "backends: [{name: mine, url: http://service}]\n" {
		t.Errorf("exporter.yml = %s", again.Exporter)
	}
	if a := answerAt(t, again, "service", 0, "/health"); string(a.Body) != "fine" {
		t.Errorf("/health = %q, want the answer that stands in", a.Body)
	}
}
