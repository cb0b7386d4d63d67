.DEFAULT_GOAL := help
.PHONY: help setup serve test test-ray lint bench soak eval train constraints audit sbom clean

PYTHON := .venv/bin/python
# Test processes at once; a file's tests stay in one of them. 0 runs all in one process.
WORKERS ?= 2

help:
	@echo "make setup        .venv with the pinned packages, and a Chromium"
	@echo "make serve        the server (PAGEFOLD_HOST, PAGEFOLD_PORT, PAGEFOLD_DATA_DIR)"
	@echo "make test         all tests (ARGS='-k name' is passed on to pytest; WORKERS=0 for one process)"
	@echo "make test-ray     the tests of the Ray engine, with Ray in a folder of its own"
	@echo "make lint         ruff, mypy and the import rules"
	@echo "make bench        what everything costs beside others, interleaved (ARGS='--quick', '--out FOLDER')"
	@echo "make soak         ten minutes of good, slow, huge, crashing and hostile pages (ARGS='--minutes 2')"
	@echo "make eval         quality floors (ARGS='--raise'), the fold's guarantees, the visibility oracle (PAGEFOLD_SHARED)"
	@echo "make train        learn the region weights again (ARGS='--folds DIR' for those of each fold)"
	@echo "make constraints  pin the newest packages again (needs uv)"
	@echo "make audit        known weaknesses of the image's packages (needs pip-audit and the network)"
	@echo "make sbom         what the image's Python packages are, as CycloneDX"
	@echo "make clean        remove caches and build output; .venv and data stay"

setup:
	@bash scripts/setup

serve: setup
	@exec .venv/bin/pagefold serve

test: setup
	@$(PYTHON) -m pytest --numprocesses $(WORKERS) --dist loadfile $(ARGS)

test-ray: setup
	@bash scripts/setup-ray
	@PYTHONPATH=. .venv-ray/bin/python -m pytest -m ray tests/batch $(ARGS)

lint: setup
	@bash scripts/lint

bench: setup
	@$(PYTHON) -m testbed.bench $(ARGS)

soak: setup
	@$(PYTHON) -m testbed.soak $(ARGS)

eval: setup
	@$(PYTHON) -m testbed.floors $(ARGS)
	@$(PYTHON) -m testbed.conservation
	@$(PYTHON) -m testbed.oracle --look

train: setup
	@$(PYTHON) -m testbed.train $(ARGS)

constraints:
	@bash scripts/constraints

audit:
	@bash scripts/audit

sbom:
	@python3 scripts/sbom

clean:
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -path ./.venv -prune -o -type d -name __pycache__ -exec rm -rf {} +
