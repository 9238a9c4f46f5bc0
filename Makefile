# Everything a person needs, from a clone and Python 3.11 or newer. `make` alone says what there is.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile pyproject.toml --group build --universal --python-version 3.11 --upgrade --quiet \
	--generate-hashes --no-header --no-emit-index-url --no-emit-find-links
COMPILED := $(wildcard src/wolfspider/*/*.pyx src/wolfspider/*/*/*.pyx)
WHEEL = build/wheels/$$version/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
# Processes that share the work. Many fast tests wait, for disks, servers and other processes, so there are more of these
# than cores; slow ones mind how busy the machine is.
test: WORKERS ?= 3
test-slow fuzz: WORKERS ?= 2
SECONDS ?= 60
# The tests start hundreds of processes, which must not compile everything each time, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install extras demo test test-slow reproduction fuzz check figures states wheels lock clean

help:
	@echo "make install    set up .venv with the locked versions"
	@echo "make extras     the same, with all extras and what the tests need"
	@echo "make demo       hunt on the built-in web: no network, nothing to configure"
	@echo "make test       the tests, without the slow ones"
	@echo "make test-slow  the slow tests"
	@echo "make reproduction  the quick reproduction of one paper, drawn by the commit"
	@echo "make fuzz       strange inputs for all readers, a minute for each; SECONDS=600 for longer, SEED=N as before"
	@echo "make check      style, lints and types"
	@echo "make figures    draw the figures of the documentation anew"
	@echo "make states     build the model of page states that ships, from a recorded encyclopedia"
	@echo "make wheels     build dist/*.whl: compiled for every Python found here, and one for all that is not compiled"
	@echo "make lock       choose the locked versions anew"
	@echo "make clean      remove every .venv and everything built or cached"

install: $(VENV)/base

extras: $(VENV)/dev

demo: $(VENV)/base
	$(BIN)/wolfspider demo

test: $(VENV)/dev $(VENV)/tools
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist worksteal

# Of the tests that mind how busy the machine is (xdist_group "timed") one runs at a time. pytest leaves with 5 when it
# finds no test at all, which is no failure here.
test-slow: $(VENV)/dev $(VENV)/tools
	$(BIN)/python -m pytest -m slow -n $(WORKERS) --dist loadgroup || test $$? -eq 5

reproduction: $(VENV)/base
	@echo "Quick reproduction, drawn by the commit: $$(.ci/drawn-paper)"
	$(BIN)/wolfspider reproduce "$$(.ci/drawn-paper)" --quick --out "$$(mktemp -d)/$$(.ci/drawn-paper)"

fuzz: $(VENV)/dev
	$(BIN)/python -m tests.fuzz.fuzzing --seconds $(SECONDS) --jobs $(WORKERS) $(if $(SEED),--seed $(SEED))

check: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

figures: $(VENV)/base
	$(BIN)/python benchmarks/figures.py
	$(BIN)/python benchmarks/network.py

states: $(VENV)/base
	@test -n "$(WOLFSPIDER_CORPORA)" || { echo "WOLFSPIDER_CORPORA names no folder. Set it to the folder of recorded webs \
	that has wiki/ in it: make states WOLFSPIDER_CORPORA=DIR" >&2; exit 1; }
	$(BIN)/wolfspider states build "$(WOLFSPIDER_CORPORA)/wiki" --out src/wolfspider/learn/states-en.npz

# What an earlier build left in build/ would get into the wheels.
wheels:
	rm -rf build/lib* build/bdist* build/wheels
	.ci/pythons | while read -r version python; do \
	    "$$python" -m venv build/wheels/$$version && $(WHEEL) || exit 1; \
	done
	version=$$(.ci/pythons | tail -n 1 | cut -d " " -f 1); WOLFSPIDER_PURE=1 $(WHEEL)
	ls -l dist

lock: $(VENV)/dev
	$(LOCK) --output-file requirements.lock
	$(LOCK) --all-extras --group dev --output-file requirements-dev.lock

clean:
	rm -rf .venv .venv-* build dist src/*.egg-info $(COMPILED:.pyx=.*.so) .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The files below only remember when something was done, so that it is done again when what it was made from changes.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "wolfspider needs Python 3.11 or newer; \
	$(PYTHON) is not. Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Cannot make $(VENV); your system may keep that in a package of its own, \
	often named python3-venv." >&2; exit 1; }
	@touch $@

$(VENV)/base: requirements.lock pyproject.toml setup.py $(COMPILED) $(VENV)/made
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: requirements-dev.lock $(VENV)/base
	$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

# A browser and nginx, where they can be installed; tests that lack them are skipped and say so.
$(VENV)/tools: .ci/tools $(VENV)/made
	@.ci/tools
	@touch $@
