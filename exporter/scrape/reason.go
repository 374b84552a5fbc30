package scrape

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// failure makes the error of a request: the address without credentials and query, then
// what happened and what to do next.
func failure(reason catalog.Reason, u *url.URL, format string, args ...any) *engine.FetchError {
	return &engine.FetchError{Reason: reason, Err: fmt.Errorf("GET %s: %w", redacted(u), fmt.Errorf(format, args...))}
}

// redacted prints an address without credentials, query and fragment.
func redacted(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return bare.String()
}

// transportFailure turns the error of a round trip or of reading a body into one of the
// closed reasons and a sentence. The text of *url.Error is never used: it quotes the query.
func transportFailure(u *url.URL, err error) *engine.FetchError {
	var inURL *url.Error
	for errors.As(err, &inURL) {
		err = inURL.Err
	}
	for _, c := range causes {
		if c.is(err) {
			return failure(c.reason, u, "%w%s", sentence{c.say(err), err}, c.hint(u))
		}
	}
	return failure(catalog.ReasonHTTP, u, "%w", sentence{"the answer is not HTTP: " + ownWords(err), err})
}

// ownWords is what the HTTP library says of an answer without what it quotes of it: a server may
// send back what it was sent, credentials included.
func ownWords(err error) string {
	words := short(err)
	if i := strings.IndexByte(words, '"'); i >= 0 {
		words = words[:i]
	}
	if before, _, quotes := strings.Cut(words, "header line: "); quotes {
		words = before + "header line"
	}
	return strings.TrimRight(words, ": ")
}

// sentence is words for a person that keep their cause.
type sentence struct {
	words string
	cause error
}

func (s sentence) Error() string { return s.words }
func (s sentence) Unwrap() error { return s.cause }

// cause is one way in which a request can fail below HTTP.
type cause struct {
	reason catalog.Reason
	is     func(error) bool
	words  string // "" for the error's own
	todo   func(*url.URL) string
}

func (c cause) say(err error) string {
	if c.words != "" {
		return c.words
	}
	return short(err)
}

func (c cause) hint(u *url.URL) string {
	if c.todo == nil {
		return ""
	}
	return "; " + c.todo(u)
}

// causes are tried in order: a name that resolves too slowly is a name's fault, so DNS is
// before the deadline; a certificate's fault comes wrapped as a network error, so TLS is
// before the connection.
var causes = []cause{
	{catalog.ReasonDNS, is[*net.DNSError], "", say("is the host name right?")},
	{catalog.ReasonTimeout, isTimeout, "no complete answer before the deadline", nil},
	{catalog.ReasonTLS, isPlainServer, "the server speaks plain HTTP", func(u *url.URL) string {
		return "write http://" + u.Host + " in the configuration"
	}},
	{catalog.ReasonTLS, isTLSServer, "the server speaks TLS", writeHTTPS},
	{catalog.ReasonTLS, isUnknownAuthority, "", say("name the CA in tls_config.ca_file")},
	{catalog.ReasonTLS, isTLS, "", nil},
	{catalog.ReasonTLS, isTLSFile, "", nil},
	{catalog.ReasonAuth, is[*fs.PathError], "", say("is the credentials file there and readable?")},
	{catalog.ReasonRefused, isErrno(syscall.ECONNREFUSED), "connection refused", say("is the server running, and is the port right?")},
	{catalog.ReasonRefused, isErrno(syscall.EHOSTUNREACH, syscall.ENETUNREACH), "", say("is the host up?")},
	{catalog.ReasonRefused, isCut, "the connection was closed before the answer was complete", func(u *url.URL) string {
		if u.Scheme == "http" {
			return "did the server stop, or does it expect https?"
		}
		return "did the server stop?"
	}},
	{catalog.ReasonRefused, is[*net.OpError], "", nil},
}

func say(words string) func(*url.URL) string { return func(*url.URL) string { return words } }

func writeHTTPS(u *url.URL) string { return "write https://" + u.Host + " in the configuration" }

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func isTimeout(err error) bool {
	var slow net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &slow) && slow.Timeout()
}

// isPlainServer and isTLSServer look at texts, since net/http has no types for the two.
func isPlainServer(err error) bool {
	return strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func isTLSServer(err error) bool {
	return strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`)
}

func isUnknownAuthority(err error) bool { return is[x509.UnknownAuthorityError](err) }

func isTLS(err error) bool {
	return is[*tls.CertificateVerificationError](err) || is[tls.RecordHeaderError](err) || is[tls.AlertError](err) ||
		is[x509.HostnameError](err) || is[x509.CertificateInvalidError](err) || strings.Contains(err.Error(), "tls: ")
}

// isTLSFile recognises the CA or key file that cannot be read: the client library reads
// the files again for each request, so they can go missing while the exporter runs.
func isTLSFile(err error) bool {
	text := err.Error()
	return is[*fs.PathError](err) && (strings.Contains(text, "CA cert") || strings.Contains(text, "client cert") || strings.Contains(text, "client key"))
}

func isErrno(numbers ...syscall.Errno) func(error) bool {
	return func(err error) bool {
		for _, n := range numbers {
			if errors.Is(err, n) {
				return true
			}
		}
		return false
	}
}

func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isErrno(syscall.ECONNRESET, syscall.EPIPE)(err)
}

// short keeps a foreign error's text readable: a server can put kilobytes into it.
func short(err error) string {
	const most = 200
	text := strings.ToValidUTF8(err.Error(), "?")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
