package main

import (
	stdlog "log"
	"log/slog"
	"strings"
	"sync/atomic"
)

// standardLog brings what libraries say through the standard logger into the exporter's log.
type standardLog struct {
	log      *slog.Logger
	overlong atomic.Bool // said once
}

// takeStandardLog sends all of the standard logger to log.
func takeStandardLog(log *slog.Logger) {
	slog.SetDefault(log) // sets the standard logger's output too
	stdlog.SetOutput(&standardLog{log: log})
}

// unasked is how net/http begins its sentence about bytes that come after an answer, at each
// scrape of such a server. It goes on with the bytes themselves, which are nothing for a log.
const unasked = "Unsolicited response received on idle HTTP channel"

// Write takes one message.
func (s *standardLog) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p))
	switch {
	case !strings.HasPrefix(text, unasked):
		s.log.Info(text)
	case s.overlong.CompareAndSwap(false, true):
		s.log.Warn("A server sends more than the Content-Length of its answer says; what is more is not read. This is said once")
	default:
		s.log.Debug(unasked)
	}
	return len(p), nil
}
