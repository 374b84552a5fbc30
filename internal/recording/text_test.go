package recording

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/llmfleet/llmfleet/internal/golden"
)

func body(path, text string) entry {
	return entry{"0", Answer{Path: path, Status: 200, ContentType: "text/plain", Body: []byte(text)}}
}

func TestEveryBodyComesBackByteForByte(t *testing.T) {
	page := "# TYPE a counter\na 1\nb{x=\"y z\"} 2\n\nc 3\n"
	for name, bodies := range map[string][]string{
		"one page":                     {page},
		"the same again":               {page, page},
		"a value changed":              {page, strings.Replace(page, "a 1", "a 17", 1)},
		"a line added":                 {page, page + "d 4\n"},
		"a line gone":                  {page, strings.Replace(page, "a 1\n", "", 1)},
		"another order":                {page, "c 3\n\nb{x=\"y z\"} 5\n# TYPE a counter\na 1\n"},
		"a sample twice":               {page, page + page},
		"a sample no longer twice":     {page + page, page},
		"empty":                        {""},
		"empty after a page":           {page, ""},
		"a page after empty":           {"", page},
		"only a line end":              {"\n", "\n\n", "\n"},
		"no last line end":             {"a 1", "a 2", "a 2\n", "a 2"},
		"CR LF":                        {"a 1\r\nb 2\r\n", "a 1\r\nb 3\r\n", "a 1\nb 3\n"},
		"not UTF-8":                    {"a{l=\"\xff\xfe\"} 1\n", "a{l=\"\xff\xfe\"} 2\n"},
		"control characters":           {"\x00\x01\x02\n\x7f 1\n", "\u2028 1\n"},
		"lines that look like ours":    {"@ 0 /x 200 -\n= \n1-2 3\n# llmfleet\n|a\n\"b\"\n\\ no line end\n", "=\n"},
		"JSON on one line":             {`{"a": 1}`, `{"a": 2}`, `{"a": 2} `},
		"a value with an odd byte":     {"a 1\n", "a 1\x00\n", "a \n", "a  2\n"},
		"a space at the end":           {"a 1 \n", "a 2 \n"},
		"a long page that changes all": {strings.Repeat("x 1\n", 50), strings.Repeat("x 2\n", 50)},
	} {
		t.Run(name, func(t *testing.T) {
			var in []entry
			for _, b := range bodies {
				in = append(in, body("/metrics", b), body("/other", "between\n"))
			}
			text := encode(in)
			out, err := decode("x.txt", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for i, e := range in {
				if got := string(out[i].answer.Body); got != string(e.answer.Body) {
					t.Errorf("body %d = %q, want %q\n%s", i, got, e.answer.Body, text)
				}
			}
			if again := encode(out); !bytes.Equal(again, text) {
				t.Errorf("a second writing differs:\n%s\nwas:\n%s", again, text)
			}
		})
	}
}

func TestAnEditIsNeverLongerThanTheBody(t *testing.T) {
	before := strings.Repeat("a 1\nb 2\n", 20)
	for name, now := range map[string]string{
		"nothing in common": "x\ny\nz\n",
		"reversed":          "z 3\nb 2\na 1\n",
		"short":             "1\n",
	} {
		both := encode([]entry{body("/", before), body("/", now)})
		alone := encode([]entry{body("/", now)})
		first := encode([]entry{body("/", before)})
		if len(both)-len(first) > len(alone)-len(form) {
			t.Errorf("%s: the edit takes %d bytes, the body alone %d", name, len(both)-len(first), len(alone)-len(form))
		}
	}
}

func TestTheFormReadsAsDocumented(t *testing.T) {
	ms := time.Millisecond
	in := []entry{
		{"0", Answer{Path: "/metrics", Status: 200, ContentType: "text/plain", Latency: 1500 * time.Microsecond, Header: map[string]string{"Server": "one/1 \"x\""}, Body: []byte("# TYPE a counter\na 1\nb 2\nc 3\nd 4\n")}},
		{"0", Answer{Path: "/health", Status: 200, Latency: ms, Body: nil}},
		{"15", Answer{Path: "/metrics", Status: 200, ContentType: "text/plain", Latency: 2 * ms, Body: []byte("# TYPE a counter\na 1\nb 7\nc 3\nd 4\ne 5\r\n")}},
		{"30", Answer{Path: "/metrics", Failure: Refused, Latency: ms}},
		{"45", Answer{Path: "/metrics", Failure: TimedOut, Latency: 5 * time.Second}},
		{"60", Answer{Path: "/metrics", Failure: Reset}},
		{"75", Answer{Path: "/metrics", Status: 503, ContentType: "application/json", Latency: ms, Body: []byte("{}")}},
		{"90.5", Answer{Path: "/metrics", Status: 503, ContentType: "application/json", Latency: ms, Body: []byte("{}")}},
	}
	golden.Compare(t, filepath.Join("testdata", "form.txt"), encode(in))
}

func TestEveryMistakeInATextNamesItsLine(t *testing.T) {
	const start = form + "\n@ 0 /m 200 - \"\"\n|a 1\n|b 2\n"
	for name, tt := range map[string]struct{ text, want string }{
		"no form":            {"@ 0 /m 200 -\n", `x.txt:1: the first line is "@ 0 /m 200 -"`},
		"line ends changed":  {form + "\n@ 0 /m 200 - \"\"\r\n", "x.txt:2: the line ends in CR LF"},
		"a body before all":  {form + "\n|a\n", "x.txt:2: \"|a\": a body line without an answer"},
		"no path":            {form + "\n@ 0 m 200 -\n", "x.txt:2: \"0 m 200 -\": want"},
		"an unknown outcome": {form + "\n@ 0 /m lost -\n", `x.txt:2: outcome "lost"`},
		"a status of 99":     {form + "\n@ 0 /m 99 -\n", `x.txt:2: outcome "99"`},
		"a latency in words": {form + "\n@ 0 /m 200 long\n", `x.txt:2: latency "long"`},
		"no type at first":   {form + "\n@ 0 /m 200 -\n", "x.txt:2: /m: its first answer has no content type"},
		"a header unquoted":  {form + "\n@ 0 /m 200 - \"\" Server=x\n", "x.txt:2: \"Server=x\": want NAME=\"VALUE\""},
		"a failure's body":   {form + "\n@ 0 /m refused -\n|a\n", "x.txt:3: \"|a\": a body line without"},
		"a failure's type":   {form + "\n@ 0 /m refused - \"x\"\n", "x.txt:2: \"\\\"x\\\"\" after refused"},
		"nothing to repeat":  {form + "\n@ 0 /m 200 - \"\"\n=\n", `x.txt:3: "=": no body before`},
		"repeat and more":    {start + "@ 1 /m 200 -\n=\n|c\n", "x.txt:7: a line after the end"},
		"a range too far":    {start + "@ 1 /m 200 -\n1-3\n", `x.txt:6: "1-3": not a range of the 2 lines`},
		"a range backwards":  {start + "@ 1 /m 200 -\n2-1\n", `x.txt:6: "2-1": not a range`},
		"a line of words":    {start + "@ 1 /m 200 -\nhello\n", `x.txt:6: "hello": not a range`},
		"a bad quote":        {start + "\"a\n", `x.txt:5: "\"a" is not a quoted line`},
		"a quoted line end":  {start + "\"a\\n\"\n", `is not a quoted line`},
		"an end of nothing":  {form + "\n@ 0 /m 200 - \"\"\n\\\n", "x.txt:3: no line whose end"},
		"a value for prose":  {form + "\n@ 0 /m 200 - \"\"\n|word\n@ 1 /m 200 -\n1 2\n", "x.txt:5: \"1 2\": line 1 of the body before has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := decode("x.txt", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestCopiesCannotGrowWithoutBound(t *testing.T) {
	var b strings.Builder
	b.WriteString(form + "\n@ 0 /m 200 - \"\"\n|" + strings.Repeat("x", 1000) + "\n")
	for i, lines := 1, 1; i < 30; i, lines = i+1, lines*2 {
		fmt.Fprintf(&b, "@ %d /m 200 -\n1-%d\n1-%d\n", i, lines, lines)
	}
	if _, err := decode("x.txt", []byte(b.String())); err == nil || !strings.Contains(err.Error(), "grows over") {
		t.Errorf("error = %v, want the bound of a body", err)
	}
}

// FuzzDecode feeds the reader with anything: it must not panic, and what it accepts must come
// back the same from a second writing.
func FuzzDecode(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "form.txt"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add([]byte(form + "\n@ 0 /m 200 - \"\"\n|a 1\n\"\\xff\"\n\\\n@ 1 /m 200 -\n1 2\n2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := decode("fuzz.txt", text)
		if err != nil {
			return
		}
		back, err := decode("again.txt", encode(entries))
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		for i, e := range entries {
			if back[i].mark != e.mark || !bytes.Equal(back[i].answer.Body, e.answer.Body) || back[i].answer.Status != e.answer.Status {
				t.Fatalf("entry %d came back as %+v, was %+v", i, back[i], e)
			}
		}
	})
}
