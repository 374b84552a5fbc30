# What people run, and what .ci/run runs by the same names.
.PHONY: help test race vet staticcheck formatted tidy lint generate current prove demo bench cost ci

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

test: ## the tests, the proof included
	go test -timeout 30m ./...

race: ## the exporter's tests with the race detector
	go test -race -timeout 30m ./exporter/... ./internal/recording/... ./cmd/llmfleet_exporter/...

lint: vet staticcheck formatted tidy ## vet, staticcheck, format and modules

vet: ## go vet, the checks of real servers included
	go vet -tags live ./...

staticcheck: ## at the version that tools/go.mod names
	go tool -modfile=tools/go.mod staticcheck -tags live ./...

formatted: ## fail when a file is not as gofmt writes it
	@bad=$$(git ls-files '*.go' | xargs gofmt -l); test -z "$$bad" || { printf 'not formatted (run gofmt -w):\n%s\n' "$$bad"; exit 1; }

tidy: ## fail when go.mod or go.sum is not as go mod tidy writes it
	go mod tidy -diff
	cd tools && go mod tidy -diff

generate: ## write gen/bundle and the generated docs
	go run ./cmd/llmfleet generate

current: ## fail when a generated file is stale
	go run ./cmd/llmfleet generate --check

prove: ## evaluate every expression on every recording
	go run ./cmd/llmfleet prove

demo: ## play the recorded fleet
	go run ./cmd/llmfleet demo

BENCHTIME = 1s
bench: ## the exporter's marks, both sides in one run; BENCHTIME=20x is shorter
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./exporter/...

cost: ## what the rules and the dashboards of a large fleet cost
	go test -run '^$$' -bench RulesOfALargeFleet -benchtime 20x ./internal/replay
	go test -run '^$$' -bench DashboardsOfALargeFleet -benchtime 1x ./internal/replay

ci: ## all that must hold before a change lands: these, fuzzing, real servers, every dashboard drawn
	bash .ci/run
