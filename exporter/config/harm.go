package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/llmfleet/llmfleet/exporter/document"
)

// Asking must never change a server. These are the GETs that are known to, whoever the
// server is: a mapping that names one is refused.

// harmful are the last words of a path, and what asking it does.
var harmful = []struct{ word, does string }{
	{"unload", "unloads every model of llama-swap"},
	{"flush_cache", "empties SGLang's cache"},
	{"start_profile", "starts a profile"},
	{"stop_profile", "ends a profile"},
	{"slow_down", "slows SGLang down"},
	{"release_memory_occupation", "gives the model's memory away"},
	{"resume_memory_occupation", "takes memory for the model"},
	{"health_generate", "generates tokens"},
	{"sleep", "puts the model to sleep"},
	{"wake_up", "wakes the model"},
	{"reset_prefix_cache", "empties the prefix cache"},
	{"completions", "generates tokens"},
	{"generate", "generates tokens"},
	{"embeddings", "runs the model"},
	{"responses", "generates tokens"},
	{"shutdown", "ends the server"},
	{"restart", "restarts the server"},
	{"reload", "reloads the server"},
	{"drain", "drains the server"},
}

// harmfulOf are paths that do harm on one kind of program only, which a mapping shows by
// its name or by what it is like.
var harmfulOf = []struct{ program, path, does, instead string }{
	{"litellm", "/health", "generates tokens on every deployment", "/health/liveliness"},
	{"sglang", "/health", "generates a token and takes a second", "/model_info"},
	{"tensorrt", "/metrics", "takes the statistics away from other readers", "/prometheus/metrics"},
	{"trtllm", "/metrics", "takes the statistics away from other readers", "/prometheus/metrics"},
}

// neverOfAll are paths that some program takes badly (LiteLLM and SGLang generate on /health,
// older llama.cpp wakes up for /metrics, TensorRT-LLM empties it), so that they are not asked
// of a program that nobody knows yet.
var neverOfAll = []string{"/health", "/metrics", "/slots"}

// checkEndpointPath checks the form of a path and that asking it is harmless.
func checkEndpointPath(s string) string {
	switch {
	case strings.Contains(s, "://"):
		return "is a whole address; write the path only, the backend has the address"
	case !strings.HasPrefix(s, "/"):
		return "does not begin with /; write /" + s
	case strings.HasPrefix(s, "//") || strings.ContainsAny(s, " #\\"):
		return "is not a path; write it like /metrics, with special characters as %20"
	}
	u, err := url.Parse(strings.ReplaceAll(s, "{model}", "model"))
	if err != nil {
		return "is not a path that can be read; write it like /metrics"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "has a query that cannot be read; write it like /metrics?model={model}&autoload=false"
	}
	if document.HasDots(u.EscapedPath()) || strings.Contains(u.Path, "//") || strings.Contains(u.Path, "/../") {
		return "has .. or // in it; write the plain path"
	}
	if wrong := harmfulPath(u.Path); wrong != "" {
		return wrong
	}
	return harmfulQuery(query)
}

func harmfulPath(p string) string {
	parts := strings.Split(strings.ToLower(strings.Trim(p, "/")), "/")
	if slices.Contains(parts, "upstream") {
		return "is never asked: llama-swap starts the model behind /upstream and keeps it; write /running or /metrics"
	}
	last := parts[len(parts)-1]
	for _, h := range harmful {
		if last == h.word {
			return fmt.Sprintf("is never asked: it %s", h.does)
		}
	}
	return ""
}

func harmfulQuery(query url.Values) string {
	for name, values := range query {
		switch strings.ToLower(name) {
		case "reload":
			return "is never asked: reload makes a llama.cpp router read its models again; remove it"
		case "autoload":
			if !slices.Equal(values, []string{"false"}) {
				return "loads the model it asks about; write autoload=false"
			}
		}
	}
	if query.Has("model") && !query.Has("autoload") {
		return "makes a llama.cpp router load the model, and maybe evict another; add &autoload=false"
	}
	return ""
}

// checkHarmOf refuses what harms the program that a mapping is for.
func checkHarmOf(d *decoder, at path, m *mapping) {
	for _, h := range harmfulOf {
		if !strings.Contains(m.Name, h.program) && !strings.Contains(m.like, h.program) {
			continue
		}
		for i, e := range m.Endpoints {
			p, _, _ := strings.Cut(e.Path, "?")
			if place := at.Key("endpoints").Index(i).Key("path"); strings.TrimSuffix(p, "/") == h.path && d.Said(place) {
				d.Fail(place, e.Path, "is never asked of this program: it %s; write %s", h.does, h.instead)
			}
		}
	}
}

// private are fields that hold command lines, prompts, people or keys. They never become a label.
var private = []string{
	"args", "cmd", "command", "command_line", "launch_command", "server_args", "preset", "prompt", "prompts", "messages", "content",
	"api_key", "api_key_alias", "hashed_api_key", "key", "token", "secret", "password",
	"user", "user_email", "end_user", "email", "client_ip", "ip", "requester_ip_address", "user_agent",
}

// checkSource refuses a label's source that would carry what must not leave a server.
func checkSource(s string) string {
	last := s[strings.LastIndex(s, ".")+1:]
	if slices.Contains(private, strings.ToLower(last)) {
		return "may hold a command line, a prompt, a person or a key, which never become a label; choose another field"
	}
	return checkJSONPath(s)
}
