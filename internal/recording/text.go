package recording

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is the first line of every .txt file.
const form = "# llmfleet recording, form 1"

// maxFile bounds what all bodies of one file may add up to.
const maxFile = 1 << 28

// entry is one answer with what names it: a second, or a state.
type entry struct {
	mark   string
	answer Answer
}

// encode writes entries in order. The same entries give the same text.
func encode(entries []entry) []byte {
	var out bytes.Buffer
	out.WriteString(form + "\n")
	pages, types := map[string]page{}, map[string]string{}
	for _, e := range entries {
		a := &e.answer
		out.WriteString("\n@ " + e.mark + " " + a.Path + " " + outcome(a) + " " + latency(a.Latency))
		if a.Failure != Answered {
			out.WriteByte('\n')
			continue
		}
		if before, ok := types[a.Path]; !ok || before != a.ContentType {
			out.WriteString(" " + strconv.Quote(a.ContentType))
		}
		types[a.Path] = a.ContentType
		for _, k := range slices.Sorted(maps.Keys(a.Header)) {
			out.WriteString(" " + k + "=" + strconv.Quote(a.Header[k]))
		}
		out.WriteByte('\n')
		now := pageOf(a.Body)
		before, ok := pages[a.Path]
		writePage(&out, before, now, ok)
		pages[a.Path] = now
	}
	return out.Bytes()
}

func outcome(a *Answer) string {
	if a.Failure != Answered {
		return string(a.Failure)
	}
	return strconv.Itoa(a.Status)
}

func latency(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64) + "ms"
}

// decode reads what encode wrote. An error names file, line and what was seen.
func decode(file string, text []byte) ([]entry, error) {
	r := reader{pages: map[string]page{}, types: map[string]string{}}
	for n, line := range strings.Split(string(text), "\n") {
		if err := r.line(n+1, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r.entries, nil
}

// reader takes the lines of a file one by one.
type reader struct {
	entries []entry
	body    *builder // of the last entry, nil before the first and for a failure
	pages   map[string]page
	types   map[string]string
	total   int
}

func (r *reader) line(n int, line string) error {
	switch {
	case n == 1:
		if line != form {
			return fmt.Errorf("the first line is %.60q, want %q", line, form)
		}
		return nil
	case strings.HasSuffix(line, "\r"):
		return fmt.Errorf("the line ends in CR LF; check out with the line ends of .gitattributes")
	case line == "" || strings.HasPrefix(line, "#"):
		return nil
	case strings.HasPrefix(line, "@ "):
		if err := r.finish(); err != nil {
			return err
		}
		return r.header(line[2:])
	case r.body == nil:
		return fmt.Errorf("%.40q: a body line without an answer before it", line)
	}
	return r.body.add(line)
}

// header reads `MARK PATH OUTCOME LATENCY ["CONTENT TYPE"] [NAME="VALUE"]…`.
func (r *reader) header(line string) error {
	f := strings.SplitN(line, " ", 5)
	if len(f) < 4 || f[0] == "" || !strings.HasPrefix(f[1], "/") {
		return fmt.Errorf("%.60q: want `@ MARK /PATH OUTCOME LATENCY`", line)
	}
	a := Answer{Path: f[1]}
	var err error
	if a.Failure, a.Status, err = parseOutcome(f[2]); err != nil {
		return err
	}
	if a.Latency, err = parseLatency(f[3]); err != nil {
		return err
	}
	rest := ""
	if len(f) == 5 {
		rest = f[4]
	}
	r.body = nil
	if a.Failure == Answered {
		if err := r.fields(&a, rest); err != nil {
			return err
		}
		before, ok := r.pages[a.Path]
		r.body = &builder{before: before, hasBefore: ok}
	} else if rest != "" {
		return fmt.Errorf("%.40q after %s: a failure has neither type nor headers", rest, a.Failure)
	}
	r.entries = append(r.entries, entry{f[0], a})
	return nil
}

func (r *reader) fields(a *Answer, rest string) error {
	if typ, err := strconv.QuotedPrefix(rest); err == nil {
		a.ContentType, _ = strconv.Unquote(typ)
		rest = strings.TrimPrefix(rest[len(typ):], " ")
	} else if before, ok := r.types[a.Path]; ok {
		a.ContentType = before
	} else {
		return fmt.Errorf("%s: its first answer has no content type; write \"\" when the server sent none", a.Path)
	}
	r.types[a.Path] = a.ContentType
	for rest != "" {
		name, value, _ := strings.Cut(rest, "=")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || name == "" {
			return fmt.Errorf("%.60q: want NAME=\"VALUE\"", rest)
		}
		if a.Header == nil {
			a.Header = map[string]string{}
		}
		a.Header[name], _ = strconv.Unquote(quoted)
		rest = strings.TrimPrefix(value[len(quoted):], " ")
	}
	return nil
}

// finish makes the body of the last entry.
func (r *reader) finish() error {
	if r.body == nil {
		return nil
	}
	a := &r.entries[len(r.entries)-1].answer
	a.Body = r.body.page.bytes()
	if r.total += len(a.Body); r.total > maxFile {
		return fmt.Errorf("the bodies add up to more than %d bytes", maxFile)
	}
	r.pages[a.Path] = r.body.page
	r.body = nil
	return nil
}

func parseOutcome(s string) (Failure, int, error) {
	switch f := Failure(s); f {
	case Refused, Reset, TimedOut:
		return f, 0, nil
	}
	status, err := strconv.Atoi(s)
	if err != nil || status < 200 || status > 599 {
		return "", 0, fmt.Errorf("outcome %.40q: want a status from 200 to 599, or refused, reset, timeout", s)
	}
	return Answered, status, nil
}

func parseLatency(s string) (time.Duration, error) {
	if s == "-" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("latency %.40q: want for example 4.2ms, or - when it is not known", s)
	}
	return d, nil
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// maxSecond is a year: no recording is longer, and the number fits a time.Duration.
const maxSecond = 366 * 24 * 3600

func parseSeconds(s string) (time.Duration, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || v > maxSecond {
		return 0, fmt.Errorf("second %.40q: want a number from 0 to %d", s, maxSecond)
	}
	return time.Duration(math.Round(v*1e3)) * time.Millisecond, nil
}
