package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/exporter/document"
	"github.com/llmfleet/llmfleet/exporter/nearest"
)

// parsed makes a kind of a function from text to value. Its second result says what is
// wrong and what to write, "" if all is well.
func parsed[V any](word string, parse func(string) (V, string), show func(V) *yaml.Node) kind[V] {
	return kind[V]{
		word: word, show: show,
		read: func(d *decoder, n *yaml.Node, at path) (V, bool) {
			var none V
			s, ok := d.Scalar(n, at)
			if !ok {
				return none, false
			}
			v, wrong := parse(s)
			if wrong != "" {
				d.Fail(at, s, "%s", wrong)
				return none, false
			}
			return v, true
		},
	}
}

// text is the kind of a text that passes a check.
func text(word string, check func(string) string) kind[string] {
	return parsed(word, func(s string) (string, string) {
		wrong := document.CheckText(s)
		if wrong == "" && check != nil {
			wrong = check(s)
		}
		return s, wrong
	}, textNode)
}

// wordOrNone is a text, or an empty one in quotes, which takes the label away.
var wordOrNone = parsed("text", func(s string) (string, string) {
	if s == "" {
		return "", ""
	}
	return s, document.CheckText(s)
}, textNode)

var anyText = text("text", nil)

// flag is the kind of true and false.
var flag = parsed("true or false", func(s string) (bool, string) {
	switch strings.ToLower(s) {
	case "true":
		return true, ""
	case "false":
		return false, ""
	case "yes", "on":
		return false, "is not true or false; write true"
	case "no", "off":
		return false, "is not true or false; write false"
	}
	return false, "is not true or false"
}, func(v bool) *yaml.Node { return plainNode(strconv.FormatBool(v)) })

// whole is the kind of a whole number from 1 to a bound.
func whole(most int) kind[int] {
	return parsed("whole number", func(s string) (int, string) {
		v, err := strconv.Atoi(s)
		if err != nil {
			return 0, "is not a whole number"
		}
		if v < 1 || v > most {
			return 0, "is out of range; write a number from 1 to " + strconv.Itoa(most)
		}
		return v, ""
	}, func(v int) *yaml.Node { return plainNode(strconv.Itoa(v)) })
}

// number is the kind of a finite number.
func number(check func(float64) string) kind[float64] {
	return parsed("number", func(s string) (float64, string) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, "is not a number"
		}
		if check != nil {
			return v, check(v)
		}
		return v, ""
	}, func(v float64) *yaml.Node { return plainNode(strconv.FormatFloat(v, 'g', -1, 64)) })
}

func aboveZero(v float64) string {
	if v > 0 {
		return ""
	}
	return "is not above 0"
}

func notZero(v float64) string {
	if v != 0 {
		return ""
	}
	return "is 0, which would make every value 0"
}

// duration is the kind of a time span within bounds.
func duration(least, most time.Duration) kind[time.Duration] {
	return parsed("duration", func(s string) (time.Duration, string) {
		if _, err := strconv.ParseFloat(s, 64); err == nil && s != "0" {
			return 0, "has no unit; write " + s + "s for seconds"
		}
		v, err := model.ParseDuration(s)
		if err != nil {
			return 0, "is not a duration; write it like 10s, 500ms or 1m30s"
		}
		if d := time.Duration(v); d < least || d > most {
			return 0, "is out of range; write a duration from " + model.Duration(least).String() + " to " + model.Duration(most).String()
		}
		return time.Duration(v), ""
	}, func(v time.Duration) *yaml.Node { return plainNode(model.Duration(v).String()) })
}

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1}}

// size is the kind of a number of bytes within bounds.
func size(least, most int64) kind[int64] {
	return parsed("size", func(s string) (int64, string) {
		v, wrong := parseSize(s)
		if wrong == "" && (v < least || v > most) {
			wrong = "is out of range; write a size from " + sizeString(least) + " to " + sizeString(most)
		}
		return v, wrong
	}, func(v int64) *yaml.Node { return plainNode(sizeString(v)) })
}

func parseSize(s string) (bytes int64, wrong string) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(s[len(digits):])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, "is not a size; write a whole number and a unit, like 32MiB"
	}
	if unit == "" {
		return 0, "has no unit; write " + s + "B for bytes, or a size like 32MiB"
	}
	var names []string
	for _, u := range sizeUnits {
		if u.name == unit {
			return min(n, math.MaxInt64/u.bytes) * u.bytes, ""
		}
		names = append(names, u.name)
	}
	return 0, "has the unit " + strconv.Quote(document.Shortened(unit)) + "; " + document.Choice(unit, names)
}

func sizeString(v int64) string {
	for _, u := range sizeUnits[:3] {
		if v >= u.bytes && v%u.bytes == 0 {
			return strconv.FormatInt(v/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(v, 10) + "B"
}

// word is one of a closed set of words and what it stands for.
type word[V any] struct {
	name  string
	value V
}

// words is the kind of a closed set of words.
func words[V comparable](set ...word[V]) kind[V] {
	var names []string
	for _, w := range set {
		names = append(names, w.name)
	}
	return parsed(strings.Join(names, ", "), func(s string) (V, string) {
		for _, w := range set {
			if w.name == s {
				return w.value, ""
			}
		}
		var none V
		return none, "is not known here; write one of " + strings.Join(names, ", ")
	}, func(v V) *yaml.Node {
		for _, w := range set {
			if w.value == v {
				return textNode(w.name)
			}
		}
		return nil
	})
}

// series is the kind of a series of the catalog, by its name.
var series = parsed("series", func(s string) (*catalog.Series, string) {
	if found := catalog.ByName(s); found != nil {
		return found, ""
	}
	names := make([]string, 0, 100)
	for _, c := range catalog.All() {
		if mappable(c) {
			names = append(names, c.Name)
		}
	}
	if near := nearest.Word(s, names); near != "" {
		return nil, "is no series of the catalog; did you mean " + near + "?"
	}
	return nil, "is no series of the catalog; docs/series.md lists them"
}, func(v *catalog.Series) *yaml.Node { return textNode(v.Name) })

// plainNode is a value that needs no quotes.
func plainNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// textNode is a text that reads back as itself: true and 12 are quoted.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}
