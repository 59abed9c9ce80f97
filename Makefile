# Three-line targets; the logic is in deploy/local. ARGS="…" is passed on to pytest, the benches and uv.
PYTHON ?= python3
LOCAL := .venv/bin/python -m deploy.local

.DEFAULT_GOAL := help
.PHONY: help setup up demo-tour down reset compose-env servers env test contract browser crash soak bench check lock

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Build .venv from the hashed requirements (PYTHON=python3.13 chooses the interpreter)
	@$(PYTHON) -m deploy.local.setup $(if $(filter-out file,$(origin PYTHON)),--this-python)

up: setup ## Run everything in the foreground: web, beat, workers, Flower and the servers they need
	@$(LOCAL) up

demo-tour: setup ## Say what to look at in the demo, three minutes after `make up`
	@$(LOCAL) demo-tour

down: setup ## Stop everything that was started here
	@$(LOCAL) down

reset: setup ## Stop everything and remove .local/ with all data
	@$(LOCAL) reset

compose-env: ## Make .env with a password for each part, for docker-compose.yml
	@deploy/docker/env

servers: setup ## Start PostgreSQL, RabbitMQ and Redis and leave them running
	@$(LOCAL) servers

env: setup ## Print where the running servers are, as exports for a shell
	@$(LOCAL) env

test: setup ## Run the tests on real servers (ARGS="-k lease")
	@$(LOCAL) test $(ARGS)

contract: setup ## Ask the API everything that its description allows, and kill it under load
	@BEATKEEPER_CONTRACT=hard $(LOCAL) test tests/contract $(ARGS)

browser: setup ## Use the admin in a real browser, on a stack of its own (ARGS="-k dead")
	@$(LOCAL) browser $(ARGS)

crash: setup ## Kill parts of a stack of its own and look for what is lost
	@$(LOCAL) crash $(ARGS)

soak: setup ## Load and a fault every 30 s, then what was lost (MINUTES=20 SEED=1)
	@.venv/bin/python -m tests.crash.soak --minutes $(or $(MINUTES),20) --seed $(or $(SEED),1) $(ARGS)

bench: setup ## Measure, each figure beside its peer or limit (ARGS="beats --scale 0.1")
	@$(LOCAL) bench $(ARGS)

check: setup ## What CI runs: format, lint, types, floors, migrations, docs, tests
	@$(LOCAL) check

lock: setup ## Compile requirements/ anew from pyproject.toml (ARGS=--upgrade)
	@$(LOCAL) lock $(ARGS)
