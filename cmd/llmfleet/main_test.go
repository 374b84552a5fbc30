package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		"no such command":          {[]string{"demonstrate"}, "--help"},
		"speed of nothing":         {[]string{"demo", "--speed=0"}, "must be above 0"},
		"no checkout around it":    {[]string{"demo", "--once"}, "--recording=DIR"},
		"a folder of anything":     {[]string{"demo", "--once", "--recording=."}, "name the folder of one recording"},
		"nothing to record":        {[]string{"record"}, "--import=DIR"},
		"settings that are not":    {[]string{"prove", "--recordings=.", "--settings=none.yml"}, "none.yml"},
		"recordings that are none": {[]string{"prove", "--recordings=."}, "recordings"},
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
