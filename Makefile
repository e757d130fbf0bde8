# `make run` makes every study at scale demo; `make test` checks everything. Both set up .venv.
PYTHON ?= python3
CORES ?= all
SCALE ?= demo
BIN := .venv/bin

# What `pip install .` brings, in its oldest versions.
OLDEST := build/oldest

.PHONY: run test oldest lint benchmark verify prune faults scale schemas lock clean

run: .venv/installed
	$(BIN)/snakemake --cores $(CORES) --config scale=$(SCALE)

test: lint
	$(BIN)/python -m pytest -n $$($(PYTHON) -c 'import os; print(os.cpu_count() or 1)')

# The doors of the library, with the oldest versions that pyproject.toml admits.
oldest:
	$(PYTHON) -m venv --clear $(OLDEST)
	sed -n 's/^    "\([a-z0-9-]*\)>=\(.*\)",/\1==\2/p' pyproject.toml > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet -c $(OLDEST)/constraints.txt . \
	  hypothesis pytest pytest-timeout
	$(OLDEST)/bin/python -m pytest -W ignore tests/importing tests/analyses tests/test_compare.py \
	  tests/test_study_in_process.py tests/test_models_in_process.py

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

verify: .venv/installed
	$(BIN)/snakemake verify --cores $(CORES) --config scale=$(SCALE)

benchmark: .venv/installed
	$(BIN)/python scripts/benchmark_overhead.py --scale $(SCALE)
	$(BIN)/python scripts/benchmark_planning.py
	$(BIN)/python scripts/benchmark_stack.py
	$(BIN)/python scripts/benchmark_pairs.py
	$(BIN)/python scripts/benchmark_trimming.py

# Remove from results what no study plans any more, at any scale.
prune: .venv/installed
	$(BIN)/python scripts/prune.py

# Fifty kills of scale smoke and every fault there is, told in docs/reliability.md: two hours.
KILLS ?= 50
faults: .venv/installed
	$(BIN)/python scripts/faults.py --kills $(KILLS)

scale: .venv/installed
	$(BIN)/python scripts/scale.py

schemas: .venv/installed
	$(BIN)/python scripts/make_schemas.py

# Renew the lock from envs/*.in (needs uv).
lock:
	for name in requirements requirements-dev; do \
	  uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	    --no-annotate envs/$$name.in -o $$name.txt; \
	done

.venv/installed: requirements.txt requirements-torch.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Reseed needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -r requirements.txt
	$(BIN)/python -m pip install --quiet -r requirements-torch.txt
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	touch $@

clean:
	rm -rf .venv .snakemake results
