// Package terminal lays out what a person reads there.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
)

// Width is that of a terminal that nobody has made wider.
const Width = 100

// Printable keeps what a server sent from steering the terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// List joins a few texts and counts the rest.
func List(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// Wrap breaks a text at spaces into lines of the page's width; those after the first begin
// with indent.
func Wrap(text, indent string) string {
	var out strings.Builder
	column := len(indent)
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > Width:
			out.WriteString("\n" + indent)
			column = len(indent)
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	return out.String()
}
