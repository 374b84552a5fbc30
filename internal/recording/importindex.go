package recording

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// oneOff is one answer that was asked for by hand: files STEM.body and STEM.headers.txt.
type oneOff struct {
	state, stem, path string
	status            string // of the index, "" when only the headers say it
	contentType       string
}

// withoutNames are the columns of an index without a first line that names them, by their number.
var withoutNames = map[int][]string{
	3: {"state", "request", "line"},
	5: {"name", "request", "status", "content_type", "bytes"},
}

// curlExits are the exit codes with which curl says that there was no answer.
var curlExits = map[string]Failure{"7": Refused, "28": TimedOut, "52": Reset, "56": Reset}

// parseOneOff reads a line of an index: state, request and status line, or name, request
// (a path with the arguments of curl) and status.
func parseOneOff(columns, f []string) (o oneOff, why string, err error) {
	if columns == nil {
		columns = withoutNames[len(f)]
	}
	if len(columns) != len(f) {
		return o, "", fmt.Errorf("%d fields, want name, request, status, content type and bytes", len(f))
	}
	get := func(column string) string {
		if i := slices.Index(columns, column); i >= 0 {
			return f[i]
		}
		return ""
	}
	request := strings.Fields(first(get("request"), get("path")))
	o.stem, o.contentType = get("name"), get("content_type")
	if o.path = pathOf(request); o.path == "" {
		return o, "", fmt.Errorf("request %.60q: want a path", get("request"))
	}
	if !isGet(request) {
		return o, notGet, nil
	}
	if o.state = get("state"); o.state != "" {
		o.stem = o.state + "." + mangled(o.path)
		o.status, _, _ = strings.Cut(strings.TrimPrefix(get("line"), "HTTP/1.1 "), " ")
		return o, "", nil
	}
	o.state, o.status = stateName(o.stem, o.path), get("status")
	if exit := get("curl_exit"); exit != "" && exit != "0" {
		o.status = string(curlExits[exit])
	}
	return o, "", nil
}

func pathOf(request []string) string {
	for _, word := range request {
		if u, err := url.Parse(word); err == nil && strings.HasPrefix(u.Path, "/") {
			return u.RequestURI()
		}
	}
	return ""
}

// isGet says that the words of a request, a method or the arguments of curl, make it a GET.
func isGet(request []string) bool {
	for _, word := range request {
		if slices.Contains([]string{"-X", "-d", "--data", "-I", "POST", "PUT", "DELETE", "HEAD"}, word) {
			return false
		}
	}
	return true
}

// mangled is a path as it stands in a file name.
func mangled(path string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "_")
	i := strings.IndexAny(name, "?&")
	if i < 0 {
		return name
	}
	base, query := name[:i], ""
	if name[i] == '?' {
		query, _, _ = strings.Cut(name[i+1:], "&")
		query = "_" + strings.ReplaceAll(query, "=", "_")
	}
	return "q." + base + query
}

var endsInNumber = regexp.MustCompile(`^(.*?)(-\d+)?$`)

// stateName takes the name of the endpoint off the name of an answer: "asleep-metrics" is what
// /metrics said when the server was asleep.
func stateName(name, path string) string {
	base, _, _ := strings.Cut(path, "?")
	last := strings.ReplaceAll(base[strings.LastIndexByte(base, '/')+1:], "_", "-")
	m := endsInNumber.FindStringSubmatch(name)
	number := m[2]
	if len(number) == 4 { // a status: models-401
		number = ""
	}
	switch rest, found := strings.CutSuffix(strings.ReplaceAll(m[1], "_", "-"), last); {
	case found && rest == "":
		return "plain" + number
	case found && strings.ContainsAny(rest[len(rest)-1:], "-."):
		return rest[:len(rest)-1] + number
	}
	return name
}
