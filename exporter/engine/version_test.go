package engine

import (
	"slices"
	"testing"
)

func TestVersionsAreReadAsProgramsWriteThem(t *testing.T) {
	for text, want := range map[string]version{
		"0.32.0":                 {0, 32, 0},
		"v0.9.2":                 {0, 9, 2},
		"0.16.0rc1.dev3+g12":     {0, 16, 0},
		"0.9.2+cpu":              {0, 9, 2},
		"1":                      {1},
		"b11669-Debian":          {11669},
		"b10434":                 {10434},
		"b1-7e4c0a9":             nil, // built without git history
		"b0-unknown":             nil,
		"dev":                    nil,
		"":                       nil,
		"99999999999999999999.1": nil,
	} {
		if got := parseVersion(text); !slices.Equal(got, want) {
			t.Errorf("parseVersion(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestVersionsCompareByNumbersNotByText(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		below bool
	}{
		{"0.9.2", "0.10.0", true},
		{"0.10.0", "0.9.2", false},
		{"0.32", "0.32.0", false},
		{"0.32", "0.32.1", true},
		{"b9760-abc", "b10524", true},
		{"b11669-Debian", "b10524", false},
	} {
		if got := parseVersion(tt.a).below(parseVersion(tt.b)); got != tt.below {
			t.Errorf("%s below %s = %v, want %v", tt.a, tt.b, got, tt.below)
		}
	}
}
