package recording

import (
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

const oneCard = "[sys/devices/pci0000:00/0000:00:01.0]\nvendor = 0x1002\n=== t=60s\nvendor = 0x10de\n"

func TestAMachineAloneIsARecording(t *testing.T) {
	r, err := LoadFS(fstest.MapFS{"a/tree.txt": {Data: []byte(oneCard)}}, "a")
	if err != nil {
		t.Fatal(err)
	}
	if r.Host == nil || len(r.Servers) != 0 {
		t.Errorf("host %v, %d servers, want a machine without servers", r.Host, len(r.Servers))
	}
	if r.Meta.Interval != hostInterval || r.Meta.Length != time.Minute+hostLength {
		t.Errorf("pace %s, length %s, want %s and the time of the last change with %s after it", r.Meta.Interval, r.Meta.Length, hostInterval, hostLength)
	}
	names, err := List(fstest.MapFS{"a/tree.txt": {}, "b/tree.txt": {}, "b/recording.yml": {}, "c/other.txt": {}})
	if err != nil || len(names) != 2 {
		t.Errorf("List = %q, %v, want a and b, once each", names, err)
	}
}

func TestAMachineThatCannotBeReadIsRefused(t *testing.T) {
	_, err := LoadFS(fstest.MapFS{"a/tree.txt": {Data: []byte("nonsense\n")}}, "a")
	if err == nil || err.Error() != `host a: line 1: "nonsense" is neither a file, nor a link, nor a folder` {
		t.Errorf("LoadFS = %v", err)
	}
}

// lender holds a server that answers at 0 and at 20 s.
func lender(name string) (*Recording, error) {
	if name != "lender" {
		return nil, errors.New("no such recording")
	}
	return &Recording{
		Name: name, Meta: Meta{Headers: map[string]map[string]string{"service": {"Server": "uvicorn"}}},
		Servers: []*Server{{Name: "service", Answers: []Answer{
			{Path: "/metrics", Status: 200, Body: []byte("old")}, {At: 20 * time.Second, Path: "/metrics", Status: 200, Body: []byte("new")},
		}}},
	}, nil
}

func TestServersOfAMachineArePlayedByThoseOfAnotherRecording(t *testing.T) {
	r := &Recording{Name: "hosts/a", Meta: Meta{Servers: map[string]Borrowed{
		"127.0.0.1:8000": {Recording: "lender", Server: "service", Until: 10 * time.Second},
		"127.0.0.1:8001": {Recording: "lender", Server: "service"},
	}}}
	if err := r.Borrow(lender); err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(r, func() time.Duration { return 30 * time.Second })
	for host, want := range map[string]string{"127.0.0.1:8000": "old", "127.0.0.1:8001": "new"} {
		req, _ := http.NewRequest(http.MethodGet, "http://"+host+"/metrics", nil)
		resp, err := p.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 3)
		resp.Body.Read(body)
		if string(body) != want || resp.Header.Get("Server") != "uvicorn" {
			t.Errorf("%s answers %q with %v, want %q of the lender", host, body, resp.Header, want)
		}
	}
}

func TestAHostThatIsRecastHasOneServer(t *testing.T) {
	root, err := HostsRoot()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(filepath.Join(root, "a1"))
	if err != nil {
		t.Fatal(err)
	}
	before := len(r.Servers)
	const host = "127.0.0.1:8001"
	if err := r.Recast(host, Borrowed{Recording: "ik_llamacpp-8337e4cd/basic", Server: "service"}); err != nil {
		t.Fatal(err)
	}
	s := r.Server(host)
	if s == nil || len(r.Servers) != before || !slices.ContainsFunc(s.Answers, func(a Answer) bool { return strings.Contains(string(a.Body), "llamacpp:") }) {
		t.Errorf("%s of %d servers is played by %v, want one server with numbers of llama.cpp and %d in all", host, len(r.Servers), s, before)
	}
}

func TestAServerThatNobodyLendsIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		from Borrowed
		want string
	}{
		"no such recording": {Borrowed{Recording: "moon", Server: "service"}, `recording hosts/a: recording.yml: servers: "x:1": no such recording`},
		"no such server":    {Borrowed{Recording: "lender", Server: "moon"}, `recording hosts/a: recording.yml: servers: "x:1": recording lender has no server "moon"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recording{Name: "hosts/a", Meta: Meta{Servers: map[string]Borrowed{"x:1": tt.from}}}
			if err := r.Borrow(lender); err == nil || err.Error() != tt.want {
				t.Errorf("Borrow = %v, want %s", err, tt.want)
			}
		})
	}
}
