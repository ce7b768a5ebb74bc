# Every command of the course; what they do is in autograder/. `make` alone prints them.
# A command that takes a module takes it as 3, 03, layers or N=3: `make test-module 3`.

PYTHON ?= python3
TORCH_PYTHON ?= $(PY)
PY := .venv/bin/python
REFERENCE := PYTHONPATH=build/reference:.

# A command says itself what is wrong, and exits with 2, or with 1 where tests failed. To these make is to add no
# line of its own: SIGQUIT has it leave quietly, with 1, once the command has ended.
RUN = @$(PY) -m autograder $@ $(N) || { [ $$? = 1 ] && kill -QUIT $$PPID && sleep 0.2 || exit 2; }

# What stands behind these is no goal of its own, but the module.
ifneq ($(filter $(firstword $(MAKECMDGOALS)),start test-module export catch-up reset grade release mutants milestone),)
N := $(wordlist 2,99,$(MAKECMDGOALS))
.DEFAULT: ; @:
endif

.DEFAULT_GOAL := help
.PHONY: help setup start test-module progress export catch-up reset demo release grade reference mutants test lint
.PHONY: parity bench milestone

help:
	@awk -F ' *## ' '/^[a-z-]+:.*##/ {sub(/:.*/, "", $$1); printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.installed         ## install what the course needs into .venv, once
start: setup                    ## open JupyterLab at the module: make start 3
	$(RUN)
test-module: setup              ## export the notebook and run its tests: make test-module 3
	$(RUN)
progress: setup                 ## show the twenty modules, the points reached, and what is next
	$(RUN)
export: setup                   ## write the notebook as a module of tinytorch: make export 3
	$(RUN)
catch-up: setup                 ## take the reference for the modules before this one: make catch-up 3
	$(RUN)
reset: setup                    ## begin the notebook afresh, the old one kept beside it: make reset 3
	$(RUN)
milestone: setup                ## run a milestone with your own modules: make milestone xor
	@$(PY) -m milestones $(N)
demo: setup                     ## play a learner through modules 1 to 8, train on digits, and grade
	$(RUN)
release: setup                  ## make the notebooks and tests in modules/ from solutions/: make release [3]
	$(RUN)
grade: setup                    ## autograde what was submitted for the module: make grade 3
	$(RUN)
reference: setup                ## build the reference framework in build/reference
	$(RUN)
mutants: setup                  ## show that every planted mistake fails its tests: make mutants [3]
	$(RUN)
lint: setup                     ## check form and layout of everything authored
	@.venv/bin/ruff check --quiet && .venv/bin/ruff format --check --quiet
test: lint reference mutants    ## pass every test of the course
	@OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder
parity: reference               ## compare with PyTorch, live: make parity TORCH_PYTHON=...
	@$(REFERENCE) $(TORCH_PYTHON) tests/golden/parity.py
bench: reference                ## measure what docs promise, beside PyTorch where it is installed
	@$(REFERENCE) $(TORCH_PYTHON) -P -m benchmarks

.venv/.installed: requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.version_info >= (3, 11) or \
	  sys.exit(f"Python 3.11 or later is needed, and $(PYTHON) is {v}: make PYTHON=python3.12")'
	@echo "Installing what the course needs into .venv: once, in a minute or so."
	@$(PYTHON) -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check "$$(grep -o '^uv==[^ ]*' $<)"
	@$(PY) -m uv pip install --quiet --python $(PY) -r $< || $(PY) -m pip install --quiet -r $<
	@$(PY) -c 'import pathlib, sysconfig; \
	  pathlib.Path(sysconfig.get_path("purelib"), "tinytorch.pth").write_text("$(CURDIR)\n")'
	@touch $@
