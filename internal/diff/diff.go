// Package diff shows how two texts differ, as diff -u does.
package diff

import (
	"fmt"
	"strings"
)

// around is how many equal lines are shown on each side of a change.
const around = 3

// edit is one line of a diff: ' ', '-' or '+'.
type edit struct {
	sign byte
	text string
}

// Unified is the difference of two files in the form of diff -u; empty when they are equal.
func Unified(oldName, newName string, before, after []byte) string {
	edits := lineEdits(splitLines(before), splitLines(after))
	var hunks strings.Builder
	for from := 0; from < len(edits); {
		from = nextChange(edits, from)
		if from == len(edits) {
			break
		}
		begin, end := max(0, from-around), hunkEnd(edits, from)
		writeHunk(&hunks, edits, begin, end)
		from = end
	}
	if hunks.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("--- %s\n+++ %s\n%s", oldName, newName, hunks.String())
}

// splitLines parts a file into lines; a last line without an end is another than one with it.
func splitLines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	text, ended := strings.CutSuffix(string(data), "\n")
	lines := strings.Split(text, "\n")
	if !ended {
		lines[len(lines)-1] += "\n\\ No newline at end of file"
	}
	return lines
}

func nextChange(edits []edit, from int) int {
	for from < len(edits) && edits[from].sign == ' ' {
		from++
	}
	return from
}

// hunkEnd is where a hunk ends: so far after the last change that the next one is out of sight.
func hunkEnd(edits []edit, from int) int {
	last := from
	for i := from; i < len(edits) && i-last <= 2*around; i++ {
		if edits[i].sign != ' ' {
			last = i
		}
	}
	return min(len(edits), last+1+around)
}

func writeHunk(out *strings.Builder, edits []edit, begin, end int) {
	oldLine, newLine := 1, 1
	for _, e := range edits[:begin] {
		if e.sign != '+' {
			oldLine++
		}
		if e.sign != '-' {
			newLine++
		}
	}
	olds, news := 0, 0
	for _, e := range edits[begin:end] {
		if e.sign != '+' {
			olds++
		}
		if e.sign != '-' {
			news++
		}
	}
	if olds == 0 {
		oldLine--
	}
	if news == 0 {
		newLine--
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", oldLine, olds, newLine, news)
	for _, e := range edits[begin:end] {
		fmt.Fprintf(out, "%c%s\n", e.sign, e.text)
	}
}

// lineEdits finds the fewest changed lines between the equal head and tail of two files. What
// lies between may not be large: past a few thousand lines it is replaced as a whole.
func lineEdits(before, after []string) []edit {
	var out []edit
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		out = append(out, edit{' ', before[head]})
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	out = append(out, middleEdits(before[head:len(before)-tail], after[head:len(after)-tail])...)
	for _, line := range before[len(before)-tail:] {
		out = append(out, edit{' ', line})
	}
	return out
}

func middleEdits(before, after []string) []edit {
	var common [][]int // common[i][j]: equal lines of before[i:] and after[j:]
	if len(before)*len(after) <= 4_000_000 {
		common = longestCommon(before, after)
	}
	var out []edit
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case common != nil && i < len(before) && j < len(after) && before[i] == after[j]:
			out = append(out, edit{' ', before[i]})
			i, j = i+1, j+1
		case j == len(after) || i < len(before) && (common == nil || common[i+1][j] >= common[i][j+1]):
			out = append(out, edit{'-', before[i]})
			i++
		default:
			out = append(out, edit{'+', after[j]})
			j++
		}
	}
	return out
}

func longestCommon(before, after []string) [][]int {
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
