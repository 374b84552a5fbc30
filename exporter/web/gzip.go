package web

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// zippers compresses pages as fast as it can. Metrics repeat themselves so much that the
// fastest level makes nearly as small a page as the usual one, in a third of the time.
type zippers struct{ pool sync.Pool }

// wrap returns a writer that compresses if the client wants that, and what ends the page.
func (z *zippers) wrap(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	w.Header().Add("Vary", "Accept-Encoding")
	if !wantsGzip(r.Header.Values("Accept-Encoding")) {
		return w, func() {}
	}
	zip, _ := z.pool.Get().(*gzip.Writer)
	if zip == nil {
		zip, _ = gzip.NewWriterLevel(w, gzip.BestSpeed) // fails only for a level that does not exist
	} else {
		zip.Reset(w)
	}
	out := &zipped{ResponseWriter: w, zip: zip}
	return out, func() {
		if out.started && !out.plain {
			zip.Close() // fails when the client hung up, which the page has noticed already
		}
		z.pool.Put(zip)
	}
}

// wantsGzip reads Accept-Encoding: gzip is named, and not with weight zero.
func wantsGzip(accepts []string) bool {
	for _, accept := range accepts {
		for part := range strings.SplitSeq(accept, ",") {
			coding, weight, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				weight = strings.ReplaceAll(weight, " ", "")
				return strings.Trim(weight, "0.") != "q="
			}
		}
	}
	return false
}

// zipped compresses what is written to it. An error page stays plain.
type zipped struct {
	http.ResponseWriter
	zip     *gzip.Writer
	started bool
	plain   bool
}

// WriteHeader says how the body will come.
func (z *zipped) WriteHeader(status int) {
	if !z.started {
		z.started, z.plain = true, status != http.StatusOK
		if !z.plain {
			z.Header().Set("Content-Encoding", "gzip")
			z.Header().Del("Content-Length")
		}
	}
	z.ResponseWriter.WriteHeader(status)
}

// Write compresses.
func (z *zipped) Write(p []byte) (int, error) {
	if !z.started {
		z.WriteHeader(http.StatusOK)
	}
	if z.plain {
		return z.ResponseWriter.Write(p)
	}
	return z.zip.Write(p)
}
