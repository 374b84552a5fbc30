package engine

import (
	"testing"
)

func TestLookupFollowsNamesAndPlaces(t *testing.T) {
	doc := document([]byte(` {"data":[{"id":"m","n":2.5,"on":true,"none":null}],"a":{"b":{"c":"deep"}}}`))
	for path, want := range map[string]string{
		"data.0.id": "m", "data.0.n": "2.5", "data.0.on": "true", "a.b.c": "deep",
		"data.0.none": "", "data.1.id": "", "data.x.id": "", "data.-1.id": "", "a.b": "", "a.b.c.d": "", "nothing": "",
	} {
		value, _ := lookup(doc, path)
		if got := text(value); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if _, ok := lookup(doc, "data.0.none"); !ok {
		t.Error("a field that is null was taken for one that is not there")
	}
}

func TestOnlyObjectsAndArraysAreDocuments(t *testing.T) {
	for body, want := range map[string]bool{
		`{}`: true, ` [1]`: true, `"llamacpp:x 1\n"`: false, `1`: false, ``: false, `{"a":`: false, "# TYPE x gauge\nx 1\n": false,
	} {
		if got := document([]byte(body)) != nil; got != want {
			t.Errorf("document(%q) = %v, want %v", body, got, want)
		}
	}
}

func TestConditionsCompareTextsAndVersions(t *testing.T) {
	doc := document([]byte(`{"asleep":true,"build":"b10434","odd":"b1-abc"}`))
	for name, tt := range map[string]struct {
		c    Condition
		want bool
	}{
		"one of the words":        {Condition{Field: "asleep", In: []string{"true"}}, true},
		"another word":            {Condition{Field: "asleep", In: []string{"false"}}, false},
		"not there is empty":      {Condition{Field: "nothing", In: []string{"", "false"}}, true},
		"older":                   {Condition{Field: "build", Below: "b10524"}, true},
		"new enough":              {Condition{Field: "build", Below: "b10434"}, false},
		"no version is taken old": {Condition{Field: "odd", Below: "b10524"}, true},
		"missing version is old":  {Condition{Field: "nothing", Below: "b10524"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.c.holds(doc); got != tt.want {
				t.Errorf("holds = %v, want %v", got, tt.want)
			}
		})
	}
}
