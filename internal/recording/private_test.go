package recording

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// privacy is what a live server may send, and what may be kept of it.
var privacy = map[string]struct {
	body, want string
	what       string // "": nothing is private
}{
	"a model server's own numbers": {
		`vllm:num_requests_running{engine="0",model_name="tiny"} 3.0`, `vllm:num_requests_running{engine="0",model_name="tiny"} 3.0`, "",
	},
	"a bearer token in a text":   {"# HELP x send Bearer abcdefgh12345678", "# HELP x send removed", "a bearer token"},
	"an OpenAI key in a label":   {`x{alias="sk-abcdefghijklmnop1234"} 1`, `x{alias="removed"} 1`, "a token"},
	"a Hugging Face token":       {`{"env_note":"hf_abcdefghijklmnopqrst"}`, `{"env_note":"removed"}`, "a token"},
	"a GitHub token":             {"ghp_abcdefghijklmnop1234", "removed", "a token"},
	"a signed web token":         {`{"t":"eyJhbGciOiJI.eyJzdWIiOiIx.c2ln"}`, `{"t":"removed"}`, "a token"},
	"a hashed key of LiteLLM":    {`litellm_requests{hashed_api_key="88dc28d0f0",user="default_user_id"} 2`, `litellm_requests{hashed_api_key="key-1",user="default_user_id"} 2`, "a key"},
	"two keys stay two":          {"a{hashed_api_key=\"88dc28\"} 1\na{hashed_api_key=\"99ab12\"} 2\na{hashed_api_key=\"88dc28\"} 3", "a{hashed_api_key=\"key-1\"} 1\na{hashed_api_key=\"key-2\"} 2\na{hashed_api_key=\"key-1\"} 3", "a key"},
	"a user and his mail":        {`a{user="ann",user_email="ann@corp.io"} 1`, `a{user="user-1",user_email="user-2"} 1`, "a person"},
	"a mail in a text":           {`{"note":"ask ann@corp.io"}`, `{"note":"ask user-1@example.com"}`, "an e-mail address"},
	"a mail of documentation":    {`{"note":"ask me@example.com"}`, `{"note":"ask me@example.com"}`, ""},
	"a mail in another script":   {`{"note":"ask jürgen.o'malley@büro.de"}`, `{"note":"ask user-1@example.com"}`, "an e-mail address"},
	"a path of a home":           {`{"model_path":"/home/ann/models/tiny.gguf"}`, `{"model_path":"/removed/tiny.gguf"}`, "a path of somebody's home"},
	"a home alone":               {`{"cwd":"/home/ann"}`, `{"cwd":"/removed"}`, "a path of somebody's home"},
	"a home on Windows":          {`{"model_path":"C:\\Users\\ann\\tiny.gguf"}`, `{"model_path":"/removed/tiny.gguf"}`, "a path of somebody's home"},
	"a home alone on Windows":    {`{"cwd":"C:\\Users\\ann"}`, `{"cwd":"/removed"}`, "a path of somebody's home"},
	"a model named by its path":  {`vllm:x{model_name="/data/corp/tiny"} 1`, `vllm:x{model_name="/removed/tiny"} 1`, "a path"},
	"a path of a server's API":   {`http_requests_total{handler="/v1/data/models"} 1`, `http_requests_total{handler="/v1/data/models"} 1`, ""},
	"a client's address":         {`x{client_ip="10.1.2.3"} 1`, `x{client_ip="host-1"} 1`, "an address"},
	"a client's port stays":      {`x{client_ip="10.1.2.3:51234"} 1`, `x{client_ip="host-1:51234"} 1`, "an address"},
	"a client of version 6":      {`{"host":"[2a02:1234:5678::9]:8080"}`, `{"host":"host-1:8080"}`, "an address"},
	"a client with a zone":       {`{"remote_addr":"[fe80::1%eth0]:51234"}`, `{"remote_addr":"host-1:51234"}`, "an address"},
	"a name instead of a port":   {`x{client_ip="gpu7:alice"} 1`, `x{client_ip="host-1"} 1`, "an address"},
	"a name behind a host":       {`x{instance="gpu7.corp.lan:alice smith"} 1`, `x{instance="host-1"} 1`, "an address"},
	"a name without a host":      {`{"host":":secretname"}`, `{"host":"host-1"}`, "an address"},
	"a name before a scheme":     {`{"host":"ann://x:80"}`, `{"host":"host-1"}`, "an address"},
	"a port out of range":        {`{"host":"gpu7:65536"}`, `{"host":"host-1"}`, "an address"},
	"a port alone":               {`{"host":":8080"}`, `{"host":":8080"}`, ""},
	"the machine, version 6":     {`{"host":"[::1]:8080"}`, `{"host":"[::1]:8080"}`, ""},
	"one host, three writings":   {`{"host":"GPU7:1","node":"gpu7","instance":"gpu7:2","hostname":"gpu8"}`, `{"host":"host-1:1","node":"host-1","instance":"host-1:2","hostname":"host-2"}`, "an address"},
	"a key with a colon":         {`{"password":"none:4711","secret":"127.0.0.1"}`, `{"password":"key-1","secret":"key-2"}`, "a key"},
	"a number behind user":       {`{"user":"user-5551234567"}`, `{"user":"user-1"}`, "a person"},
	"a worker's address":         {`x{worker="http://10.1.2.3:8001"} 1`, `x{worker="http://192.0.2.1:8001"} 1`, "an IP address"},
	"an address of version 6":    {`x{worker="http://[fd00::12:1]:8001"} 1`, `x{worker="http://[2001:db8::1]:8001"} 1`, "an IP address"},
	"the machine itself":         {`x{worker="http://127.0.0.1:8001",client_ip="::1"} 1`, `x{worker="http://127.0.0.1:8001",client_ip="::1"} 1`, ""},
	"a version of four parts":    {`x{version="12.4.131.1"} 1`, `x{version="12.4.131.1"} 1`, ""},
	"a version of five parts":    {`{"cuda":"12.4.131.1.7"}`, `{"cuda":"12.4.131.1.7"}`, ""},
	"a worker by its name":       {`x{worker="http://gpu3.corp.io:8001"} 1`, `x{worker="http://host-1:8001"} 1`, "a host's name"},
	"a worker without a scheme":  {`x{destination="gpu3.corp.io:8001"} 1`, `x{destination="host-1:8001"} 1`, "a host's name"},
	"a worker in another script": {`x{worker="http://jürgen.büro.de:8001/v1"} 1`, `x{worker="http://host-1:8001/v1"} 1`, "a host's name"},
	"a worker with a zone":       {`x{worker="http://[fe80::1%25corp]:8001"} 1`, `x{worker="http://[2001:db8::1]:8001"} 1`, "an IP address"},
	"a page that all know":       {"# HELP x see https://github.com/x/y", "# HELP x see https://github.com/x/y", ""},
	"credentials in an address":  {`{"url":"http://ann:pw@127.0.0.1/x"}`, `{"url":"http://127.0.0.1/x"}`, "a password in an address"},
	"prompts in the slots of llama.cpp": {
		`[{"id":0,"prompt":"Dear Ann, ","n_ctx":512,"generated":"I quit"},{"id":1,"prompt":""}]`,
		`[{"id":0,"prompt":"removed","n_ctx":512,"generated":"removed"},{"id":1,"prompt":""}]`, "a prompt",
	},
	"messages": {`{"messages":[{"role":"user","content":"hi"}],"n": 1}`, `{"messages":[],"n": 1}`, "a prompt"},
	"command lines of a router's models": {
		`{"data":[{"id":"tiny","status":{"value":"loaded","args":["llama-server","--api-key","abc"],"preset":"[tiny]\nx = 1"}}]}`,
		`{"data":[{"id":"tiny","status":{"value":"loaded","args":[],"preset":"removed"}}]}`, "a command line",
	},
	"an API key argument in a text":   {`{"start":"llama-server --api-key abc --port 1"}`, `{"start":"llama-server removed --port 1"}`, "an API key argument"},
	"an API key of a configuration":   {"api_key: abcdef123", "removed", "an API key"},
	"a password of several words":     {`password: "correct horse battery" # old`, "removed # old", "an API key"},
	"an argument of several words":    {`--api-key 'correct horse' --port 1`, "removed --port 1", "an API key argument"},
	"another scheme of authorization": {"curl -H 'Authorization: Token abc def' x", "curl -H 'removed' x", "an Authorization header"},
	"a label with spaces around":      {`x {le="1", user = "ann"} 1`, `x {le="1", user = "user-1"} 1`, "a person"},
	"a quoted name of a metric":       {`{"a.b", "user"="ann"} 1`, `{"a.b", "user"="user-1"} 1`, "a person"},
	"a header among labels":           {`x{authorization = "Token abc",n="1"} 1`, `x{authorization = "key-1",n="1"} 1`, "a key"},
	"an exemplar":                     {`x_total 3 # {user="ann"} 1`, `x_total 3 # {user="user-1"} 1`, "a person"},
	"a page that is cut":              {"a 1\nx{user=\"ann", "a 1\nx{user=\"user-1", "a person"},
	"JSON of Python":                  {`{"a":NaN,"b":"NaN","c":-Infinity,"messages":[{"role":"user"}]}`, `{"a":NaN,"b":"NaN","c":-Infinity,"messages":[]}`, "a prompt"},
	"JSON that was none":              {"{\"messages\":[{\"content\":\"a\x01b\"}]}", `{"messages":[]}`, "a prompt"},
	"JSON that is cut":                {`{"user":"ann","note":"at 10.1.2.3","prompt" : "Dear A`, `{"user":"user-1","note":"at 192.0.2.1","prompt" : "removed`, "a prompt"},
	"a private key": {
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx 1", "removed\nx 1", "a private key",
	},
	"a page wrapped in JSON": {`"# HELP x\nx{user=\"ann\"} 1\n"`, `"# HELP x\nx{user=\"user-1\"} 1\n"`, "a person"},
	"lines of JSON":          {"{\"user\":\"ann\"}\n{\"n\":1}\n", "{\"user\":\"user-1\"}\n{\"n\":1}\n", "a person"},
	"every other byte stays": {"{ \"b\" : 1.50 ,\n\t\"a\":[ 1e3,\"<&>\" ], \"user\":\"ann\" }\r\n", "{ \"b\" : 1.50 ,\n\t\"a\":[ 1e3,\"<&>\" ], \"user\":\"user-1\" }\r\n", "a person"},
}

func TestWhatIsPrivateIsRemovedAndTheRestStays(t *testing.T) {
	for name, tt := range privacy {
		t.Run(name, func(t *testing.T) {
			var what []string
			r := newRemover(true, func(_ int, w, _ string) { what = append(what, w) })
			if got := string(r.body([]byte(tt.body))); got != tt.want {
				t.Errorf("kept  %s\nwant  %s", got, tt.want)
			}
			if tt.what == "" && len(what) > 0 || tt.what != "" && !slices.Contains(what, tt.what) {
				t.Errorf("found %q, want %q", what, tt.what)
			}
		})
	}
}

func TestNothingPrivateIsFoundInWhatWasCleaned(t *testing.T) {
	for name, tt := range privacy {
		clean := newRemover(true, func(int, string, string) {}).body([]byte(tt.body))
		again := newRemover(true, func(_ int, what, value string) { t.Errorf("%s: still found %s: %q", name, what, value) })
		if twice := again.body(clean); string(twice) != string(clean) {
			t.Errorf("%s: cleaned twice: %s", name, twice)
		}
	}
}

func TestAModelsNameIsTheSameInAQueryAndInAPage(t *testing.T) {
	r := newRemover(true, func(int, string, string) {})
	if got, want := r.path("/metrics?model=%2Fhome%2Fann%2Ftiny.gguf&autoload=false"), "/metrics?model=%2Fremoved%2Ftiny.gguf&autoload=false"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	if got, want := string(r.body([]byte(`{"id":"/home/ann/tiny.gguf"}`))), `{"id":"/removed/tiny.gguf"}`; got != want {
		t.Errorf("answered %s, want %s", got, want)
	}
}

func TestAQueryThatCannotBeReadIsCleanedAsItStands(t *testing.T) {
	r := newRemover(true, func(int, string, string) {})
	if got, want := r.path("/slots?user=ann%zz&us%65r=bob"), "/slots?user=user-1&us%65r=user-2"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestACheckNamesTheFileAndTheLine(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{
		"recording.yml": "program: x\nversion: \"1\"\nstory: made by ann@corp.io\n",
		"service.txt": form + "\n\n@ 0 /metrics 200 1ms \"text/plain\"\n|a 1\n|b{user=\"ann\"} 2\n" +
			"\n@ 15 /metrics 200 1ms\n1 7\n2\n|c{client_ip=\"10.0.0.1\"} 1\n" +
			"\n@ 15 /metrics?model=%2Fhome%2Fann%2Fx 404 1ms \"\"\n" +
			"\n@ 15 /props 200 1ms \"application/json\"\n|{\"a\":1,\n|\"prompt\":\"hi\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := CheckPrivate(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, strings.TrimPrefix(f.String(), dir+string(filepath.Separator)))
	}
	want := []string{
		"recording.yml:3: holds what looks like an e-mail address",
		"service.txt:5: holds what looks like a person",
		"service.txt:10: holds what looks like an address",
		"service.txt:12: holds what looks like a path of somebody's home",
		"service.txt:16: holds what looks like a prompt",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// knownHarmless are findings in our own recordings that a person has looked at.
var knownHarmless = map[string][]string{
	// Command lines of the recorder's own container: a program, a port, a model of random numbers.
	"llamacpp-0.7.0-b11669/router": {"a command line"},
	"litellm-1.110.2/states":       {"a key"}, // of a request with the key "wrong", which is none
}

func TestOurRecordingsHoldNothingPrivate(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := List(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		found, err := CheckPrivate(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		}
		for _, f := range found {
			if !slices.Contains(knownHarmless[name], f.What) {
				t.Error(f)
			}
		}
	}
}

// FuzzAPrivateFieldKeepsNothing: what was in a private field is gone but for the port of an
// address, or it named nobody.
func FuzzAPrivateFieldKeepsNothing(f *testing.F) {
	for _, seed := range []string{"ann", "GPU7:8080", "10.1.:.3", "[2a02::9]:80", "[fe80::1%eth0]:1", ":secret", "x://y:80", "[::1]:80", "none", "host-1:80", "user-1", "a:99999"} {
		f.Add(seed)
	}
	instead := regexp.MustCompile(`^(removed|key-1|user-1|host-1)$`)
	port := regexp.MustCompile(`:[0-9]{1,5}$`)
	harmless := regexp.MustCompile(`(?i)^(|none|null|unknown|default|anonymous|\*|-|localhost|default_user_id|litellm_proxy_master_key|litellm-internal-health-check|removed|(key|user|host)-[0-9]{1,6})$`)
	f.Fuzz(func(t *testing.T, value string) {
		for _, kind := range fields {
			got := newRemover(true, func(int, string, string) {}).text(kind.names[0], value)
			host := got
			if kind.name == "host" {
				host = port.ReplaceAllString(got, "")
			}
			if _, err := netip.ParseAddr(got); err == nil {
				host = got // its end looks like a port
			}
			plain := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
			switch {
			case got != value:
				if !instead.MatchString(host) || !strings.HasSuffix(value, strings.TrimPrefix(got, host)) {
					t.Errorf("%s: %q became %q", kind.names[0], value, got)
				}
			case !harmless.MatchString(plain):
				a, err := netip.ParseAddr(plain)
				documented := err == nil && slices.ContainsFunc(documentation, func(p netip.Prefix) bool { return p.Contains(a) })
				if kind.name != "host" || err != nil || !a.IsLoopback() && !a.IsUnspecified() && !documented {
					t.Errorf("%s: %q stayed", kind.names[0], value)
				}
			}
		}
	})
}

// documentation are the networks of RFC 5737 and RFC 3849.
var documentation = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32"),
}

// FuzzWhatIsPrivateDoesNotComeBack: a cleaned body is clean, and still JSON if it was.
func FuzzWhatIsPrivateDoesNotComeBack(f *testing.F) {
	for _, tt := range privacy {
		f.Add([]byte(tt.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		clean := newRemover(true, func(int, string, string) {}).body(body)
		if json.Valid(body) && !json.Valid(clean) {
			t.Errorf("%q became %q, which is no JSON", body, clean)
		}
		newRemover(false, func(_ int, what, value string) { t.Errorf("%q became %q, with %s: %q", body, clean, what, value) }).body(clean)
	})
}
