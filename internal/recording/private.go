package recording

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What must not come into a repository with an answer. A rule finds it in a text; a field, which
// is a label's name or a JSON key, says it of the whole value.

// rule finds one kind of what is private.
type rule struct {
	what string
	hint []string // a text without any of them, in lower case, is not looked at any closer
	re   *regexp.Regexp
	// isPrivate looks at a match again; nil: each is. before and after are the text around it.
	isPrivate func(match, before, after string) bool
	instead   func(r *remover, match string) string
	refused   bool // an import refuses it, instead of leaving it to a person
	strict    bool // removed from a live server's answers, and no fault of a recording that has it
}

// scheme is that of an address on the network: some programs name their parts in URLs as well.
const scheme = `(?i)\b(https?|wss?|grpcs?|tcp|nats|rediss?|etcd|amqp|postgres|postgresql|mysql)://`

// word is a letter of any script, or what else the name before the @ of a mail may have.
const word = `[\pL\pM\pN._%+-]`

// beginsThere says that a path is no part of a longer one, as of an address.
func beginsThere(_, before, _ string) bool {
	return before == "" || strings.ContainsAny(before[len(before)-1:], " =:,([\"'\t")
}

// privateKey goes over several lines, so it comes before a text is read line by line.
var privateKey = rule{
	what: "a private key", hint: []string{"private key"}, refused: true, instead: gone,
	re: regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`),
}

var rules = []rule{
	privateKey,
	{what: "an Authorization header", hint: []string{"authorization"}, refused: true, instead: gone,
		re: regexp.MustCompile(`(?i)authorization["']?\s*[:=]\s*["']?[^\s"'}][^"'}\r\n]*`)},
	{what: "a bearer token", hint: []string{"bearer"}, refused: true, instead: gone,
		re: regexp.MustCompile(`(?i)\bbearer\s+[a-z0-9._~+/-]{8,}=*`)},
	{what: "an API key", hint: []string{"key", "token", "secret", "password"}, refused: true, instead: gone,
		re: regexp.MustCompile(`(?i)\b(api[_-]?key|(access|auth|hf)[_-]token|secret|password)["']?\s*[:=]\s*("[^"]{6,}"|'[^']{6,}'|["']?[^\s"',}]{6,})`)},
	{what: "an API key argument", hint: []string{"--api-key", "-token"}, refused: true, instead: gone,
		re: regexp.MustCompile(`(?i)--(api-key(-file)?|(hf|auth)-token)((\s*=\s*|\s+)("[^"]+"|'[^']+')|["',\s=]+[^\s"',]+)`)},
	{what: "a token", hint: []string{"sk-", "hf_", "gh", "glpat-", "xox", "akia", "eyj", "aiza", "nvapi-", "gsk_"}, refused: true, instead: gone,
		re: regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|nvapi-[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)`)},
	{what: "a password in an address", hint: []string{"@"}, refused: true,
		re:      regexp.MustCompile(`://[^\s/"'@]+@`),
		instead: func(*remover, string) string { return "://" }},
	{what: "a path of somebody's home", hint: []string{"/home/", "/users/", "/root/", `\users\`}, refused: true, instead: elsewhere,
		re: regexp.MustCompile(`(?i)([a-z]:[\\/]+users|/home|/users|/root)[\\/]+[^\s"',;]*`)},
	{what: "a path", hint: []string{"/mnt/", "/media/", "/srv/", "/data/", "/volumes/", "/scratch/", "/workspace/"}, instead: elsewhere,
		re: regexp.MustCompile(`/(mnt|media|srv|data|Volumes|scratch|workspace)/[^\s"',;]+`), isPrivate: beginsThere},
	{what: "a path", hint: []string{"/opt/", "/var/", "/tmp/", "/private/"}, strict: true, instead: elsewhere,
		re: regexp.MustCompile(`/(opt|var|tmp|private)/[^\s"',;]+`), isPrivate: beginsThere},
	{what: "an e-mail address", hint: []string{"@"}, instead: namedAs("user-%d@example.com"),
		re:        regexp.MustCompile(word + `+('` + word + `+)*@[\pL\pM\pN-]+(\.[\pL\pM\pN-]+)*\.\pL{2,}`),
		isPrivate: func(match, _, _ string) bool { return !isExample(match[strings.LastIndex(match, "@")+1:]) }},
	{what: "an IP address", hint: []string{"."}, instead: addressed("192.0.2."),
		re: regexp.MustCompile(`\b([0-9]{1,3}\.){3}[0-9]{1,3}\b`),
		isPrivate: func(match, before, after string) bool {
			return !strings.HasSuffix(before, ".") && !continues(after) && isPrivateIP(match)
		}},
	{what: "an IP address", hint: []string{"::", ":"}, instead: addressed("2001:db8::"),
		re: regexp.MustCompile(`\b[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{0,4}){2,7}\b(%[A-Za-z0-9_.-]+)?`),
		isPrivate: func(match, before, _ string) bool {
			return strings.ContainsAny(match, "0123456789") && !strings.HasSuffix(before, ":") && isPrivateIP(match)
		}},
	{what: "a host's name", hint: []string{"://"}, instead: hosted,
		re: regexp.MustCompile(scheme + `[\pL\pM\pN_.-]+(:[0-9]+)?`),
		isPrivate: func(match, _, _ string) bool {
			h := hostOf(match)
			return strings.Contains(h, ".") && !isHarmlessHost(h)
		}},
	{what: "a host's name", hint: []string{":"}, instead: hosted,
		re:        regexp.MustCompile(`^[\pL\pM\pN-]+(\.[\pL\pM\pN-]+)+:[0-9]{2,5}$`),
		isPrivate: func(match, _, _ string) bool { return !isHarmlessHost(hostOf(match)) }},
	{what: "a host's name", hint: []string{"://"}, strict: true, instead: hosted,
		re: regexp.MustCompile(scheme + `[\pL\pM\pN_-]+(:[0-9]+)?`),
		isPrivate: func(match, _, after string) bool {
			return !strings.HasPrefix(after, ".") && !isHarmlessHost(hostOf(match))
		}},
}

// fields are labels and JSON keys whose whole value is private.
var fields = []struct {
	what, name string // name: what stands for the value, numbered; "": nothing does
	strict     bool
	names      []string
}{
	{"a key", "key", false, []string{"api_key", "apikey", "api_key_hash", "hashed_api_key", "key_hash", "access_token", "auth_token", "hf_token", "secret", "password", "authorization"}},
	{"a person", "user", false, []string{"user", "username", "user_name", "user_id", "user_email", "user_alias", "end_user", "email", "api_key_alias", "key_alias", "team", "team_id", "team_alias", "customer", "requester", "account"}},
	{"an address", "host", false, []string{"client_ip", "ip", "requester_ip_address", "remote_addr", "host", "hostname", "host_name", "fqdn", "node", "node_name", "nodename", "instance"}},
	{"a command line", "", false, []string{"args", "argv", "cmd", "command", "command_line", "cmdline", "launch_command", "server_args", "preset", "env", "environ", "environment"}},
	{"a prompt", "", false, []string{"prompt", "prompts", "messages", "content", "contents", "generated", "generated_text", "system_prompt"}},
	{"a chat template", "", true, []string{"chat_template", "chat_template_tool_use"}},
}

// removed stands for what is not kept.
const removed = "removed"

// standIn is a text that a remover has written.
var standIn = regexp.MustCompile(`^(removed|(key|user|host)-[1-9][0-9]{0,5})$`)

// nobody are values that name no person and no key: the words of programs themselves.
var nobody = []string{"", "none", "null", "unknown", "default", "anonymous", "*", "-", "localhost", "default_user_id", "litellm_proxy_master_key", "litellm-internal-health-check"}

func isNobody(value string) bool {
	return slices.Contains(nobody, strings.ToLower(value)) || standIn.MatchString(value)
}

func gone(*remover, string) string { return removed }

// elsewhere keeps the last part of a path: a model is often named after its file.
func elsewhere(_ *remover, match string) string {
	if i := strings.IndexByte(match, ':'); i == 1 { // C:\Users\somebody
		match = match[i+1:]
	}
	parts := strings.FieldsFunc(match, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) < 3 { // of /home/somebody nothing can stay
		return "/" + removed
	}
	return "/" + removed + "/" + parts[len(parts)-1]
}

func namedAs(format string) func(*remover, string) string {
	return func(r *remover, match string) string { return fmt.Sprintf(format, r.number(format, match)) }
}

func addressed(network string) func(*remover, string) string {
	return func(r *remover, match string) string { return fmt.Sprint(network, r.number(network, match)) }
}
