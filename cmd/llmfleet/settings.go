package main

import (
	"os"

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
		data, err := os.ReadFile(*file)
		if err != nil {
			return rules.Settings{}, err
		}
		return rules.ParseSettings(*file, data, rules.Groups())
	}
}
