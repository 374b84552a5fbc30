package exposition

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read returns the samples of a page as text: name, labels in order, value, type, family.
func read(page string) (lines []string, stats Stats) {
	stats = Read([]byte(page), func(s *Sample) {
		var b strings.Builder
		fmt.Fprintf(&b, "%s{", s.Name)
		for name, value, rest, ok := s.Labels.Next(); ok; name, value, rest, ok = rest.Next() {
			fmt.Fprintf(&b, "%s=%q ", name, value)
		}
		fmt.Fprintf(&b, "} %v %d %s", s.Value, s.Type, s.Family)
		lines = append(lines, b.String())
	})
	return lines, stats
}

func TestLinesAreReadAsServersWriteThem(t *testing.T) {
	for name, tt := range map[string]struct {
		page string
		want string // "" for a line that is dropped
	}{
		"bare":                  {"up 1", "up{} 1 0 "},
		"exponent":              {"x 1.23457e+06", "x{} 1.23457e+06 0 "},
		"labels":                {`x{a="1",b="2"} 3.0`, `x{a="1" b="2" } 3 0 `},
		"trailing comma":        {`x{a="1",} 3`, `x{a="1" } 3 0 `},
		"no comma":              {`x{a="1"b="2"} 3`, `x{a="1" b="2" } 3 0 `},
		"empty braces":          {`x{} 3`, `x{} 3 0 `},
		"blanks everywhere":     {"\t x { a = \"1\" , b=\"2\" }\t3  ", `x{a="1" b="2" } 3 0 `},
		"carriage return":       {"x 3\r", `x{} 3 0 `},
		"timestamp":             {"x 3 1395066363000", `x{} 3 0 `},
		"openmetrics timestamp": {"x 3 1395066363.5", `x{} 3 0 `},
		"exemplar":              {`x_bucket{le="1"} 3 # {trace_id="a } b"} 0.67 1.5`, `x_bucket{le="1" } 3 0 `},
		"timestamp, exemplar":   {`x 3 1.5 # {} 0.67`, `x{} 3 0 `},
		"brace in a value":      {`x{a="}",b="{,=\""} 3`, `x{a="}" b="{,=\"" } 3 0 `},
		"escapes":               {`x{a="c:\\d\"e\nf\g"} 3`, `x{a="c:\\d\"e\nf\\g" } 3 0 `},
		"ends in a backslash":   {`x{a="\\"} 3`, `x{a="\\" } 3 0 `},
		"quoted name":           {`{"http.requests",a="1"} 3`, `http.requests{a="1" } 3 0 `},
		"quoted name alone":     {`{"http.requests"} 3`, `http.requests{} 3 0 `},
		"quoted label":          {`x{"a.b"="1"} 3`, `x{a.b="1" } 3 0 `},
		"not UTF-8":             {"x{a=\"\xff\"} 3", `x{a="\xff" } 3 0 `},

		"no value":            {"x", ""},
		"no value behind":     {`x{a="1"}`, ""},
		"not a number":        {"x one", ""},
		"hexadecimal":         {"x 0x10", ""},
		"underscore":          {"x 1_000", ""},
		"too large":           {"x 1e999", ""},
		"value and rubbish":   {"x 1 rubbish", ""},
		"two timestamps":      {"x 1 2 3", ""},
		"name with a dash":    {"x-y 1", ""},
		"name with a digit":   {"1x 1", ""},
		"label without quote": {`x{a=1} 3`, ""},
		"label without value": {`x{a} 3`, ""},
		"only a comma":        {`x{,} 3`, ""},
		"unclosed quote":      {`x{a="1} 3`, ""},
		"unclosed brace":      {`x{a="1" 3`, ""},
		"empty quoted name":   {`{"",a="1"} 3`, ""},
		"no name":             {`{a="1"} 3`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines, stats := read(tt.page)
			want := Stats{Samples: 1}
			if tt.want == "" {
				want = Stats{Dropped: 1}
			}
			if diff := cmp.Diff(want, stats); diff != "" {
				t.Errorf("stats (-want +got):\n%s", diff)
			}
			if got := strings.Join(lines, "|"); got != tt.want {
				t.Errorf("read(%q) = %q, want %q", tt.page, got, tt.want)
			}
		})
	}
}

func TestValuesThatAreNotFiniteLoseTheirLineOnly(t *testing.T) {
	for _, spelling := range []string{"nan", "NaN", "-nan", "+Inf", "Inf", "-inf", "inf", "infinity", "1.#IND", "-1.#IND", "1.#QNAN"} {
		t.Run(spelling, func(t *testing.T) {
			lines, stats := read("a 1\nb " + spelling + "\nc{d=\"e\"} " + spelling + "\nf 2")
			if diff := cmp.Diff(Stats{Samples: 2, Dropped: 2}, stats); diff != "" {
				t.Errorf("stats (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"a{} 1 0 ", "f{} 2 0 "}, lines); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSamplesBelongToTheFamilyAboveThem(t *testing.T) {
	lines, stats := read(`# HELP h A histogram.
# TYPE h histogram
h_bucket{le="+Inf"} 2
h_sum 3
h_count 2
h_created 1.7e9
other 1
# TYPE c counter
# UNIT c tokens
c_total 4
c_bucket 5
# TYPE g_total counter
g_total 6
# TYPE s summary
s{quantile="0.5"} 1
s_count 1
# TYPE i info
i_info{v="1"} 1
#TYPE state stateset
state{state="on"} 1
# TYPE odd gaugehistogram
odd 1
# TYPE declared gauge
# EOF
# TYPE "quoted.name" gauge
{"quoted.name"} 1`)
	want := []string{
		`h_bucket{le="+Inf" } 2 3 h`, `h_sum{} 3 3 h`, `h_count{} 2 3 h`, `h_created{} 1.7e+09 3 h`, `other{} 1 0 `,
		`c_total{} 4 2 c`, `c_bucket{} 5 0 `, `g_total{} 6 2 g_total`,
		`s{quantile="0.5" } 1 4 s`, `s_count{} 1 4 s`, `i_info{v="1" } 1 5 i`, `state{state="on" } 1 6 state`,
		`odd{} 1 0 odd`, `quoted.name{} 1 1 quoted.name`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Stats{Samples: 14, Families: 9}, stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestRepeatedHelpAndTypeLoseNothing(t *testing.T) {
	head := "# HELP x_total Tokens.\n# TYPE x_total counter\n"
	lines, stats := read(head + "x_total{model=\"a\"} 120\n" + head + "x_total{model=\"b\"} 77\n")
	if diff := cmp.Diff([]string{`x_total{model="a" } 120 2 x_total`, `x_total{model="b" } 77 2 x_total`}, lines); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Stats{Samples: 2, Families: 1}, stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

// Multiprocess vLLM declares its gauges before the first request gives them a sample.
func TestFamilyWithoutSamplesIsReported(t *testing.T) {
	var r Reader
	r.Reset([]byte("# HELP g A gauge.\n# TYPE g gauge\n# TYPE c counter\nc 1\n"))
	var got []string
	for line := r.Next(); line != End; line = r.Next() {
		if line == FamilyLine {
			got = append(got, fmt.Sprintf("%s %d", r.Family, r.Type))
		}
	}
	if diff := cmp.Diff([]string{"g 1", "c 2"}, got); diff != "" {
		t.Errorf("families (-want +got):\n%s", diff)
	}
}

func TestLineOfAMegabyteIsReadLikeAnyOther(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	lines, stats := read("a 1\nb{c=\"" + long + "\"} 2\n" + long + "\nd 3")
	if diff := cmp.Diff(Stats{Samples: 3, Dropped: 1}, stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if len(lines) != 3 || len(lines[1]) < 1<<20 {
		t.Errorf("read %d samples, want 3 with the long one whole", len(lines))
	}
}

// llama.cpp b7090 to b7192.
func TestPageWithinAJSONStringIsReadLikeThePage(t *testing.T) {
	page := bodies(t)["llamacpp-0.7.0.txt"]
	wrapped, err := json.Marshal(string(page))
	if err != nil {
		t.Fatal(err)
	}
	want, wantStats := read(string(page))
	got, gotStats := read(string(wrapped))
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || wantStats != gotStats {
		t.Errorf("%d samples, stats %v and %v (-page +string):\n%s", len(want), wantStats, gotStats, diff)
	}
}

func TestLabelIsFoundByName(t *testing.T) {
	labels := Labels(`model_name="a\"b", engine="0",empty=""`)
	for name, want := range map[string]string{"model_name": `a"b`, "engine": "0", "empty": ""} {
		if got, ok := labels.Get(name); !ok || string(got) != want {
			t.Errorf("Get(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"model", "name", "a", ""} {
		if got, ok := labels.Get(name); ok {
			t.Errorf("Get(%q) = %q, want none", name, got)
		}
	}
}
