package exposition

import "testing"

func TestBodyThatIsNotMetricsIsNamed(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"empty":          {"", "an empty body"},
		"blank":          {"\r\n \n", "a blank body"},
		"page":           {"<!doctype html>\n<html><body>llama.cpp</body></html>\n", "an HTML or XML page"},
		"page on pages":  {"\n<html><pre>\n# TYPE x gauge\nx 1\n</pre></html>", "an HTML or XML page"},
		"object":         {`{"error":{"code":501,"message":"not supported"}}`, "a JSON document"},
		"printed object": {"{\n  \"up\": 1\n}\n", "a JSON document"},
		"string":         {`"hello"`, "a JSON document"},
		"half a string":  {`"# TYPE x gauge\nx 1`, "text that is not metrics"},
		"words":          {"Not Found", "text that is not metrics"},
		"comments":       {"# HELP x Nothing.\n# EOF\n", "text that is not metrics"},
		"compressed":     {"\x1f\x8b\x08\x00\xff\xfe", "binary data"},
	} {
		t.Run(name, func(t *testing.T) {
			if stats := Read([]byte(tt.body), func(*Sample) {}); stats.IsMetrics() {
				t.Errorf("IsMetrics() = true with %+v", stats)
			}
			if got := Describe([]byte(tt.body)); got != tt.want {
				t.Errorf("Describe(%q) = %q, want %q", tt.body, got, tt.want)
			}
		})
	}
}

func TestPageThatDeclaresFamiliesIsMetrics(t *testing.T) {
	for name, body := range map[string]string{
		"declared only":   "# TYPE x gauge\n",
		"a sample only":   "x 1",
		"one good line":   "rubbish here too\nx 1\n",
		"byte order mark": "\ufeffx 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			if stats := Read([]byte(body), func(*Sample) {}); !stats.IsMetrics() {
				t.Errorf("IsMetrics() = false with %+v", stats)
			}
		})
	}
}
