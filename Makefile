# The names that .ci/run and people use.
.PHONY: help test race lint generate check prove demo bench live

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

test: ## the tests, the proof included
	go test ./...

race: ## the exporter's tests with the race detector
	go test -race ./exporter/... ./internal/recording/...

lint: ## vet, staticcheck, formatting
	go vet -tags live ./...
	go tool -modfile=tools/go.mod staticcheck -tags live ./...
	@test -z "$$(git ls-files '*.go' | xargs gofmt -l)" || { git ls-files '*.go' | xargs gofmt -l; exit 1; }

generate: ## write gen/bundle and the generated docs
	go run ./cmd/llmfleet generate

check: ## fail when a generated file is stale
	go run ./cmd/llmfleet generate --check

prove: ## evaluate every expression on every recording
	go run ./cmd/llmfleet prove

demo: ## play the recorded fleet
	go run ./cmd/llmfleet demo

bench: ## the marks, both sides in one run
	go test -run '^$$' -bench . ./exporter/...

live: ## everything that .ci/run runs, the real servers included
	bash .ci/run
