# `make run` runs every study at scale demo; `make test` runs the linters and all tests.
# Both create .venv first.
PYTHON ?= python3
CORES ?= all
SCALE ?= demo
BIN := .venv/bin
# Python with the package `reseed` of this checkout.
LIBRARY := PYTHONPATH=scripts $(BIN)/python

# pip would compile all modules, of which most are never imported. Importing them once compiles
# those that are needed, before two processes do so at the same time.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
IMPORT := $(BIN)/python -c "import jinja2, matplotlib.backends.backend_pdf, \
  matplotlib.pyplot, pandas, pydantic, pyarrow.dataset, snakemake.cli, \
  snakemake.report.html_reporter, sklearn.compose, sklearn.ensemble, sklearn.linear_model"
IMPORT_MODELS := $(BIN)/python -c "import transformers.models.auto.modeling_auto, scipy.stats, xgboost"
# Where this variable is set, each of the many processes would compile its imports again.
export PYTHONDONTWRITEBYTECODE :=

# Environment with the oldest versions that pyproject.toml admits.
OLDEST := build/oldest
# Environment of the documentation site.
DOCS := build/docs

.PHONY: run test pytest snapshots oldest lint benchmark verify prune check-reference faults sequences mutants scale \
  schemas docs dist release wheel newcomer lock licenses clean

run: .venv/installed
	$(BIN)/snakemake --cores $(CORES) --config scale=$(SCALE)

test: .venv/installed-dev
	@$(MAKE) --no-print-directory --jobs 2 lint pytest

# More workers than cores, because some tests wait for processes.
pytest: .venv/installed-dev
	$(BIN)/python -m pytest -n $$($(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)') \
	  --dist worksteal

# Test the public API with the oldest versions that pyproject.toml admits.
oldest:
	$(PYTHON) -m venv --clear $(OLDEST)
	sed -n 's/^    "\([a-z0-9-]*\)>=\(.*\)",/\1==\2/p' pyproject.toml > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet -c $(OLDEST)/constraints.txt . \
	  hypothesis openpyxl pytest pytest-timeout python-calamine statsmodels syrupy
	$(OLDEST)/bin/python -m pytest -W ignore tests/cli tests/readers tests/analyses tests/comparison \
	  tests/session

# Write the texts again that tests compare as a whole (`*.ambr`): read the diff before a commit.
snapshots: .venv/installed-dev
	$(BIN)/python -m pytest --snapshot-update tests/report tests/papers tests/comparison

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

verify: .venv/installed
	$(BIN)/snakemake verify --cores $(CORES) --config scale=$(SCALE)

benchmark: .venv/installed
	$(LIBRARY) benchmarks/overhead.py --scale $(SCALE)
	$(LIBRARY) benchmarks/planning.py
	$(LIBRARY) benchmarks/search.py
	$(LIBRARY) benchmarks/stack.py
	$(LIBRARY) benchmarks/pairs.py
	$(LIBRARY) benchmarks/trimming.py
	$(LIBRARY) benchmarks/evaluation.py

# Remove results that no study plans any more, at any scale.
prune: .venv/installed
	$(LIBRARY) -m reseed prune

# Try every move on a small project, and kill scale smoke fifty times: two hours. An interrupted
# series goes on; the projects of violations are kept.
KILLS ?= 50
faults: .venv/installed
	$(LIBRARY) tests/run_faults.py --each --kills $(KILLS) --folder build/faults

# Drive the project by random sequences of moves.
SEQUENCES ?= 200
FIRST ?= 0
sequences: .venv/installed
	$(LIBRARY) tests/run_faults.py --sequences $(SEQUENCES) --first $(FIRST) \
	  --folder build/sequences

# Change modules of stats/ at fixed places: fails if their tests kill less than 95 % in MUTATED. Then
# change a seventh of all modules at other places each night, and print the survivors. Every survivor
# needs a test or a proof.
NIGHT ?= 0
MUTATED ?= sign_flips mean_squares two_models crossed_comparison item_model
mutants: .venv/installed-dev
	$(LIBRARY) benchmarks/mutate.py $(MUTATED) --mutants 8 --require 0.95
	$(LIBRARY) benchmarks/mutate.py --mutants 8 --seed $(NIGHT) --part $$(( $(NIGHT) % 7 + 1 ))/7

# Train five trials of each reference result again and compare their scores, in build/check_reference:
#   make check-reference STUDY="protocol seed_3407" MIRROR=/path/of/data
check-reference: .venv/installed
	$(LIBRARY) docs/tools/check_reference.py $(STUDY) $(if $(MIRROR),--config data_mirror=$(MIRROR))

# Write docs/scale.md from the measured seconds in results.
scale: .venv/installed
	$(LIBRARY) -m reseed cost --output docs/scale.md

# Write config/schema and config/README.md from the configuration classes.
schemas: .venv/installed
	$(LIBRARY) docs/tools/make_schemas.py

# Build the documentation site into build/site; needs no network once its environment is installed.
docs: $(DOCS)/installed
	$(DOCS)/bin/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo "Site: build/site/index.html"

$(DOCS)/installed: requirements.txt requirements-docs.txt
	$(PYTHON) -m venv --clear $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet -r requirements.txt -r requirements-docs.txt
	touch $@

# Build the source archive and the wheel into dist/.
dist:
	rm -rf dist build/lib
	$(PYTHON) -m venv --clear build/dist
	build/dist/bin/python -m pip install --quiet build twine
	build/dist/bin/python -m build --outdir dist .
	build/dist/bin/python -m twine check --strict dist/*

# Before a tag: set version, authors and owner of the repository everywhere, then build wheel, site, and
# the archive of the reference results for Zenodo, in build/zenodo:
#   make release VERSION=1.0.0 OWNER=my-group AUTHOR="Ada Lovelace"
release:
	$(PYTHON) docs/tools/make_release.py --version "$(VERSION)" --owner "$(OWNER)" --author "$(AUTHOR)"
	$(MAKE) dist docs
	mkdir -p build/zenodo
	tar -czf build/zenodo/reseed-reference-$(VERSION).tar.gz CITATION.cff LICENSE results/reference

# Install the wheel into an empty environment and test it there: make wheel PYTHON=python3.13
wheel: dist
	$(PYTHON) -m venv --clear build/wheel
	build/wheel/bin/python -m pip install --quiet dist/*.whl
	build/wheel/bin/python -I tests/wheel/check_wheel.py dist/*.whl

# The first hour of a newcomer with the wheel alone, and all tutorials.
newcomer: dist
	$(PYTHON) -m venv --clear build/newcomer
	build/newcomer/bin/python -m pip install --quiet "$$(ls dist/*.whl)[workflow]"
	build/newcomer/bin/python -I tests/wheel/newcomer.py

# Update the locked versions from envs/*.in (needs uv).
lock:
	for name in requirements requirements-dev requirements-docs; do \
	  uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	    --no-annotate envs/$$name.in -o $$name.txt; \
	done

# List the licences of all packages that requirements.txt and requirements-torch.txt install. Some
# packages state none in their metadata; their licence files are MIT's.
licenses: .venv/installed-dev
	{ printf '# Licences of dependencies\n\nWritten by pip-licenses: `make licenses`.\n\n'; \
	  $(BIN)/pip-licenses --from=mixed --order=name --format=markdown --no-version \
	    --packages $$(sed -n 's/^\([A-Za-z0-9_.-]*\)==.*/\1/p' requirements.txt) torch | \
	  sed -E '/^\| (conda-inject|snakemake-interface-)/s/UNKNOWN/MIT    /'; \
	} > docs/reference/licenses.md

# Two halves of the lock at once, and PyTorch, which is as large as all others together. What PyTorch
# needs beyond the lock comes last.
.venv/installed: requirements.txt requirements-torch.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Reseed needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@for half in 0 1; do \
	  awk '/^[^ ]/ {n++} n % 2 == '$$half requirements.txt > .venv/half-$$half.txt; done
	@$(INSTALL) --no-deps -r requirements-torch.txt & torch=$$!; \
	  $(INSTALL) --no-deps -r .venv/half-0.txt & half=$$!; \
	  $(INSTALL) --no-deps -r .venv/half-1.txt && wait $$half && wait $$torch
	@$(INSTALL) -r requirements-torch.txt
	@$(IMPORT) & first=$$!; $(IMPORT_MODELS) && wait $$first
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(INSTALL) -r requirements-dev.txt
	$(BIN)/python -c "import hypothesis.strategies, pytest, xdist.plugin, xdist.remote"
	touch $@

clean:
	rm -rf .venv .snakemake
	find results -mindepth 1 -maxdepth 1 ! -name README.md ! -name reference -exec rm -rf {} +
