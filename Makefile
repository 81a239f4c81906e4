# make run      install into .venv and play at http://127.0.0.1:8765
# make test     everything: format, lint, types, all tests (sets itself up on a bare Debian 12)
# make check    format, lint and types only
# make faults   break everything that can break, at length, and measure what comes of it
# make fuzz     feed the decoders bytes for FUZZ_S seconds (60)
# make bench    measure the server beside Colyseus, 8 minutes on a quiet machine (ARGS=--quick: one)
# make costs    count what a move costs in instructions, and expect that from now on
# make asyncapi write down the messages as they are now, for machines (server/tenmatch/protocol/asyncapi.json)
# make openapi  the same of what is had over HTTP (server/tenmatch/protocol/openapi.json)
# make sessions record the sessions in tests/vectors/sessions/ anew, from a real server
# make install  only the virtual environment

VENV   := .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SUDO   := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: run install test check format

run: install
	$(BIN)/tenmatch serve $(ARGS)

install: $(READY)

$(READY): pyproject.toml deploy/constraints.txt
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { $(SUDO) apt-get update -q && $(SUDO) apt-get install -qy python3-venv; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c deploy/constraints.txt -e '.[dev]'
	@touch $@

# Three processes: most of the time each waits. Byte code is kept whatever the environment says: the hundreds of servers
# that are started read it.
test: install tools check
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n 3 --no-loadscope-reorder $(ARGS)

# What the tests run beside the server, as Debian ships it: a browser, Node and npm for the browser library, Redis, two
# proxies, Prometheus, false clocks, networks, counted instructions. Nothing of it becomes a service that runs: POLICY forbids
# that while it is installed.
TOOLS  := chromium:chromium node:nodejs npm:npm redis-server:redis-server openssl:openssl \
          nginx:nginx-light haproxy:haproxy faketime:faketime ip:iproute2 valgrind:valgrind
# Those without what is recommended beside them: a browser of metrics, an engine.
ALONE  := promtool:prometheus docker-compose:docker-compose systemd-analyze:systemd
POLICY := /usr/sbin/policy-rc.d
.PHONY: tools
tools:
	@lacks() { for tool; do PATH="$$PATH:/usr/sbin" command -v $${tool%:*} >/dev/null || echo $${tool#*:}; done; }; \
	missing=$$(lacks $(TOOLS)); alone=$$(lacks $(ALONE)); \
	[ -n "$$missing$$alone" ] || exit 0; \
	[ -e $(POLICY) ] || { trap '$(SUDO) rm $(POLICY)' EXIT; printf '#!/bin/sh\nexit 101\n' | \
	  $(SUDO) install -m 755 /dev/stdin $(POLICY); }; \
	$(SUDO) apt-get update -q && \
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -qy $$missing && \
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$alone

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: asyncapi
asyncapi: install
	$(BIN)/python -m tests.protocol.asyncapi

.PHONY: openapi
openapi: install
	$(BIN)/python -m tests.protocol.openapi

.PHONY: sessions
sessions: install
	$(BIN)/python -m tests.sessions.record

# A part of them is in every run of the tests; here all, for as long as it takes.
.PHONY: faults
faults: install tools
	$(BIN)/pytest -q tests/faults --hypothesis-profile=full $(ARGS)

# Not part of the tests: figures are for people, and the machine has to be theirs.
.PHONY: bench costs
bench: install tools
	$(BIN)/python -m tests.bench.bench $(ARGS)

costs: install tools
	$(BIN)/python -m tests.bench.instructions --keep

# Not part of the tests: it has no end, and what it needs is large. What it has learnt is kept in build/fuzz.
FUZZ_S ?= 60
.PHONY: fuzz
fuzz: install
	$(BIN)/pip install -q --disable-pip-version-check atheris==3.0.0
	$(BIN)/python -m tests.hostile.fuzz_decoders build/fuzz -max_total_time=$(FUZZ_S) $(ARGS)
