package replay

import "testing"

func TestAModulesVersionIsReadAsThatOfPrometheus(t *testing.T) {
	for module, want := range map[string]string{
		"v0.316.0": "3.16.0", "v0.305.1": "3.5.1", "v0.300.0": "3.0.0", "v0.54.1": "", "(devel)": "",
	} {
		if got := ofModule(module); got != want {
			t.Errorf("ofModule(%q) = %q, want %q", module, got, want)
		}
	}
}
