package main

import (
	"github.com/alecthomas/kingpin/v2"

	"github.com/llmfleet/llmfleet/rules"
)

// settingsFlag adds --settings and returns what reads it.
func settingsFlag(cmd *kingpin.CmdClause) func() (rules.Settings, error) {
	file := cmd.Flag("settings", "File with thresholds and names that differ from the defaults.").PlaceHolder("FILE").String()
	return func() (rules.Settings, error) {
		if *file == "" {
			return rules.DefaultSettings(), nil
		}
		return rules.LoadSettings(*file, rules.Groups())
	}
}
