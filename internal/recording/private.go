package recording

import (
	"fmt"
	"regexp"
	"strings"
)

// secrets are what must not come into a repository with a body. A line that lacks the hint (in
// lower case) is not looked at any closer.
var secrets = []struct {
	what, hint string
	re         *regexp.Regexp
}{
	{"an Authorization header", "authorization", regexp.MustCompile(`(?i)authorization["']?\s*[:=]`)},
	{"a bearer token", "bearer", regexp.MustCompile(`(?i)\bbearer\s+[a-z0-9._~+/-]{8,}`)},
	{"an API key", "api", regexp.MustCompile(`(?i)\bapi[_-]?key["']?\s*[:=]\s*["']?[^\s"',}]{6,}`)},
	{"an API key argument", "--api-key", regexp.MustCompile(`(?i)--api-key(-file)?["',\s=]+[^\s"',]+`)},
	{"a token", "sk-", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`)},
	{"a token", "hf_", regexp.MustCompile(`\bhf_[A-Za-z0-9]{16,}`)},
	{"a token", "ghp_", regexp.MustCompile(`\bghp_[A-Za-z0-9]{16,}`)},
	{"a private key", "private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
	{"a path of somebody's home", "/home/", regexp.MustCompile(`/home/[^\s"']+`)},
	{"a path of somebody's home", "/users/", regexp.MustCompile(`/Users/[^\s"']+`)},
	{"a path of somebody's home", "/root/", regexp.MustCompile(`/root/[^\s"']+`)},
}

// checkPrivate refuses a recording whose bodies hold what looks like a secret or a path of
// somebody's home.
func checkPrivate(r *Recording) error {
	seen := map[string]bool{}
	for _, s := range r.Servers {
		for _, a := range s.Answers {
			if err := checkBody(a, seen); err != nil {
				return fmt.Errorf("%s: second %s: %w", s.Name, seconds(a.At), err)
			}
		}
	}
	for _, s := range r.States {
		for _, a := range s.Answers {
			if err := checkBody(a, seen); err != nil {
				return fmt.Errorf("state %s: %w", s.Name, err)
			}
		}
	}
	return nil
}

// checkBody looks at the lines that were not seen before: from scrape to scrape few change.
func checkBody(a Answer, seen map[string]bool) error {
	for n, line := range pageOf(a.Body).lines {
		if seen[line] {
			continue
		}
		seen[line] = true
		lower := strings.ToLower(line)
		for _, s := range secrets {
			if strings.Contains(lower, s.hint) && s.re.MatchString(line) {
				return fmt.Errorf("%s, line %d of the body holds what looks like %s; change it in the source and import again", a.Path, n+1, s.what)
			}
		}
	}
	return nil
}
