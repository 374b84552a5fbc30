package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTargetsAreNamedAfterTheirAddress(t *testing.T) {
	in := []string{"http://host:8080", "http://10.0.0.1:8000/", "https://host/llm", "http://[::1]:8080", "http://host:9000/a", "https://host:9000/a"}
	want := map[string]string{
		"host:8080": "http://host:8080", "10.0.0.1:8000": "http://10.0.0.1:8000", "host/llm": "https://host/llm",
		"[::1]:8080": "http://[::1]:8080", "http:host:9000/a": "http://host:9000/a", "https:host:9000/a": "https://host:9000/a",
	}
	c, err := FromTargets(in)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, b := range c.Backends {
		got[b.Name] = b.URL
		if wrong := checkName(b.Name); wrong != "" {
			t.Errorf("name %q could not stand in a file: %s", b.Name, wrong)
		}
		if b.Limits != Default().Defaults || !b.HTTP.FollowRedirects {
			t.Errorf("backend %s has not the defaults", b.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names and addresses (-want +got):\n%s", diff)
	}
}

func TestTargetNamesDoNotDependOnTheOrderOfTheFlags(t *testing.T) {
	names := func(urls ...string) map[string]string {
		c, err := FromTargets(urls)
		if err != nil {
			t.Fatal(err)
		}
		out := make(map[string]string)
		for _, b := range c.Backends {
			out[b.URL] = b.Name
		}
		return out
	}
	a, b := names("http://h:1", "https://h:1", "http://i:1"), names("http://i:1", "https://h:1", "http://h:1")
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("names differ with the order:\n%s", diff)
	}
}

func TestAllBadTargetsAreToldAtOnce(t *testing.T) {
	_, err := FromTargets([]string{"127.0.0.1:8000", "http://h:1", "http://h:1/", "http://me:hunter2@h:2", "http://h:3/v1"})
	want := `--target "127.0.0.1:8000" has no scheme; write http://127.0.0.1:8000
--target "http://h:1/" is the target "http://h:1" already; name each once
--target carries a user or a password; use --config.file with basic_auth and a password_file
--target "http://h:3/v1" ends in /v1, which is added where it is needed; write http://h:3`
	if err == nil || err.Error() != want {
		t.Errorf("FromTargets = %v\nwant\n%s", err, want)
	}
}

func TestTwoSpellingsOfAnAddressAreOne(t *testing.T) {
	for _, pair := range [][2]string{
		{"http://h", "http://h:80"}, {"https://h/a", "https://H:443/a/"}, {"http://h:8080", "HTTP://h:8080"},
		{"http://h.example:8080", "http://h.example.:8080"},
		{"http://127.0.0.1:8080", "http://localhost:8080"}, {"http://localhost", "http://LOCALHOST:80"},
		{"http://127.0.0.1:8080", "http://[::1]:8080"}, {"http://127.0.0.1:8080", "http://0.0.0.0:8080"},
		{"http://[::1]:8080/a", "http://[0:0:0:0:0:0:0:1]:8080/a"}, {"http://10.0.0.1:1", "http://[::ffff:10.0.0.1]:1"},
		{"http://[2001:DB8::1]:1", "http://[2001:db8:0::1]:1"},
	} {
		if _, err := FromTargets(pair[:]); err == nil {
			t.Errorf("%s and %s are taken for two", pair[0], pair[1])
		}
	}
}

func TestTwoServersOfOneMachineAreTwo(t *testing.T) {
	for _, pair := range [][2]string{
		{"http://127.0.0.1:8080", "http://localhost:8081"}, {"http://127.0.0.1:8080", "http://127.0.0.2:8080"},
		{"http://localhost:8080/a", "http://127.0.0.1:8080/b"}, {"http://localhost:443", "https://localhost"},
	} {
		if _, err := FromTargets(pair[:]); err != nil {
			t.Errorf("%s and %s: %v", pair[0], pair[1], err)
		}
	}
}
