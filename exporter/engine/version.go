package engine

import (
	"strconv"
	"strings"
)

// version is a program's version as numbers, most significant first. nil: not known.
type version []int

// smallestBuild is below every llama.cpp build with a metrics endpoint. Packages that are
// built without git history call themselves b0-unknown or b1-7e4c0a9: no version.
const smallestBuild = 1000

// parseVersion reads "0.32.0", "v0.9.2rc1", "0.16.0+cpu", "b11669-Debian". What comes after
// the numbers is passed over: a release candidate has the names of its release.
func parseVersion(text string) version {
	text = strings.TrimSpace(text)
	build, isBuild := strings.CutPrefix(text, "b")
	if isBuild {
		n, _ := leadingNumber(build)
		if n < smallestBuild {
			return nil
		}
		return version{n}
	}
	text = strings.TrimPrefix(text, "v")
	var v version
	for {
		n, rest := leadingNumber(text)
		if n < 0 {
			return v
		}
		v = append(v, n)
		if text = strings.TrimPrefix(rest, "."); text == rest {
			return v
		}
	}
}

// leadingNumber cuts a number off the front of a text; n is -1 when it does not begin with
// one that fits.
func leadingNumber(text string) (n int, rest string) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return -1, text
	}
	return n, text[end:]
}

// known says whether there is a version to compare.
func (v version) known() bool { return len(v) > 0 }

// below compares two known versions; missing places count as 0.
func (v version) below(other version) bool {
	for i := range max(len(v), len(other)) {
		a, b := v.place(i), other.place(i)
		if a != b {
			return a < b
		}
	}
	return false
}

func (v version) place(i int) int {
	if i < len(v) {
		return v[i]
	}
	return 0
}
