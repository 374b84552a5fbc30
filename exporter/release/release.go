// Package release knows which version of llmfleet a program is.
package release

import (
	"runtime/debug"

	"github.com/prometheus/common/version"
)

// Print is what --version says of a program. A release writes its version into the program; one
// that go install built has the version of the module.
func Print(program string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		version.Version = named(version.Version, info)
	}
	return version.Print(program)
}

// named is the version that was written into the program, else that of the module.
func named(written string, info *debug.BuildInfo) string {
	if written != "" || info.Main.Version == "(devel)" {
		return written
	}
	return info.Main.Version
}
