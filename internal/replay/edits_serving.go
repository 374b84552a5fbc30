package replay

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/llmfleet/llmfleet/internal/recording"
)

// servingEdits are those of requests: slow, failing, stuck, and servers that do not stay.
var servingEdits = []Edit{
	{
		Name: "refusals-rare", About: "of a hundred refusals one is left",
		Recording: scale(`vllm:admission_rejections(_total)?`, 0.01),
	},
	{
		Name: "twenty-seconds-are-fine", About: "the last backend has objectives of its own: 20 s for the first token and for the queue",
		Recording: configure("    objectives: {time_to_first_token: 20s, queue_duration: 20s}\n"),
	},
	{
		Name: "objective-beyond-the-buckets", About: "buckets of the time to the first token end at 10 s, as in old releases of vLLM; the objective is 15 s",
		Recording: inTurn(
			configure("    objectives: {time_to_first_token: 15s}\n"),
			dropLines(`vllm:time_to_first_token_seconds_bucket\{[^\n]*le="(20|40|80|160|640|2560)\.0"`),
		),
	},
	{
		Name: "two-seconds-for-a-whole-request", About: "every backend has an objective of 2 s for a whole request",
		Recording: configure("objectives: {request_duration: 2s}\n"),
	},
	{
		Name: "bad-until-400", About: "until second 400 every first token of medium-a takes more than 20 s, and every second request fails; later one of 25, and one of 50",
		Recording: badSpell("medium-a", func(at time.Duration) (slow, failed float64) {
			if at < 400*time.Second {
				return 1, 0.5
			}
			return 0.04, 0.02
		}),
	},
	{
		Name: "bad-from-1000", About: "from second 1000 on of five first tokens of medium-a two take more than 20 s, and of four requests one fails",
		Recording: badSpell("medium-a", func(at time.Duration) (slow, failed float64) {
			if at < 1000*time.Second {
				return 0, 0
			}
			return 0.4, 0.25
		}),
	},
	{
		Name: "bad-from-1150", About: "from second 1150 on of five first tokens of medium-a two take more than 20 s, and of twenty requests three fail",
		Recording: badSpell("medium-a", func(at time.Duration) (slow, failed float64) {
			if at < 1150*time.Second {
				return 0, 0
			}
			return 0.4, 0.15
		}),
	},
	{
		Name: "nobody-admitted-from-600", About: "from second 600 on no prompt is begun, as many wait as waited then, and generation goes on",
		Recording: held(`vllm:(prompt_tokens|num_requests_waiting)[a-z_]*`, 600*time.Second),
	},
	{
		Name: "a-tenth-fails", About: "of ten requests that ended at their limit one ended with an error",
		Recording: partFails(0.1),
	},
	{
		Name: "a-fiftieth-fails", About: "of fifty requests that ended at their limit one ended with an error",
		Recording: partFails(0.02),
	},
	{
		Name: "errors-are-overflows", About: "LiteLLM names every failure as it names a prompt that is too long",
		Recording: overflows,
	},
	{
		Name: "overflows-are-many", About: "the same, and there are five times as many",
		Recording: inTurn(overflows, scale(`litellm_proxy_failed_requests_metric_total`, 5)),
	},
	{
		Name: "all-models-unloaded", About: "a llama.cpp router has no model in memory, and one that failed",
		Recording: replacedIn("/models", `"value":"loaded"`, `"value":"unloaded"`),
	},
	{
		Name: "rank-1-dead-at-30", About: "from second 30 on rank 1 is dead: the front end says of it what it said then",
		Recording: held(`vllm:\w+\{engine="1",[^\n]*\}`, 30*time.Second),
	},
	{
		Name: "second-model-dead-at-600", About: "the server has a second model with the same numbers, which do not move from second 600 on",
		Recording: inTurn(
			eachPage(func(_ time.Duration, body []byte) []byte {
				return secondModel.ReplaceAll(body, []byte("$0\n${1}second$2"))
			}),
			held(`vllm:[^\n]*model_name="second"[^\n]*\}`, 600*time.Second),
		),
	},
	{
		Name: "restarts-every-300", About: "every 300 s the counters begin at 0 again, as after a restart between two scrapes",
		Recording: restarting(300 * time.Second),
	},
	{
		Name: "dies-every-300", About: "every server refuses connections for the last minute of every 300 s",
		Recording: dying(300*time.Second, time.Minute),
	},
}

// secondModel is a sample of vLLM, with what stands before and behind the name of its model.
var secondModel = regexp.MustCompile(`(?m)^(vllm:[^\n]*model_name=")[^"]*("[^\n]*)$`)

var overflows = replaced(`exception_class="[^"]*"`, `exception_class="Openai.ContextWindowExceededError"`)

// dropLines takes the lines that begin with a pattern off every page.
func dropLines(pattern string) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^` + pattern + `.*\n`)
	return eachPage(func(_ time.Duration, body []byte) []byte { return line.ReplaceAll(body, nil) })
}

// replaced changes a pattern of the numbers' pages into a text.
func replaced(pattern, text string) func(*recording.Recording) {
	re := regexp.MustCompile(pattern)
	return eachPage(func(_ time.Duration, body []byte) []byte { return re.ReplaceAll(body, []byte(text)) })
}

// replacedIn changes a text of the answers of one path into another.
func replacedIn(path, old, text string) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				if a := &s.Answers[i]; a.Path == path {
					a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(text))
				}
			}
		}
	}
}

// resample gives the samples of a server ("": of each) whose name matches a pattern other
// values. change is asked in the order of time and of the page; sample is its name and labels.
func resample(server, name string, change func(server string, at time.Duration, sample string, v float64) float64) func(*recording.Recording) {
	line := regexp.MustCompile(`(?m)^(` + name + `(?:\{[^\n]*\})?) ([^\n ]+)$`)
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				a := &s.Answers[i]
				if !isNumbers(a) || server != "" && s.Name != server {
					continue
				}
				a.Body = line.ReplaceAllFunc(bytes.Clone(a.Body), func(text []byte) []byte {
					at := bytes.LastIndexByte(text, ' ')
					v, err := strconv.ParseFloat(string(text[at+1:]), 64)
					if err != nil {
						return text
					}
					sample := string(text[:at])
					return fmt.Appendf(nil, "%s %g", sample, change(s.Name, a.At, sample, v))
				})
			}
		}
	}
}

// growth follows counters from page to page.
type growth struct {
	last map[string]float64
	held map[string]float64 // what was taken from each
}

func newGrowth() growth { return growth{map[string]float64{}, map[string]float64{}} }

// hold takes a share of what a counter has grown by since the page before from it. It gives
// what is left, and what was taken altogether; both are whole numbers.
func (g growth) hold(key string, v, share float64) (left, taken float64) {
	if last, seen := g.last[key]; seen {
		g.held[key] += (v - last) * share
	}
	g.last[key] = v
	taken = math.Floor(g.held[key])
	return v - taken, taken
}

// held stops the samples whose name matches a pattern from a second on.
func held(name string, from time.Duration) func(*recording.Recording) {
	return func(r *recording.Recording) {
		g := newGrowth()
		resample("", name, func(server string, at time.Duration, sample string, v float64) float64 {
			share := 0.0
			if at >= from {
				share = 1
			}
			left, _ := g.hold(server+sample, v, share)
			return left
		})(r)
	}
}

var bucketBound = regexp.MustCompile(`le="([^"]*)"`)

// badSpell makes shares of the requests of one vLLM server bad: first tokens are counted beyond
// 20 s, and requests that end as failed.
func badSpell(server string, shares func(at time.Duration) (slow, failed float64)) func(*recording.Recording) {
	return func(r *recording.Recording) {
		bins, ends, failed := newGrowth(), newGrowth(), map[string]float64{}
		var below, kept float64 // of the bucket before: what it counted, and what was left
		resample(server, `vllm:time_to_first_token_seconds_bucket`, func(_ string, at time.Duration, sample string, v float64) float64 {
			bound, err := strconv.ParseFloat(bucketBound.FindStringSubmatch(sample)[1], 64)
			if err != nil || bound > 20 {
				below, kept = 0, 0 // the next one is the first of a page
				return v
			}
			share, _ := shares(at)
			left, _ := bins.hold(sample, v-below, share)
			below, kept = v, kept+left
			return kept
		})(r)
		resample(server, `vllm:request_success_total`, func(_ string, at time.Duration, sample string, v float64) float64 {
			if strings.Contains(sample, `finished_reason="error"`) { // stands behind those that ended well
				for _, n := range failed {
					v += n
				}
				return v
			}
			_, share := shares(at)
			if strings.Contains(sample, `finished_reason="repetition"`) { // stands behind it
				return v
			}
			left, taken := ends.hold(sample, v, share)
			failed[sample] = taken
			return left
		})(r)
	}
}

// partFails lets a share of the requests that vLLM ended at their limit end with an error.
func partFails(share float64) func(*recording.Recording) {
	return func(r *recording.Recording) {
		ended := 0.0
		resample("", `vllm:request_success_total`, func(_ string, _ time.Duration, sample string, v float64) float64 {
			switch {
			case strings.Contains(sample, `finished_reason="length"`):
				ended = v
				return v * (1 - share)
			case strings.Contains(sample, `finished_reason="error"`): // stands behind it
				return v + ended*share
			}
			return v
		})(r)
	}
}

// restarting lets every counter begin again at 0 after each span of time.
func restarting(every time.Duration) func(*recording.Recording) {
	type life struct {
		number     int64
		base, last float64
	}
	return func(r *recording.Recording) {
		lives := map[string]life{}
		resample("", `[a-z:_]+_total`, func(server string, at time.Duration, sample string, v float64) float64 {
			key := server + sample
			l := lives[key]
			if n := int64(at / every); n != l.number {
				l.number, l.base = n, l.last
			}
			l.last = v
			lives[key] = l
			return v - l.base
		})(r)
	}
}

// dying refuses all connections for the last part of each span of time.
func dying(every, part time.Duration) func(*recording.Recording) {
	return func(r *recording.Recording) {
		for _, s := range r.Servers {
			for i := range s.Answers {
				if a := &s.Answers[i]; a.At%every >= every-part {
					*a = recording.Answer{At: a.At, Path: a.Path, Failure: recording.Refused}
				}
			}
		}
	}
}
