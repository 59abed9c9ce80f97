# Three-line targets; the logic is in deploy/local. ARGS="…" is passed on to pytest, the benches and uv.
PYTHON ?= python3
LOCAL := .venv/bin/python -m deploy.local

.DEFAULT_GOAL := help
.PHONY: help setup up down reset servers env test crash bench check lock

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Build .venv from the hashed requirements (PYTHON=python3.13 chooses the interpreter)
	@$(PYTHON) -m deploy.local.setup $(if $(filter-out file,$(origin PYTHON)),--this-python)

up: setup ## Run everything in the foreground: web, beat, workers, Flower and the servers they need
	@$(LOCAL) up

down: setup ## Stop everything that was started here
	@$(LOCAL) down

reset: setup ## Stop everything and remove .local/ with all data
	@$(LOCAL) reset

servers: setup ## Start PostgreSQL, RabbitMQ and Redis and leave them running
	@$(LOCAL) servers

env: setup ## Print where the running servers are, as exports for a shell
	@$(LOCAL) env

test: setup ## Run the tests on real servers (ARGS="-k lease")
	@$(LOCAL) test $(ARGS)

crash: setup ## Kill parts of a running stack and look for what is lost
	@$(LOCAL) crash $(ARGS)

bench: setup ## Measure, each figure beside its limit (ARGS=latency)
	@$(LOCAL) bench $(ARGS)

check: setup ## What CI runs: format, lint, types, floors, migrations, docs, tests
	@$(LOCAL) check

lock: setup ## Compile requirements/ anew from pyproject.toml (ARGS=--upgrade)
	@$(LOCAL) lock $(ARGS)
