package replay

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// apply makes an edited copy of a recording.
func (e *Edit) apply(rec *recording.Recording) (*recording.Recording, error) {
	if e.Recording == nil && e.Host == "" {
		return rec, nil
	}
	out := cloneRecording(rec)
	if e.Recording != nil {
		e.Recording(out)
	}
	if e.Host != "" {
		if rec.Host == nil {
			return nil, fmt.Errorf("recording %q: edit %q is one of machines, and it has none", rec.Name, e.Name)
		}
		var err error
		if out.Host, err = rec.Host.With(e.Host); err != nil {
			return nil, fmt.Errorf("recording %q: edit %q: %w", rec.Name, e.Name, err)
		}
	}
	return out, nil
}

// dropName takes every line of a sample name, its buckets and its comments off every page.
func dropName(name string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(# (HELP|TYPE|UNIT) )?` + regexp.QuoteMeta(name) + `(_total|_bucket|_sum|_count)?[{ ].*\n`)
	return eachPage(func(_ time.Duration, body []byte) []byte { return line.ReplaceAll(body, nil) })
}

// setValue gives every sample whose name matches a pattern one value.
func setValue(name, value string) func(*recording.Recording) {
	line := sampleLine(name)
	return eachPage(func(_ time.Duration, body []byte) []byte { return line.ReplaceAll(body, []byte("${1} "+value)) })
}

// setValueWhen gives every sample whose name matches a pattern one value at some times.
func setValueWhen(when func(at time.Duration) bool, name, value string) func(*recording.Recording) {
	line := sampleLine(name)
	return eachPage(func(at time.Duration, body []byte) []byte {
		if !when(at) {
			return body
		}
		return line.ReplaceAll(body, []byte("${1} "+value))
	})
}

// loseLines takes every line that begins as a pattern says off the pages.
func loseLines(begin string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^` + begin + `.*\n`)
	return eachPage(func(_ time.Duration, body []byte) []byte { return line.ReplaceAll(body, nil) })
}

// sampleLine matches a sample: its name and labels are group 1.
func sampleLine(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(` + name + `(?:\{[^\n]*\})?) [^\n ]+`)
}

// scale multiplies every sample whose name matches a pattern.
func scale(name string, factor float64) func(*recording.Recording) {
	return scaleUntil(math.MaxInt64, name, factor)
}

// scaleUntil multiplies every sample whose name matches a pattern before a second: one at which
// its server is started again, so that its counters begin anew.
func scaleUntil(until time.Duration, name string, factor float64) func(*recording.Recording) {
	line := sampleLine(name)
	return eachPage(func(at time.Duration, body []byte) []byte {
		if at >= until {
			return body
		}
		return eachSample(line, body, func(_ string, v float64) float64 { return v * factor })
	})
}

// growFrom lets every counter whose name matches a pattern gain so much more per second from a
// second on.
func growFrom(from time.Duration, name string, perSecond float64) func(*recording.Recording) {
	line := sampleLine(name)
	return eachPage(func(at time.Duration, body []byte) []byte {
		if at < from {
			return body
		}
		return eachSample(line, body, func(_ string, v float64) float64 { return v + perSecond*(at-from).Seconds() })
	})
}

// eachSample changes the values of the samples that a pattern matches; series is a sample's name
// and labels.
func eachSample(line *regexp.Regexp, body []byte, change func(series string, v float64) float64) []byte {
	return line.ReplaceAllFunc(body, func(sample []byte) []byte {
		at := bytes.LastIndexByte(sample, ' ')
		v, err := strconv.ParseFloat(string(sample[at+1:]), 64)
		if err != nil {
			return sample
		}
		return fmt.Appendf(nil, "%s %s", sample[:at], strconv.FormatFloat(change(string(sample[:at]), v), 'f', -1, 64))
	})
}

// scaleFrom multiplies what every counter whose name matches a pattern gains from a second on.
func scaleFrom(from time.Duration, name string, factor float64) func(*recording.Recording) {
	return gainFrom(from, name, func(before, v float64) float64 { return before + (v-before)*factor })
}

// restartAt lets every counter whose name matches a pattern begin at zero at a second, as after
// a restart of its server.
func restartAt(from time.Duration, name string) func(*recording.Recording) {
	return gainFrom(from, name, func(before, v float64) float64 { return v - before })
}

// zeroFrom lets every counter whose name matches a pattern stand at zero from a second on.
func zeroFrom(from time.Duration, name string) func(*recording.Recording) {
	return gainFrom(from, name, func(_, _ float64) float64 { return 0 })
}

// gainFrom changes samples from a second on, knowing what each was last before it. A sample
// that was not there before was 0.
func gainFrom(from time.Duration, name string, change func(before, v float64) float64) func(*recording.Recording) {
	line := sampleLine(name)
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			before := map[string]float64{}
			for i := range s.Answers {
				a := &s.Answers[i]
				if !isNumbers(a) {
					continue
				}
				a.Body = eachSample(line, bytes.Clone(a.Body), func(series string, v float64) float64 {
					if a.At < from {
						before[a.Path+series] = v
						return v
					}
					return change(before[a.Path+series], v)
				})
			}
		}
	}
}

// setLabel gives a label another value wherever a name has it.
func setLabel(name, label, value string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(` + name + `\{[^\n]*\b` + label + `=)"[^"]*"`)
	return eachPage(func(_ time.Duration, body []byte) []byte {
		return line.ReplaceAll(body, []byte(`${1}"`+value+`"`))
	})
}

// inTurn makes one edit after the other.
func inTurn(edits ...func(*recording.Recording)) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, edit := range edits {
			edit(r)
		}
	}
}

// loseFrom takes every line of the names with a prefix off the pages from a second on.
func loseFrom(from time.Duration, prefix string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(# (HELP|TYPE|UNIT) )?` + regexp.QuoteMeta(prefix) + `.*\n`)
	return eachPage(func(at time.Duration, body []byte) []byte {
		if at < from {
			return body
		}
		return line.ReplaceAll(body, nil)
	})
}

// configure adds lines to the last backend of the exporter's configuration.
func configure(lines string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		r.Exporter = append(bytes.TrimRight(r.Exporter, "\n"), "\n"+lines...)
	}
}

// failing lets the metrics path of every server fail; how, may depend on the count of answers before.
func failing(how func(n int) recording.Failure) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			n := 0
			for i := range s.Answers {
				if a := &s.Answers[i]; isNumbers(a) {
					*a = recording.Answer{At: a.At, Path: a.Path, Failure: how(n)}
					n++
				}
			}
		}
	}
}

// freezeFrom answers from a second of the recording on with what was sent last before it.
func freezeFrom(from time.Duration) func(*recording.Recording) { return freezeServer("", from) }

// freezeServer does so with one server; "": with all.
func freezeServer(name string, from time.Duration) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			if name != "" && s.Name != name {
				continue
			}
			last := map[string][]byte{}
			for i := range s.Answers {
				a := &s.Answers[i]
				if !isNumbers(a) {
					continue
				}
				if body, ok := last[a.Path]; ok && a.At >= from {
					a.Body = body
				}
				last[a.Path] = a.Body
			}
		}
	}
}

// answerInstead answers the metrics path of every server with something else.
func answerInstead(contentType, body string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				if a := &s.Answers[i]; isNumbers(a) {
					a.ContentType, a.Body = contentType, []byte(body)
				}
			}
		}
	}
}

// answerEverywhere answers every path of every server the same.
func answerEverywhere(status int, contentType, body string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				a := &s.Answers[i]
				*a = recording.Answer{At: a.At, Path: a.Path, Status: status, ContentType: contentType, Body: []byte(body)}
			}
		}
	}
}

func eachPage(change func(at time.Duration, body []byte) []byte) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				if a := &s.Answers[i]; isNumbers(a) {
					a.Body = change(a.At, bytes.Clone(a.Body))
				}
			}
		}
	}
}

func isNumbers(a *recording.Answer) bool {
	return a.Failure == recording.Answered && a.Status == 200 && recording.IsNumbers(a.Path)
}
