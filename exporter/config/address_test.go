package config

import (
	"testing"
)

func TestAddressesAreBroughtIntoOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8000":       "http://127.0.0.1:8000",
		"HTTP://Host.Example:8000///": "http://host.example:8000",
		"https://host/Llm/a%20b/":     "https://host/Llm/a%20b",
		"http://[::1]:8080":           "http://[::1]:8080",
		"http://host:8000/@team":      "http://host:8000/@team",
		"http://v1.example":           "http://v1.example",
		"http://v1":                   "http://v1",
		"http://host/v1beta":          "http://host/v1beta",
	} {
		got, _, wrong := checkedAddress(in, "")
		if got != want || wrong != "" {
			t.Errorf("%s is read as %q (%s), want %q", in, got, wrong, want)
		}
	}
}

func TestWhatLooksLikeASecretIsNotTakenForAFile(t *testing.T) {
	for s, want := range map[string]bool{
		"secrets/medium.token": false, "/etc/llmfleet/medium-a.token": false, "../token": false, "token": false, "medium-a.key": false,
		"/run/secrets/llm": false, "/var/run/credentials/llmfleet.service/token": false,
		"sk-abc": true, "eyJhbGciOi.eyJ9.x": true, "0123456789abcdef": true, "Bearer": true, "c2VjcmV0/eA==": true,
		"secrets/0123456789abcdef0123456789abcdef": true,
	} {
		if got := looksLikeSecret(s); got != want {
			t.Errorf("looksLikeSecret(%q) = %v, want %v", s, got, want)
		}
	}
}
