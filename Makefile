# The two commands of the README are `make run` and `make test`.
GO ?= go

.PHONY: run build test image e2e agree bench census lint fuzz schema

run: ## every shipped scenario on the simulator and the reference proxy
	$(GO) run . run

build: ## the nolive command
	$(GO) build -o nolive .

test: ## all tests that need neither nginx nor Docker
	$(GO) test ./...

# What has tests for the real nginx, the longest first: two packages go on at a time, and
# none is left over at the end.
LONGEST = ./e2e ./e2e/docker ./e2e/balancers ./e2e/agree
ONNGINX = $(shell grep -rl --include='*_test.go' '^//go:build e2e' e2e harness proxy | xargs grep -l '^func Test' | xargs -n1 dirname | sort -u | sed 's|^|./|')
SUITES = $(LONGEST) $(filter-out $(LONGEST),$(ONNGINX))

# With NGINX=/path/to/nginx that one is the judge, of whatever version, and there are no
# containers, in which there is another.
ifdef NGINX
JUDGE = $(CURDIR)/e2e/out/judge
e2e:
	"$(NGINX)" -v && mkdir -p $(JUDGE) && ln -sfn "$(realpath $(NGINX))" $(JUDGE)/nginx
	PATH="$(JUDGE):$$PATH" NOLIVE_CONTAINERS=none NOLIVE_ARTEFACTS=$(CURDIR)/e2e/out $(GO) test -tags e2e -count=1 -timeout 20m \
		$(filter-out ./e2e/docker ./proxy/nginx/container,$(SUITES))
else
e2e: image ## every promise on the real nginx, here and in a container: needs nginx, libfaketime and a Docker engine; NGINX=/path/to/nginx: on that one
	NOLIVE_ARTEFACTS=$(CURDIR)/e2e/out $(GO) test -tags e2e -count=1 -timeout 20m $(SUITES)
endif

image: ## the image nolive/nginx for --nginx-image: NGINX_IMAGE=nginx:1.29 or, without a registry, Debian's nginx
	@docker/image

SEEDS ?= 1000
agree: ## SEEDS random cases on sim, reference and nginx; what differs is made small and kept
	$(GO) run . agree --seeds $(SEEDS) --keep e2e/agree/testdata

bench: ## what everything costs, side by side in one run; with nginx on PATH it takes part
	$(GO) test -run '^$$' -bench . -benchmem ./proxy/upstream ./harness/analysis ./harness/sim ./harness
	$(GO) test -run '^$$' -bench . -benchtime 2s ./harness/live ./backends
	$(GO) test $(if $(shell command -v nginx),-tags e2e) -run '^$$' -bench . -benchtime 3s ./proxy/reference

census: ## scenarios/CENSUS.md: what nginx answers for every fault; needs nginx
	@{ sed -n '1,/^<!-- made/p' scenarios/CENSUS.md && echo && $(GO) run . census --engine nginx,reference,sim; } > scenarios/CENSUS.md.new \
		&& mv scenarios/CENSUS.md.new scenarios/CENSUS.md || { rm -f scenarios/CENSUS.md.new; exit 1; }

lint:
	$(GO) vet ./...
	$(GO) vet -tags e2e ./...
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }

fuzz: ## every fuzz test for a while; what they found before is in testdata and in make test
	@grep -rl --include='*_test.go' '^func Fuzz' . | while read -r f; do \
		grep -o '^func Fuzz[A-Za-z]*' $$f | while read -r _ t; do \
			echo "$$f $$t"; $(GO) test -run '^$$' -fuzz "^$$t$$" -fuzztime 30s $$(dirname $$f) </dev/null || exit 1; \
		done || exit 1; \
	done

schema: ## scenarios/schema.json from the Go types
	$(GO) generate ./harness/scenario
