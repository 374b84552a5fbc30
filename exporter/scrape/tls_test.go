package scrape

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/config"
	"github.com/llmfleet/llmfleet/exporter/engine"
)

// authority is a private certificate authority.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sheet := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1000 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, sheet, sheet, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key}
}

// issue makes a server certificate for 127.0.0.1.
func (a authority) issue(t *testing.T, ends time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sheet := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: ends, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, sheet, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (a authority) write(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveTLS is a server with a certificate, quiet about handshakes that fail.
func serveTLS(t *testing.T, cert tls.Certificate) *recorder {
	t.Helper()
	r := new(recorder)
	r.Server = httptest.NewUnstartedServer(r.keeping(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page\n") }))
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	r.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	r.StartTLS()
	t.Cleanup(r.Close)
	return r
}

func TestC49PrivateCertificateAuthorityIsTrustedWhenNamedAndReadAgain(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	s := serveTLS(t, ca.issue(t, time.Now().Add(time.Hour)))
	file := filepath.Join(t.TempDir(), "ca.pem")

	_, err := get(t, fetcherTo(t, at(s.URL)), "/metrics")
	wantFailure(t, err, catalog.ReasonTLS, "unknown authority", "tls_config.ca_file")

	b := at(s.URL)
	b.HTTP.TLSConfig.CAFile = file
	other.write(t, file)
	f := fetcherTo(t, b)
	_, err = get(t, f, "/metrics")
	wantFailure(t, err, catalog.ReasonTLS)
	ca.write(t, file)
	if a, err := get(t, f, "/metrics"); err != nil || string(a.Body) != "page\n" {
		t.Errorf("after the file changed: %v, %v", a, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, err = get(t, f, "/metrics")
	wantFailure(t, err, catalog.ReasonTLS)
}

func TestC49WrongSchemeIsCalledTLS(t *testing.T) {
	s := serveTLS(t, newAuthority(t).issue(t, time.Now().Add(time.Hour)))
	_, err := get(t, fetcherTo(t, at(strings.Replace(s.URL, "https", "http", 1))), "/metrics")
	wantFailure(t, err, catalog.ReasonTLS, "speaks TLS", "write https://")

	plain := record(t, func(http.ResponseWriter, *http.Request) {})
	_, err = get(t, fetcherTo(t, at(strings.Replace(plain.URL, "http", "https", 1))), "/metrics")
	wantFailure(t, err, catalog.ReasonTLS, "plain HTTP", "write http://")
}

func TestC49SkippedVerificationIsPerTargetAndWarned(t *testing.T) {
	s := serveTLS(t, newAuthority(t).issue(t, time.Now().Add(time.Hour)))
	careless, careful := at(s.URL), at(s.URL)
	careless.Name, careful.Name = "careless", "careful"
	careless.HTTP.TLSConfig = promconfig.TLSConfig{InsecureSkipVerify: true}
	careless.HTTP.Authorization = &promconfig.Authorization{Type: "Bearer", Credentials: "token"}
	var log bytes.Buffer
	f := New(Options{NewSession: newPlainSession, Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer f.Close()
	if err := f.Load(configOf(careless, careful)); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); strings.Count(got, "not verified") != 1 || !strings.Contains(got, "backend=careless") {
		t.Errorf("log = %q, want one warning that names the backend", got)
	}
	states := f.Scrape(t.Context())
	expect(t, states[0], 1, catalog.ScrapeFailed, "tls")
	expect(t, states[1], 1, catalog.Up)
	if got := s.requests[0].Header.Get("Authorization"); got != "Bearer token" {
		t.Errorf("Authorization = %q", got)
	}
}

func TestC49ExpiryOfTheCertificateIsExported(t *testing.T) {
	ca := newAuthority(t)
	ends := time.Now().Add(6 * 24 * time.Hour).Truncate(time.Second)
	s := serveTLS(t, ca.issue(t, ends))
	b := at(s.URL)
	b.HTTP.TLSConfig.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	ca.write(t, b.HTTP.TLSConfig.CAFile)
	f := New(Options{NewSession: newPlainSession, Engines: []*engine.Engine{plain}})
	defer f.Close()
	if err := f.Load(&config.Config{Backends: []config.Backend{b}}); err != nil {
		t.Fatal(err)
	}
	state := f.Target("a").Scrape(t.Context())
	expect(t, state, 1, catalog.Up)
	expect(t, state, float64(ends.Unix()), catalog.ScrapeCertificateExpiry)
}
