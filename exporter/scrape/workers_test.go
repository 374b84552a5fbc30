package scrape

import (
	"testing"

	"github.com/llmfleet/llmfleet/exporter/config"
)

// A false match would call a healthy worker dead, so what may be another server is no match.
func TestARoutersWorkerIsFoundHoweverItsAddressIsWritten(t *testing.T) {
	w := workersOf([]config.Backend{
		{Name: "local", URL: "http://127.0.0.1:8001"},
		{Name: "remote", URL: "http://b.example:8001"},
		{Name: "six", URL: "http://[fd00::7]:8001"},
		{Name: "plain", URL: "http://c.example"},
		{Name: "sealed", URL: "https://c.example"},
		{Name: "gateway-a", URL: "http://gw.example:80/llm/a"},
		{Name: "gateway-b", URL: "http://gw.example/llm/b"},
		{Name: "behind", URL: "http://d.example:9000", KnownAs: []string{"http://10.0.0.7:8000/", "replicas/replica-d", "medium-0"}},
		{Name: "split", URL: "http://e.example:8000", MetricsURL: "http://e.example:29000"},
		{Name: "router", URL: "http://r.example:8000"},
	})
	here, away := config.Backend{Name: "router", URL: "http://localhost:8000"}, config.Backend{Name: "router", URL: "http://b.example:7770"}
	for name, tt := range map[string]struct {
		router config.Backend
		target string
		want   string // "": no backend
	}{
		"as written":                       {here, "http://127.0.0.1:8001", "local"},
		"another name of this machine":     {here, "http://localhost:8001/", "local"},
		"another loopback address":         {here, "http://127.0.1.1:8001", "local"},
		"loopback of the other protocol":   {here, "http://[::1]:8001", "local"},
		"bound to every address":           {here, "http://0.0.0.0:8001", "local"},
		"without a scheme":                 {here, "127.0.0.1:8001", "local"},
		"with the path of the API":         {here, "http://127.0.0.1:8001/v1", "local"},
		"with the rank of a worker":        {here, "http://127.0.0.1:8001@1", "local"},
		"another port":                     {here, "http://127.0.0.1:8002", ""},
		"loopback of the router's machine": {away, "http://127.0.0.1:8001", "remote"},
		"capitals":                         {here, "HTTP://B.Example:8001", "remote"},
		"a dot at the end":                 {here, "http://b.example.:8001", "remote"},
		"a longer host":                    {here, "http://a.b.example:8001", ""},
		"six":                              {here, "http://[FD00::7]:8001", "six"},
		"the scheme's own port":            {here, "http://c.example:80", "plain"},
		"the port of TLS":                  {here, "https://c.example/v1", "sealed"},
		"no port and no scheme":            {here, "c.example", ""},
		"one of two paths":                 {here, "http://gw.example/llm/b/v1", "gateway-b"},
		"the other, with its port":         {here, "http://gw.example:80/llm/a/", "gateway-a"},
		"a path of neither":                {here, "http://gw.example/llm/ab", ""},
		"above both":                       {here, "http://gw.example/", ""},
		"an address behind a gateway":      {here, "http://10.0.0.7:8000", "behind"},
		"the same with a path":             {here, "http://10.0.0.7:8000/v1", "behind"},
		"the name of a server":             {here, "replicas/replica-d", "behind"},
		"the name of a pod":                {here, "medium-0", "behind"},
		"another pod":                      {here, "medium-1", ""},
		"a model":                          {here, "qwen3:32b", ""},
		"by the port of its metrics":       {here, "http://e.example:29000", "split"},
		"the router itself":                {here, "http://r.example:8000", ""},
		"no address":                       {here, "http://", ""},
		"what cannot be read":              {here, "http://[::1:8001", ""},
		"nothing":                          {here, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.find(tt.router, tt.target); got != tt.want {
				t.Errorf("%q is %q, want %q", tt.target, got, tt.want)
			}
		})
	}
}
