// llmfleet_exporter reads every LLM engine and router of a fleet and speaks one vocabulary
// to Prometheus. This file is flags and wiring; package exporter is the exporter.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "llmfleet_exporter: %v\n", err)
		os.Exit(1)
	}
}
