package recording

import (
	"fmt"
	"regexp"
)

// secrets are what must not come into a repository with a body.
var secrets = []struct {
	what string
	re   *regexp.Regexp
}{
	{"an Authorization header", regexp.MustCompile(`(?i)authorization["']?\s*[:=]`)},
	{"a bearer token", regexp.MustCompile(`(?i)\bbearer\s+[a-z0-9._~+/-]{8,}`)},
	{"an API key", regexp.MustCompile(`(?i)\bapi[_-]?key["']?\s*[:=]\s*["']?[^\s"',}]{6,}`)},
	{"an API key argument", regexp.MustCompile(`(?i)--api-key(-file)?["',\s=]+[^\s"',]+`)},
	{"a token", regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|ghp_[A-Za-z0-9]{16,})`)},
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
	{"a path of somebody's home", regexp.MustCompile(`(/home/|/Users/|/root/)[^\s"']+`)},
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
		for _, s := range secrets {
			if s.re.MatchString(line) {
				return fmt.Errorf("%s, line %d of the body holds what looks like %s; change it in the source and import again", a.Path, n+1, s.what)
			}
		}
	}
	return nil
}
