package rules

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sections are what a person at night looks for, in this order. A title may go on after them.
var sections = []string{"What it means", "What a client feels", "How to confirm", "Likely causes", "What to do", "What not to do"}

func TestEveryAlertHasARunbookAndNoneIsLeftOver(t *testing.T) {
	var want []string
	for _, a := range alerts() {
		want = append(want, RunbookFile(a.Name))
	}
	entries, err := runbookPages.ReadDir("runbooks")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(want, have) {
		t.Errorf("pages are\n%s\nalerts want\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

func TestRunbooksAnswerTheSameQuestionsInTheSameOrder(t *testing.T) {
	for _, a := range alerts() {
		page, _ := Runbook(a.Name)
		at := 0
		for _, s := range sections {
			if s == "What to do" && strings.Contains(page, "## Likely causes and what to do") {
				continue
			}
			i := strings.Index(page[at:], "\n## "+s)
			if i < 0 {
				t.Errorf("%s: section %q is missing or out of order", RunbookFile(a.Name), s)
				break
			}
			at += i + 1
		}
		if !strings.HasPrefix(page, "# "+a.Name+"\n") {
			t.Errorf("%s: the title is not %q", RunbookFile(a.Name), a.Name)
		}
	}
}

var promqlBlock = regexp.MustCompile("(?s)```promql\n(.*?)```")

func TestRunbookExpressionsStandOnTheVocabulary(t *testing.T) {
	settings, groups := DefaultSettings(), Groups()
	v := NewVocabulary(groups, settings)
	for _, a := range alerts() {
		page, _ := Runbook(a.Name)
		text, err := ExpandOf(&a, page, groups, settings)
		if err != nil {
			t.Errorf("%s: %v", RunbookFile(a.Name), err)
			continue
		}
		blocks := promqlBlock.FindAllStringSubmatch(text, -1)
		if len(blocks) == 0 {
			t.Errorf("%s: no expression confirms the alert", RunbookFile(a.Name))
		}
		for _, m := range blocks {
			_, problems := v.Check(RunbookFile(a.Name), m[1], settings.ScrapeInterval)
			for _, p := range problems {
				t.Error(p)
			}
		}
	}
}

func TestRunbooksTypeNoSettingOfTheirAlert(t *testing.T) {
	for _, a := range alerts() {
		page, _ := Runbook(a.Name)
		for _, typed := range typedTimes(Groups(), &a, page) {
			t.Errorf("%s types %s", RunbookFile(a.Name), typed)
		}
	}
}

func TestRunbookFilesAreNamedAfterTheirAlert(t *testing.T) {
	for alert, want := range map[string]string{
		"LlmBackendDown":      "backend-down.md",
		"LlmKVCacheSaturated": "kv-cache-saturated.md",
		"LlmWatchdog":         "watchdog.md",
	} {
		if got := RunbookFile(alert); got != want {
			t.Errorf("RunbookFile(%q) = %q, want %q", alert, got, want)
		}
	}
}

func alerts() []Alert {
	var out []Alert
	for _, g := range Groups() {
		out = append(out, g.Alerts...)
	}
	return out
}
