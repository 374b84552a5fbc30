package engine

import (
	"strconv"
	"strings"
)

// lookup follows a path like "data.0.status.value" into a JSON document: names of fields,
// and places in arrays counted from 0. The empty path is the document itself.
func lookup(doc any, path string) (value any, ok bool) {
	for path != "" {
		var step string
		step, path, _ = strings.Cut(path, ".")
		switch node := doc.(type) {
		case map[string]any:
			doc, ok = node[step]
			if !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			doc = node[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// text returns a JSON value as text: "" for null, objects and arrays.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
