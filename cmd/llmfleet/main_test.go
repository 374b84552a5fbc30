package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/recording"
)

// runIn runs the program in an empty folder, where no checkout is around it.
func runIn(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func TestAMistakeInTheFlagsSaysWhatToDo(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no such command":           {[]string{"demonstrate"}, "--help"},
		"a command mistyped":        {[]string{"chek"}, `expected command but got "chek"; did you mean check?`},
		"a flag mistyped":           {[]string{"check", "--promtheus=http://a"}, "did you mean --prometheus?"},
		"a flag of another command": {[]string{"demo", "--prometheus.listen-adress=:1"}, "did you mean --prometheus.listen-address?"},
		"no time to check":          {[]string{"check", "--prometheus=http://127.0.0.1:1", "--timeout=0s"}, "--timeout=0s: must be above 0"},
		"speed of nothing":          {[]string{"demo", "--speed=0"}, "--speed=0: must be at least 0.001"},
		"a pause of ages":           {[]string{"demo", "--speed=1e-300"}, "must be at least 0.001"},
		"no speed":                  {[]string{"demo", "--speed=NaN"}, "must be at least 0.001"},
		"no checkout around it":     {[]string{"demo", "--once"}, "--recording=DIR"},
		"a folder of anything":      {[]string{"demo", "--once", "--recording=."}, "name the folder of one recording"},
		"nothing to record":         {[]string{"record"}, "--import=DIR"},
		"two servers to record":     {[]string{"record", "http://a", "http://b", "-o", "x"}, "one server at a time"},
		"nowhere to record to":      {[]string{"record", "http://a"}, "pass -o DIR"},
		"nothing to check":          {[]string{"record", "--check"}, "pass the folders"},
		"nobody to examine":         {[]string{"doctor"}, "pass the address"},
		"an address without scheme": {[]string{"doctor", "host:1"}, "write http://host:1"},
		"address and backend":       {[]string{"doctor", "http://a", "--backend=b"}, "not both"},
		"settings that are not":     {[]string{"prove", "--recordings=.", "--settings=none.yml"}, "none.yml"},
		"nobody to check":           {[]string{"check"}, "--prometheus=URL, or --exporter=URL"},
		"two addresses to check":    {[]string{"check", "--prometheus=http://a", "http://b"}, "pass one address"},
		"two to check":              {[]string{"check", "--prometheus=http://a", "--exporter=http://b"}, "--prometheus=URL, or --exporter=URL"},
		"no address to check":       {[]string{"check", "--prometheus=localhost:9090"}, "write http://localhost:9090"},
		"an address alone":          {[]string{"check", "127.0.0.1:29090"}, "write http://127.0.0.1:29090"},
		"credentials of no file":    {[]string{"check", "--prometheus=http://a", "--http.config.file=none.yml"}, "none.yml"},
		"recordings that are none":  {[]string{"prove", "--recordings=."}, "recordings"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := runIn(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("llmfleet %s = %v, want it to say %q", strings.Join(tt.args, " "), err, tt.want)
			}
		})
	}
}

func TestRawAnswersAreBroughtInAndShown(t *testing.T) {
	raw := filepath.Join(t.TempDir(), "engine-1.2", "night")
	if err := os.MkdirAll(raw, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"index.tsv": "second\tat_ms\tphase\tname\tpath\tstatus\tcontent_type\tlatency_ms\tbytes\tfile\n" +
			"0\t1\tidle\tmetrics\tGET /metrics\t200\ttext/plain\t1.5\t12\t0000.metrics.txt\n" +
			"15\t15001\tidle\tmetrics\tGET /metrics\t200\ttext/plain\t1.5\t12\t0015.metrics.txt\n",
		"0000.metrics.txt": "a:running 1\n",
		"0015.metrics.txt": "a:running 7\n",
	} {
		if err := os.WriteFile(filepath.Join(raw, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "engine-1.2", "night")
	if _, err := runIn(t, "record", "--import="+raw, "-o", out, "--program=engine", "--program.version=1.2"); err != nil {
		t.Fatal(err)
	}
	shown, err := runIn(t, "record", "--show="+out, "--at=20s")
	if err != nil || !strings.Contains(shown, "a:running 7") {
		t.Errorf("shown at 20 s: %q, %v; want the body of second 15", shown, err)
	}
}

// TestTheDoctorsExitCodeSaysWhetherNumbersArrive examines a stranger, and then the same with the
// mapping that the page proposes, saved as a file.
func TestTheDoctorsExitCodeSaysWhetherNumbersArrive(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		io.WriteString(w, "# TYPE acme_requests_running gauge\nacme_requests_running 3\n")
	}))
	defer server.Close()
	page, err := runIn(t, "doctor", server.URL)
	if !errors.Is(err, errNoNumbers) {
		t.Fatalf("of a stranger: %v\n%s", err, page)
	}
	_, proposal, found := strings.Cut(page, "\nbackends:\n")
	if !found {
		t.Fatalf("no mapping is proposed:\n%s", page)
	}
	file := filepath.Join(t.TempDir(), "llmfleet.yml")
	if err := os.WriteFile(file, []byte("backends:\n"+proposal), 0o644); err != nil {
		t.Fatal(err)
	}
	if page, err := runIn(t, "doctor", "--config.file="+file); err != nil || !strings.Contains(page, "● acme. Its numbers arrive.") {
		t.Errorf("with the mapping: %v\n%s", err, page)
	}
}

func TestARecordedServerPassesTheCheckAndASpoiltOneDoesNot(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"data":[{"id":"m"}],"path":"/home/ann/m"}`)
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "live")
	if said, err := runIn(t, "record", server.URL, "-o", dir, "--length=0s"); err != nil || !strings.Contains(said, "a path of somebody's home") {
		t.Fatalf("record: %v\n%s", err, said)
	}
	if said, err := runIn(t, "record", "--check", dir); err != nil {
		t.Errorf("check: %v\n%s", err, said)
	}
	file := filepath.Join(dir, "service.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("/removed/"), []byte("/home/ann/")), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := runIn(t, "record", "--check", dir); err == nil || !strings.Contains(said, file+":4: holds what looks like a path of somebody's home") {
		t.Errorf("check of a spoilt one: %v\n%s", err, said)
	}
}

// TestTheChecksExitCodeTellsBlindFromUnchecked looks at an exporter without any backend, at one
// whose only server does not answer, and at nothing. The token of the file is wanted.
func TestTheChecksExitCodeTellsBlindFromUnchecked(t *testing.T) {
	failed := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer open" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		for _, s := range catalog.All() {
			if strings.HasPrefix(s.Name, "llmfleet_exporter_") {
				fmt.Fprintln(w, s.Name, 1)
			}
		}
		fmt.Fprintf(w, "llm_backend_info{backend=\"a\",engine=\"vllm\",url=\"http://a\",version=\"0.32.0\"} 1\n"+
			"llm_scrape_failed{backend=\"a\",reason=\"loading\"} %d\nllm_scrape_failed{backend=\"a\",reason=\"refused\"} %d\n", 1-failed, failed)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "http.yml")
	if err := os.WriteFile(file, []byte("authorization: {credentials: open}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	with := []string{"check", "--exporter=" + server.URL, "--http.config.file=" + file, "--output=json"}
	isUnchecked := func(err error) bool { _, is := errors.AsType[unchecked](err); return is }

	said, err := runIn(t, with...)
	var report struct {
		Backends int
		Causes   []struct{ What, Do string }
		Items    []struct{ Key, Verdict string }
	}
	if jsonErr := json.Unmarshal([]byte(said), &report); jsonErr != nil || err != nil || report.Backends != 1 || report.Causes == nil || len(report.Items) < 50 {
		t.Errorf("of a server that loads: %v, %v\n%.1000s", err, jsonErr, said)
	}
	failed = 1
	if said, err := runIn(t, with...); !errors.Is(err, errBlind) || !strings.Contains(said, `"what": "no numbers (refused)"`) {
		t.Errorf("of one that is gone: %v\n%.1000s", err, said)
	}
	if _, err := runIn(t, "check", "--exporter="+server.URL); !isUnchecked(err) || !strings.Contains(err.Error(), "401") {
		t.Errorf("without the token: %v", err)
	}
	if _, err := runIn(t, "check", "--output=xml"); !isUnchecked(err) {
		t.Errorf("with a mistyped flag: %v", err)
	}
	server.Close()
	if _, err := runIn(t, with...); !isUnchecked(err) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("of nothing: %v", err)
	}
}

// TestProveSaysWhatItDoesNotCompare proves an alert with numbers of a settings file, on a folder with
// one recording in it.
func TestProveSaysWhatItDoesNotCompare(t *testing.T) {
	root, err := recording.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fleet-incidents"), os.DirFS(filepath.Join(root, "fleet-incidents"))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "settings.yml")
	if err := os.WriteFile(file, []byte("for: {LlmConfigReloadFailed: 6m}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said, err := runIn(t, "prove", "--recordings="+dir, "--settings="+file, "--only=^LlmConfigReloadFailed$")
	if err == nil {
		t.Error("evidence on recordings that are not there is taken") // that of all thresholds is computed
	}
	for _, want := range []string{
		"NUMBERS OF YOUR OWN: LlmConfigReloadFailed for = 6m (default 5m)\n",
		"seconds, texts and mutants of 1 alerts (LlmConfigReloadFailed)",
		"alerts 1/1 fire, 1/1 quiet elsewhere, mutants 0/0 killed",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%.2000s", want, said)
		}
	}
}

func TestAStaleFileIsShownAsADiff(t *testing.T) {
	dir := t.TempDir()
	if _, err := runIn(t, "generate", "--output="+dir); err != nil {
		t.Fatal(err)
	}
	if diff, err := runIn(t, "generate", "--check", "--output="+dir); err != nil {
		t.Fatalf("just written, and stale: %v\n%.2000s", err, diff)
	}
	rules, err := filepath.Glob(filepath.Join(dir, "gen", "bundle", "prometheus", "rules", "*.yml"))
	if err != nil || len(rules) == 0 {
		t.Fatalf("no rule file was written (%v)", err)
	}
	if err := os.WriteFile(rules[0], []byte("groups: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	diff, err := runIn(t, "generate", "--check", "--output="+dir)
	if err == nil || !strings.Contains(diff, "-groups: []") {
		t.Errorf("check = %v with the diff\n%.500s\nwant the changed line", err, diff)
	}
}

func TestGenerateSaysWhatItCannotMakeOutsideOfACheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	said, err := runIn(t, "generate")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "left out") || !strings.Contains(said, "gen/bundle/prometheus/tests") {
		t.Errorf("it said %q, want that the tests are left out", said)
	}
	if _, err := os.Stat("gen/bundle/prometheus/rules"); err != nil {
		t.Error(err)
	}
}
