package replay

import "github.com/llmfleet/llmfleet/internal/recording"

// addressEdits are what else may answer where a server should be, or fail to.
var addressEdits = []Edit{
	{
		Name: "metrics-time-out-and-reset-in-turn", About: "the metrics path times out four times, is reset four times, and so on; the rest answers",
		Recording: failing(func(n int) recording.Failure {
			return []recording.Failure{recording.TimedOut, recording.Reset}[n/4%2]
		}),
	},
	{
		Name: "metrics-reset-then-time-out", About: "the metrics path is reset four times, and times out from then on; the rest answers",
		Recording: failing(func(n int) recording.Failure {
			if n < 4 {
				return recording.Reset
			}
			return recording.TimedOut
		}),
	},
	{
		Name: "html-instead-of-metrics", About: "the metrics path of every server answers with a web page",
		Recording: answerInstead("text/html; charset=utf-8", "<!DOCTYPE html><html><body>Login</body></html>\n"),
	},
	{
		Name: "json-instead-of-metrics", About: "the metrics path of every server answers with JSON",
		Recording: answerInstead("application/json", `{"detail":"Not Found"}`),
	},
	{
		Name: "nothing-instead-of-metrics", About: "the metrics path of every server answers with an empty page",
		Recording: answerInstead("text/plain; version=0.0.4", ""),
	},
	{
		Name: "key-wanted-for-everything", About: "every path of every server answers 401",
		Recording: answerEverywhere(401, "application/json", `{"error":"Unauthorized"}`),
	},
	{
		Name: "another-program-at-the-address", About: "the metrics path answers as node_exporter does, every other path 404",
		Recording: func(r *recording.Recording) {
			answerEverywhere(404, "text/plain; charset=utf-8", "404 page not found\n")(r)
			for _, s := range r.Servers {
				for i := range s.Answers {
					if a := &s.Answers[i]; recording.IsNumbers(a.Path) {
						a.Status, a.ContentType, a.Body = 200, "text/plain; version=0.0.4", []byte("# TYPE node_load1 gauge\nnode_load1 0.5\n")
					}
				}
			}
		},
	},
	{
		Name: "json-at-every-path", About: "every path of every server answers 200 with the same JSON",
		Recording: answerEverywhere(200, "application/json", `{"status":"ok"}`),
	},
	{
		Name: "nothing-at-the-address", About: "every path of every server answers 404",
		Recording: answerEverywhere(404, "text/plain; charset=utf-8", "404 page not found\n"),
	},
}
