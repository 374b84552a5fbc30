package config

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	promconfig "github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// How a backend is reached: the part of common/config that fits a scrape, secrets by file.

const toFile = "is written in the file; put it into a file of its own that only the exporter can read, and write %s"

var authorization = &section[promconfig.Authorization]{
	title: "authorization",
	about: "A bearer token, or another scheme of the header Authorization.",
	wants: "keys of an authorization (type, credentials_file)",
	start: func(*decoder) promconfig.Authorization { return promconfig.Authorization{Type: "Bearer"} },
	keys: []key[promconfig.Authorization]{
		field("type", hidden(checkScheme), func(a *promconfig.Authorization) *string { return &a.Type },
			"Scheme of the header; for Basic use basic_auth.").or("Bearer"),
		field("credentials_file", secretFile, func(a *promconfig.Authorization) *string { return &a.CredentialsFile },
			"File that holds the token and nothing else. It is read again for each request, so a new token needs no reload.").
			must("write credentials_file: and the name of the file that holds the token"),
		refuse("credentials", fmt.Sprintf(toFile, "credentials_file"), func(a *promconfig.Authorization) bool { return a.Credentials != "" }),
	},
}

// hidden is the kind of a text that stands where people put secrets by mistake: what is
// wrong is said without showing it.
func hidden(check func(string) string) kind[string] {
	k := anyText
	k.read = func(d *decoder, n *yaml.Node, at path) (string, bool) {
		s, ok := d.Scalar(n, at)
		if !ok {
			return "", false
		}
		wrong := document.CheckText(s)
		if wrong == "" {
			wrong = check(s)
		}
		if wrong != "" {
			d.Fail(at, "", "%s", wrong)
		}
		return s, wrong == ""
	}
	return k
}

var schemeShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

func checkScheme(s string) string {
	switch {
	case strings.EqualFold(s, "basic"):
		return "is Basic, which has its own key; write basic_auth: with username and password_file"
	case !schemeShape.MatchString(s) || len(s) > 20:
		return "is more than the word in front of the token (not shown); leave it out for Bearer, and name the token's file in credentials_file"
	}
	return ""
}

func checkUser(s string) string {
	if strings.Contains(s, ":") {
		return "has a colon (not shown, for what follows may be the password); write the user only, and password_file"
	}
	return ""
}

var basicAuth = &section[promconfig.BasicAuth]{
	title: "basic_auth",
	about: "User and password of HTTP basic authentication.",
	wants: "keys of a basic_auth (username, password_file)",
	keys: []key[promconfig.BasicAuth]{
		field("username", hidden(checkUser), func(b *promconfig.BasicAuth) *string { return &b.Username }, "The user.").
			must("write username: and the user"),
		field("password_file", secretFile, func(b *promconfig.BasicAuth) *string { return &b.PasswordFile },
			"File that holds the password and nothing else. It is read again for each request.").
			must("write password_file: and the name of the file that holds the password"),
		refuse("password", fmt.Sprintf(toFile, "password_file"), func(b *promconfig.BasicAuth) bool { return b.Password != "" }),
	},
}

var tlsConfig = &section[promconfig.TLSConfig]{
	title: "tls_config",
	about: "Certificates for an https address.",
	wants: "keys of a tls_config (ca_file, cert_file, key_file, …)",
	keys: []key[promconfig.TLSConfig]{
		field("ca_file", plainFile, func(t *promconfig.TLSConfig) *string { return &t.CAFile },
			"Certificates that the server's one is checked against.").or("those of the system"),
		field("cert_file", plainFile, func(t *promconfig.TLSConfig) *string { return &t.CertFile },
			"Certificate that the exporter shows to the server."),
		field("key_file", secretFile, func(t *promconfig.TLSConfig) *string { return &t.KeyFile }, "Key of that certificate."),
		field("server_name", anyText, func(t *promconfig.TLSConfig) *string { return &t.ServerName },
			"Name that the server's certificate must have, where it is not the host of the URL."),
		field("insecure_skip_verify", flag, func(t *promconfig.TLSConfig) *bool { return &t.InsecureSkipVerify },
			"Accept any certificate. Whoever sits in between can then read the token.").or("false"),
		field("min_version", tlsVersion, func(t *promconfig.TLSConfig) *promconfig.TLSVersion { return &t.MinVersion },
			"Oldest TLS version.").or("TLS12"),
		refuse("key", fmt.Sprintf(toFile, "key_file"), func(t *promconfig.TLSConfig) bool { return t.Key != "" }),
		refuse[promconfig.TLSConfig]("ca", fmt.Sprintf(toFile, "ca_file"), nil),
		refuse[promconfig.TLSConfig]("cert", fmt.Sprintf(toFile, "cert_file"), nil),
	},
	check: checkTLS,
}

var tlsVersion = words(
	word[promconfig.TLSVersion]{"TLS12", promconfig.TLSVersions["TLS12"]},
	word[promconfig.TLSVersion]{"TLS13", promconfig.TLSVersions["TLS13"]},
)

// checkTLS loads what is named, so that a bad certificate is found now and not at night.
func checkTLS(d *decoder, at path, t *promconfig.TLSConfig) {
	switch {
	case !d.Clean(at):
		return
	case t.CertFile != "" && t.KeyFile == "":
		d.Fail(at, "", "has cert_file and no key_file; name the key of the certificate")
		return
	case t.KeyFile != "" && t.CertFile == "":
		d.Fail(at, "", "has key_file and no cert_file; name the certificate of the key")
		return
	}
	if _, err := promconfig.NewTLSConfig(t); err != nil {
		d.Fail(at, "", "cannot be used: %v", err)
	}
}

// clientKeys are the keys of a backend that say how it is reached.
func clientKeys() []key[Backend] {
	return []key[Backend]{
		field("authorization", pointer(authorization.kind()), func(b *Backend) **promconfig.Authorization { return &b.HTTP.Authorization },
			"Sends the header Authorization with a token from a file."),
		field("basic_auth", pointer(basicAuth.kind()), func(b *Backend) **promconfig.BasicAuth { return &b.HTTP.BasicAuth },
			"Sends user and password. Not together with authorization."),
		field("tls_config", tlsConfig.kind(), func(b *Backend) *promconfig.TLSConfig { return &b.HTTP.TLSConfig },
			"Certificates for an https address."),
		field("proxy_url", proxy, func(b *Backend) *promconfig.URL { return &b.HTTP.ProxyURL },
			"HTTP proxy through which the backend is asked, without user and password."),
		field("no_proxy", anyText, func(b *Backend) *string { return &b.HTTP.NoProxy },
			"Hosts that are asked without proxy_url, separated by commas."),
		field("proxy_from_environment", flag, func(b *Backend) *bool { return &b.HTTP.ProxyFromEnvironment },
			"Take the proxy from HTTP_PROXY, HTTPS_PROXY and NO_PROXY.").or("false"),
		refuse("bearer_token", fmt.Sprintf(toFile, "authorization: with credentials_file"),
			func(b *Backend) bool { return b.HTTP.BearerToken != "" }),
		refuse[Backend]("bearer_token_file", "is the old form; write authorization: with credentials_file", nil),
		refuse[Backend]("api_key", fmt.Sprintf(toFile, "authorization: with credentials_file"), nil),
		refuse[Backend]("token", fmt.Sprintf(toFile, "authorization: with credentials_file"), nil),
		refuse[Backend]("password", fmt.Sprintf(toFile, "basic_auth: with username and password_file"), nil),
	}
}

// checkClient refuses what cannot work together.
func checkClient(d *decoder, at path, b *Backend) {
	if b.HTTP.Authorization != nil && b.HTTP.BasicAuth != nil {
		d.Fail(at.Key("basic_auth"), "", "and authorization both set the header Authorization; keep one")
	}
	if b.HTTP.ProxyFromEnvironment && (b.HTTP.ProxyURL.URL != nil || b.HTTP.NoProxy != "") {
		d.Fail(at.Key("proxy_from_environment"), "", "and proxy_url (or no_proxy) exclude each other; keep one")
	} else if b.HTTP.NoProxy != "" && b.HTTP.ProxyURL.URL == nil && d.Clean(at.Key("proxy_url")) {
		d.Fail(at.Key("no_proxy"), "", "has no proxy_url to except from; write proxy_url or remove it")
	}
	if d.Said(at.Key("tls_config")) && strings.HasPrefix(b.URL, "http://") && !strings.HasPrefix(b.MetricsURL, "https://") {
		d.Fail(at.Key("tls_config"), "", "is of no use for %s; write https:// there or remove tls_config", b.URL)
	}
}

// proxy is the kind of a proxy's address.
var proxy = kind[promconfig.URL]{
	word: "URL",
	read: func(d *decoder, n *yaml.Node, at path) (promconfig.URL, bool) {
		s, ok := readAddress(d, n, at, "a proxy that wants a password cannot be used; write it without user and password")
		if !ok {
			return promconfig.URL{}, false
		}
		u, err := url.Parse(s)
		return promconfig.URL{URL: u}, err == nil
	},
	show: func(u promconfig.URL) *yaml.Node { return textNode(u.Redacted()) },
}

// plainFile and secretFile are the kinds of a file that is read later and must be there
// now. Names are relative to the configuration file.
var (
	plainFile  = kind[string]{word: "file", read: readFileName, show: textNode}
	secretFile = kind[string]{word: "file", read: readFileName, show: textNode}
)

func readFileName(d *decoder, n *yaml.Node, at path) (string, bool) {
	s, ok := hidden(func(string) string { return "" }).read(d, n, at)
	if !ok {
		return "", false
	}
	name := promconfig.JoinDir(filepath.Dir(d.File), s)
	info, err := os.Stat(name)
	if err != nil && looksLikeSecret(s) {
		d.Fail(at, "", "names no file here (not shown, for it looks like the secret itself); write the secret to a file and the file's name here")
		return "", false
	}
	switch {
	case os.IsNotExist(err):
		d.Fail(at, s, "does not exist (looked for %s); create it or mend the name", name)
	case err != nil:
		d.Fail(at, s, "cannot be read by this user: %v", document.Reason(err))
	case !info.Mode().IsRegular():
		d.Fail(at, s, "is not a regular file; name the file that holds the secret")
	case info.Size() == 0:
		d.Fail(at, s, "is empty; write the secret into it")
	default:
		return name, canRead(d, at, s, name)
	}
	return "", false
}

func canRead(d *decoder, at path, s, name string) bool {
	f, err := os.Open(name)
	if err != nil {
		d.Fail(at, s, "cannot be read by this user: %v; give the exporter's user the right to read it", document.Reason(err))
		return false
	}
	f.Close()
	return true
}

// looksLikeSecret guesses whether somebody wrote the secret where its file should be named.
func looksLikeSecret(s string) bool {
	const longest, bare = 24, 16 // of a part of a file's name, and of one without folder and ending
	for _, beginning := range []string{"sk-", "hf_", "eyJ", "Bearer"} {
		if strings.HasPrefix(s, beginning) {
			return true
		}
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '.' })
	return strings.ContainsAny(s, "=+ ") || len(parts) == 1 && len(s) >= bare && parts[0] == s ||
		slices.ContainsFunc(parts, func(p string) bool { return len(p) > longest })
}
