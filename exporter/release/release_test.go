package release

import (
	"runtime/debug"
	"testing"
)

func TestInstalledProgramHasTheVersionOfItsModule(t *testing.T) {
	for name, tt := range map[string]struct{ written, module, want string }{
		"a release":           {"1.2.3", "v1.2.4-0.20261130000000-abcdef012345", "1.2.3"},
		"go install":          {"", "v1.2.3", "v1.2.3"},
		"a checkout":          {"", "(devel)", ""},
		"nothing known of it": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := named(tt.written, &debug.BuildInfo{Main: debug.Module{Version: tt.module}}); got != tt.want {
				t.Errorf("version %q, want %q", got, tt.want)
			}
		})
	}
}
