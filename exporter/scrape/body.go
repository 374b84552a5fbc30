package scrape

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/llmfleet/llmfleet/exporter/exposition"
)

// errTooLarge is a body beyond the limit: an error, never a cut page, since a cut page reads
// like a program that lost half of its series.
var errTooLarge = errors.New("body beyond the limit")

// buffers lends memory for bodies to the rounds of all targets; between two rounds a target
// holds none.
type buffers struct{ pool sync.Pool }

// largestKept is the largest buffer that is kept for later rounds. One rare page of many
// megabytes must not stay in memory for ever.
const largestKept = 1 << 20

func (b *buffers) get() *bytes.Buffer {
	if buf, ok := b.pool.Get().(*bytes.Buffer); ok {
		buf.Reset()
		return buf
	}
	return new(bytes.Buffer)
}

func (b *buffers) put(buf *bytes.Buffer) {
	if buf.Cap() <= largestKept {
		b.pool.Put(buf)
	}
}

// unlimited stands for a limit that the configuration leaves out.
const unlimited = 1 << 40

// readBody reads a whole body of at most limit bytes, counted after decompression.
func readBody(into *bytes.Buffer, resp *http.Response, limit int64) error {
	body, err := decoded(resp)
	if err != nil {
		return err
	}
	if limit <= 0 {
		limit = unlimited
	}
	if resp.ContentLength > limit {
		return errTooLarge
	}
	n, err := into.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case isBadGzip(err):
		return errNotGzip
	case err == nil && n > limit:
		return errTooLarge
	}
	return err
}

var errMayBeCut = errors.New("the numbers end in the middle of a line; did the server stop, or is its Content-Length too small?")

// mayBeCut says whether a page may end in the middle of a number. Where a server does not state
// the end, a connection that breaks looks like one that is done, and of a page that is longer
// than stated nobody gets the rest: half a number is a counter that went back. The format wants
// an end of each line, and every recorded page has it.
func mayBeCut(resp *http.Response, page []byte) bool {
	ended := resp.ProtoMajor != 1 || len(resp.TransferEncoding) > 0 || resp.Header.Get("Content-Encoding") != ""
	if ended || len(page) == 0 || resp.StatusCode/100 != 2 {
		return false
	}
	return page[len(page)-1] != '\n' && isNumbers(page)
}

// isNumbers says whether a page is one of numbers, or as much of one as a comment. One within JSON
// ends itself.
func isNumbers(page []byte) bool {
	switch {
	case page[0] == '"':
		return false
	case page[0] == '#' && bytes.IndexByte(page, 0) < 0:
		return true
	}
	return exposition.Read(page, func(*exposition.Sample) {}).IsMetrics()
}

// errNotGzip is a body that says that it is gzip and is not, or ends in the middle.
var errNotGzip = errors.New("the answer says that it is gzip and cannot be decompressed")

// encodingError is an encoding that nobody asked for.
type encodingError string

func (e encodingError) Error() string {
	return fmt.Sprintf("the answer is in the encoding %q, which was not asked for", string(e))
}

// decoded undoes gzip, which some servers send without being asked.
func decoded(resp *http.Response) (io.Reader, error) {
	switch encoding := resp.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return resp.Body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(resp.Body)
		if errors.Is(err, gzip.ErrHeader) {
			return nil, errNotGzip
		}
		return z, err
	default:
		return nil, encodingError(encoding)
	}
}

func isBadGzip(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}
